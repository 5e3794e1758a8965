//===- native_dlpack.h - the part of DLPack's C ABI that is used -*- C++
//-*-===//
//
// A type that offers `__dlpack_c_exchange_api__` (a capsule) lets others read
// its tensors through a table of C functions. Layouts as of DLPack 1.x.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_PYTHON_NATIVE_DLPACK_H
#define TRITON_PYTHON_NATIVE_DLPACK_H

#include <cstdint>

namespace triton::native {

constexpr const char *dlpackCapsule = "dlpack_exchange_api";
constexpr const char *dlpackAttribute = "__dlpack_c_exchange_api__";
constexpr uint32_t dlpackMajor = 1;

struct DLTensor {
  void *data;
  int32_t deviceType;
  int32_t deviceId;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};

/// Fills `out` from the Python object; the data stays the object's. Nonzero
/// with a Python exception set when it cannot.
using DLTensorFromObject = int (*)(void *object, DLTensor *out);

struct DLExchangeHeader {
  uint32_t major;
  uint32_t minor;
  DLExchangeHeader *previous;
};

struct DLExchangeTable {
  DLExchangeHeader header;
  void *allocateManaged;
  void *managedFromObject;
  void *managedToObject;
  DLTensorFromObject tensorFromObject;
  void *currentWorkStream;
};

} // namespace triton::native

#endif // TRITON_PYTHON_NATIVE_DLPACK_H
