//===- native_classify.h - specialization of arguments ----------*- C++ -*-===//
//
// Classifying an argument gives a *code*, one byte that says all that the
// compiler is told about it, and a *slot*, the 8 bytes that the kernel reads.
// Codes and, for compile-time values, payloads are the key of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_CLASSIFY_H
#define TRITON_PYTHON_NATIVE_CLASSIFY_H

#include "native_tensor.h"

namespace triton::native {

/// Codes. Whether a payload follows depends on the code alone, so two keys are
/// equal only if they mean the same. 0 is padding.
enum Code : uint8_t {
  CodeNone = 1, // None as an ordinary argument: a constant
  CodeOne,      // the integer 1: a constant
  CodeBool,
  CodeFloat,
  CodeInt32,
  CodeInt32Aligned, // divisible by 16
  CodeInt64,
  CodeInt64Aligned,
  CodeUInt64,
  CodeUInt64Aligned,
  CodePinned, // a number whose type the parameter's annotation fixes
  CodePinnedAligned,
  CodeOpen, // a tuple: its items follow, then CodeClose
  CodeClose,
  CodeOpenNamed,  // the same, of the class that the payload stands for
  CodeDescriptor, // payload: element type, padding, rank; block sizes follow
  // Compile-time values. Those after CodeConstNone have a payload.
  CodeConstOpen,
  CodeConstClose,
  CodeConstNone,
  CodeConstBool,
  CodeConstInt,
  CodeConstFloat,
  CodeConstObject, // payload: number of the value, see `valueNumber`
  // Pointers: element type and alignment are in the low bits.
  CodePointer = 0x40,
};

inline bool isLive(uint8_t code) {
  return code >= CodePointer || (code >= CodeBool && code <= CodePinnedAligned);
}

/// One parameter of a kernel. What a launch reads comes first.
struct Param {
  PyTypeObject *lastType = nullptr;
  TypeInfo *lastInfo = nullptr;
  bool isConstexpr = false;
  bool specialize = true;
  bool align = true;
  bool keywordOnly = false;
  bool variadic = false;             // `*args`
  Element pinned = Element::Unknown; // Unknown: not pinned
  PyObject *name = nullptr;          // strong, interned
  PyObject *defaultValue = nullptr;  // strong, or null
};

/// More arguments, or items of tuples, than this are left to Python.
constexpr unsigned maxLeaves = 192;
constexpr unsigned maxOptions = 24;

/// What classification collects. Lives on the stack of the call, because
/// methods of arguments may let other threads run.
struct Arguments {
  unsigned numCodes = 0;
  unsigned numPayloads = 0;
  unsigned numSlots = 0;
  /// Bit `i` is set if slot `i` (of the first 64) is a read-only array.
  uint64_t readOnly = 0;
  uint8_t codes[maxLeaves];
  uint64_t payloads[maxLeaves];
  uint64_t slots[maxLeaves];

  /// No room for one more argument, of whatever kind but a descriptor.
  bool full() const {
    return numCodes + 2 >= maxLeaves || numSlots >= maxLeaves;
  }
  void addCode(uint8_t code) { codes[numCodes++] = code; }
  void addSlot(uint8_t code, uint64_t slot) {
    codes[numCodes++] = code;
    slots[numSlots++] = slot;
  }
  void addPayload(uint8_t code, uint64_t payload) {
    codes[numCodes++] = code;
    payloads[numPayloads++] = payload;
  }
};

/// Adds argument `value` of parameter `param`.
Result classify(Param &param, PyObject *value, Arguments &out);

/// A compile-time value (of a constexpr parameter or an option) as a code and
/// payload; the payload of codes without one is 0.
struct Constant {
  uint8_t code;
  uint64_t payload;
};
Result encodeConstant(PyObject *value, Constant &out);

/// A number that stands for a value of any type for the life of the process; 0
/// with an exception set.
uint64_t valueNumber(PyObject *value);

/// The bits with which a kernel reads `value` as a scalar of type `element`.
Result encodeScalar(Element element, PyObject *value, uint64_t &bits);

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_CLASSIFY_H
