//===- native_negated.cc - views that negate their memory -----------------===//

#include "native_negated.h"

#include <initializer_list>

namespace triton::native {

TRITON_COLD bool NegatedProbe::askNegated(PyObject *object) {
  static PyObject *name = PyUnicode_InternFromString("is_neg");
  PyObject *answer = PyObject_CallMethodNoArgs(object, name);
  int isTrue = answer ? PyObject_IsTrue(answer) : -1;
  Py_XDECREF(answer);
  if (isTrue < 0)
    PyErr_Clear(); // not a question that this tensor answers
  return isTrue == 1;
}

namespace {
// Behind the shape: the rest of its `maxRank` extents, as many strides, and
// then the words that may hold the bit.
constexpr size_t firstWord = 2 * NegatedProbe::maxRank;
constexpr size_t numWords = 5;

struct Words {
  uint64_t word[numWords];
};
} // namespace

/// The words behind the shape of `tensor`, which was made by torch.
static bool readWords(PyObject *tensor, DLTensorFromObject exchange,
                      Words &words) {
  DLTensor view;
  if (exchange(tensor, &view) != 0)
    return false;
  std::memcpy(&words, view.shape + firstWord, sizeof words);
  return true;
}

/// Narrows `candidates`, the bits that are 0 in plain tensors and 1 in negated
/// views, by a pair of rank `rank`. False with an exception set.
static bool compareOnePair(PyObject *torch, int rank,
                           DLTensorFromObject exchange, Words &candidates) {
  const char *dtypes[] = {"float32", "int32", "float64",
                          "int8",    "int64", "bfloat16"};
  PyObject *extents = PyTuple_New(rank);
  for (int i = 0; extents && i != rank; ++i)
    PyTuple_SET_ITEM(extents, i, PyLong_FromLong(2));
  PyObject *dtype = PyObject_GetAttrString(torch, dtypes[rank]);
  PyObject *empty = PyObject_GetAttrString(torch, "empty");
  PyObject *options =
      dtype ? Py_BuildValue("{s:O,s:s}", "dtype", dtype, "device", "cpu")
            : nullptr;
  PyObject *arguments = extents ? PyTuple_Pack(1, extents) : nullptr;
  PyObject *plain = empty && arguments && options
                        ? PyObject_Call(empty, arguments, options)
                        : nullptr;
  PyObject *negated =
      plain ? PyObject_CallMethod(torch, "_neg_view", "O", plain) : nullptr;
  Words before, after;
  bool ok = negated && Py_TYPE(negated) == Py_TYPE(plain) &&
            readWords(plain, exchange, before) &&
            readWords(negated, exchange, after);
  for (size_t i = 0; ok && i != numWords; ++i)
    candidates.word[i] &= ~before.word[i] & after.word[i];
  for (PyObject *object :
       {extents, dtype, empty, options, arguments, plain, negated})
    Py_XDECREF(object);
  return ok;
}

/// Fills in `mask` and `offset` if one bit alone tells the pairs apart.
TRITON_COLD static void findBit(NegatedProbe &probe,
                                DLTensorFromObject exchange) {
  PyObject *torch = PyDict_GetItemString(PyImport_GetModuleDict(), "torch");
  if (!torch) // borrowed
    return;
  Words candidates;
  std::memset(&candidates, 0xff, sizeof candidates);
  for (int rank = 0; rank <= NegatedProbe::maxRank; ++rank)
    if (!compareOnePair(torch, rank, exchange, candidates)) {
      PyErr_Clear(); // a torch without such views, or a mode that makes others
      return;
    }
  int found = 0;
  for (size_t i = 0; i != numWords; ++i)
    if (uint64_t bits = candidates.word[i]) {
      found += __builtin_popcountll(bits);
      probe.mask = bits;
      probe.offset = uint32_t(8 * (firstWord + i));
    }
  if (found != 1)
    probe.mask = 0;
}

NegatedProbe negatedProbe(PyTypeObject *type, DLTensorFromObject exchange) {
  static NegatedProbe known;
  static DLTensorFromObject knownFor = nullptr;
  NegatedProbe probe;
  PyObject *method =
      PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "is_neg");
  probe.canAsk = method != nullptr;
  if (!method)
    PyErr_Clear();
  Py_XDECREF(method);
  if (!probe.canAsk || !exchange)
    return probe;
  if (exchange != knownFor) {
    findBit(probe, exchange);
    known = probe;
    knownFor = probe.mask ? exchange : nullptr; // else try with the next type
  }
  return known;
}

} // namespace triton::native
