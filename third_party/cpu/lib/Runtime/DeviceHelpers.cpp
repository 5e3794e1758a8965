//===- DeviceHelpers.cpp - print and assert in kernels --------------------===//

#include "cpu/Runtime/DeviceHelpers.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>

using namespace llvm;
using namespace mlir::triton::cpu;

namespace {

thread_local LaunchReport *currentReport = nullptr;

/// Serialises output and the writing of messages; both are rare.
std::mutex &helperMutex() {
  static std::mutex mutex;
  return mutex;
}

void printIndex(raw_ostream &out, int64_t linear, ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> index(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = linear % shape[dim];
    linear /= shape[dim];
  }
  out << " idx (";
  interleaveComma(index, out);
  out << ')';
}

void printValue(raw_ostream &out, uint32_t format, uint64_t bits) {
  uint32_t kind = format & 0xff;
  unsigned width = (format >> 8) & 0xff;
  uint64_t low = width >= 64 || width == 0
                     ? bits
                     : bits & maskTrailingOnes<uint64_t>(width);
  bool hex = (format >> 16) & 1;
  if (hex || kind == kPrintPointer)
    out << llvm::format_hex(low, 2 + (width ? width : 64) / 4);
  else if (kind == kPrintFloat && width == 32)
    out << llvm::format("%f", double(llvm::bit_cast<float>(uint32_t(bits))));
  else if (kind == kPrintFloat)
    out << llvm::format("%f", llvm::bit_cast<double>(bits));
  else if (kind == kPrintSigned && width > 0)
    out << SignExtend64(low, width);
  else
    out << low;
}

} // namespace

LaunchReport *mlir::triton::cpu::exchangeLaunchReport(LaunchReport *report) {
  LaunchReport *previous = currentReport;
  currentReport = report;
  return previous;
}

void triton_cpu_print(const char *prefix, uint32_t format, uint64_t bits,
                      uint32_t x, uint32_t y, uint32_t z, int64_t linear,
                      const int64_t *shape, uint32_t rank) {
  SmallString<128> line;
  raw_svector_ostream out(line);
  out << "pid (" << x << ", " << y << ", " << z << ')';
  if (rank > 0)
    printIndex(out, linear, ArrayRef<int64_t>(shape, rank));
  out << ' ' << prefix;
  if ((format & 0xff) != kPrintNothing)
    printValue(out << ": ", format, bits);
  out << '\n';

  std::lock_guard<std::mutex> lock(helperMutex());
  std::fwrite(line.data(), 1, line.size(), stdout);
  if (currentReport)
    currentReport->printed.store(true, std::memory_order_relaxed);
}

void triton_cpu_assert_fail(const char *message, const char *file,
                            const char *function, uint32_t line, uint32_t x,
                            uint32_t y, uint32_t z) {
  LaunchReport *report = currentReport;
  if (!report)
    return;
  std::lock_guard<std::mutex> lock(helperMutex());
  if (report->failed.load(std::memory_order_relaxed))
    return;
  std::snprintf(
      report->message, LaunchReport::kMessageSize,
      "%s:%u: %s: device assertion failed in program (%u, %u, %u): %s", file,
      line, function, x, y, z, message);
  report->failed.store(true, std::memory_order_release);
}
