//===- Spin.h - wait without sleeping ---------------------------*- C++ -*-===//

#ifndef TRITON_CPU_LIB_RUNTIME_SPIN_H
#define TRITON_CPU_LIB_RUNTIME_SPIN_H

namespace mlir::triton::cpu {

/// One turn of a spin loop.
inline void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_LIB_RUNTIME_SPIN_H
