//===- MemoryMap.h - memory of this process ---------------------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_RUNTIME_MEMORYMAP_H
#define TRITON_CPU_LIB_RUNTIME_MEMORYMAP_H

#include <cstdint>

namespace mlir::triton::cpu {

/// Whether the process may access [address, address + bytes): mapped with the
/// right to read, and with `forWrite` to write. True where the system does not
/// tell.
bool isAccessible(uint64_t address, uint64_t bytes, bool forWrite);

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_RUNTIME_MEMORYMAP_H
