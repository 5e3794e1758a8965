//===- HostSymbols.cpp - functions that kernels may call ------------------===//

#include "cpu/Runtime/HostSymbols.h"
#include "cpu/Runtime/AddBuffer.h"
#include "cpu/Runtime/DeviceHelpers.h"
#include "cpu/Runtime/Sanitizer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <dlfcn.h>
#include <string>

using namespace llvm;

namespace {

// Conversions that LLVM calls where the processor has no instruction. 16-bit
// floats travel in the low bits of a vector register, just as the low bits of
// a float do, so `float` stands for them in these signatures. (The compilers
// that build this file do not all have the 16-bit types.)

float packHalf(uint16_t bits) { return llvm::bit_cast<float>(uint32_t(bits)); }

uint16_t unpackHalf(float carrier) {
  return uint16_t(llvm::bit_cast<uint32_t>(carrier));
}

uint16_t narrow(APFloat value, const fltSemantics &semantics) {
  bool lost;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &lost);
  return uint16_t(value.bitcastToAPInt().getZExtValue());
}

float extendHalf(float carrier) {
  APFloat value(APFloat::IEEEhalf(), APInt(16, unpackHalf(carrier)));
  bool lost;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToFloat();
}

float truncFloatToHalf(float value) {
  return packHalf(narrow(APFloat(value), APFloat::IEEEhalf()));
}

float truncDoubleToHalf(double value) {
  return packHalf(narrow(APFloat(value), APFloat::IEEEhalf()));
}

float truncFloatToBFloat(float value) {
  return packHalf(narrow(APFloat(value), APFloat::BFloat()));
}

float truncDoubleToBFloat(double value) {
  return packHalf(narrow(APFloat(value), APFloat::BFloat()));
}

struct NamedFunction {
  StringLiteral name;
  void *address;
};

template <typename Function>
NamedFunction entry(StringLiteral name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

void *findOwnFunction(StringRef name) {
  static const NamedFunction table[] = {
      entry("memcpy", &std::memcpy),
      entry("memmove", &std::memmove),
      entry("memset", &std::memset),
      entry("memcmp", &std::memcmp),
      entry("__extendhfsf2", &extendHalf),
      entry("__truncsfhf2", &truncFloatToHalf),
      entry("__truncdfhf2", &truncDoubleToHalf),
      entry("__truncsfbf2", &truncFloatToBFloat),
      entry("__truncdfbf2", &truncDoubleToBFloat),
      entry("triton_cpu_print", &triton_cpu_print),
      entry("triton_cpu_assert_fail", &triton_cpu_assert_fail),
      entry("triton_cpu_extent_begin", &triton_cpu_extent_begin),
      entry("triton_cpu_extent_end", &triton_cpu_extent_end),
      entry("triton_cpu_check", &triton_cpu_check),
      entry("triton_cpu_check_index", &triton_cpu_check_index),
      entry("triton_cpu_poll", &triton_cpu_poll),
      entry("triton_cpu_add_later", &triton_cpu_add_later),
      entry("triton_cpu_add_now", &triton_cpu_add_now),
  };
  for (const NamedFunction &function : table)
    if (function.name == name)
      return function.address;
  return nullptr;
}

/// A math library of the system. Absent ones are null, which `dlsym` would
/// take for "search everywhere".
void *openLibrary(const char *name) {
  return dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}

void *vectorMathLibrary() {
  static void *const library = openLibrary("libmvec.so.1");
  return library;
}

void *mathLibrary() {
#ifdef __APPLE__
  static void *const library = openLibrary("libSystem.dylib");
#else
  static void *const library = openLibrary("libm.so.6");
#endif
  return library;
}

void *findIn(void *library, StringRef name) {
  return library ? dlsym(library, name.str().c_str()) : nullptr;
}

} // namespace

bool mlir::triton::cpu::hasVectorMathLibrary() {
  // Before glibc 2.35 it held a few functions only.
  return findIn(vectorMathLibrary(), "_ZGVbN4v_tanhf") != nullptr;
}

void *mlir::triton::cpu::findHostSymbol(StringRef name) {
  if (void *address = findOwnFunction(name))
    return address;
  if (name.starts_with("_ZGV"))
    return findIn(vectorMathLibrary(), name);
  return findIn(mathLibrary(), name);
}
