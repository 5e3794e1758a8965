//===- Sanitizer.cpp - checked accesses to memory -------------------------===//

#include "cpu/Runtime/Sanitizer.h"
#include "MemoryMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <csetjmp>

using namespace mlir::triton::cpu;

namespace {

/// The program that runs on this thread.
struct Running {
  CheckedLaunch *launch;
  uint32_t program[3];
  std::jmp_buf leave;
};

thread_local Running *running = nullptr;
thread_local std::unique_ptr<CheckedLaunch> armed;
thread_local std::optional<Violation> lastViolation;

/// Abandons the program. Compiled kernels hold nothing that would have to be
/// released, so their frames can be dropped.
[[noreturn]] void leave() { std::longjmp(running->leave, 1); }

void pollRunning() {
  if (running && running->launch->hasStopped())
    leave();
}

[[noreturn]] void stopRunning(Violation violation) {
  llvm::copy(running->program, violation.program);
  running->launch->stop(std::move(violation));
  leave();
}

/// Apart from its caller, so that no local of that lives across the two returns
/// of setjmp.
bool runUntilLeft(Running &state, KernelFunction function,
                  const uint64_t *slots, const uint32_t *grid, int64_t program,
                  void *scratch) {
  if (setjmp(state.leave) != 0)
    return false;
  function(slots, grid, program, program + 1, scratch);
  return true;
}

bool lies(uint64_t address, uint64_t bytes, const ArgumentExtent &extent) {
  return address >= extent.begin && address <= extent.end &&
         extent.end - address >= bytes;
}

} // namespace

bool CheckedLaunch::runProgram(KernelFunction function, const uint64_t *slots,
                               const uint32_t *grid, int64_t program,
                               void *scratch) {
  if (hasStopped())
    return false;
  Running state;
  state.launch = this;
  state.program[0] = uint32_t(program % grid[0]);
  state.program[1] = uint32_t(program / grid[0] % grid[1]);
  state.program[2] = uint32_t(program / grid[0] / grid[1]);
  Running *outer = running;
  running = &state;
  bool done = runUntilLeft(state, function, slots, grid, program, scratch);
  running = outer;
  return done;
}

bool CheckedLaunch::isAllowed(uint64_t address, uint64_t bytes,
                              uint64_t arguments, bool isWrite) const {
  bool isOpen = arguments == 0; // memory of no particular argument
  for (size_t i = 0; i < extents.size(); ++i) {
    if (arguments && (i >= 64 || !(arguments >> i & 1)))
      continue;
    if (!extents[i].isKnown)
      isOpen = true;
    else if (lies(address, bytes, extents[i]))
      return true;
  }
  return isOpen && isAccessible(address, bytes, isWrite);
}

void CheckedLaunch::stop(Violation violation) {
  if (claimed.exchange(true))
    return;
  first = std::move(violation);
  stopped.store(true, std::memory_order_release);
}

void mlir::triton::cpu::armNextLaunch(std::vector<ArgumentExtent> extents) {
  armed = std::make_unique<CheckedLaunch>(std::move(extents));
}

std::unique_ptr<CheckedLaunch> mlir::triton::cpu::takeArmedLaunch() {
  return std::move(armed);
}

std::optional<Violation> mlir::triton::cpu::takeViolation() {
  return std::exchange(lastViolation, std::nullopt);
}

void mlir::triton::cpu::setViolation(const Violation &violation) {
  lastViolation = violation;
}

//===----------------------------------------------------------------------===//
// Called by kernels
//===----------------------------------------------------------------------===//

// A begin past the end: no access fits, so that the kernel asks about each.

uint64_t triton_cpu_extent_begin(uint32_t argument) {
  if (running && argument < running->launch->extents.size() &&
      running->launch->extents[argument].isKnown)
    return running->launch->extents[argument].begin;
  return ~uint64_t(0);
}

uint64_t triton_cpu_extent_end(uint32_t argument) {
  if (running && argument < running->launch->extents.size() &&
      running->launch->extents[argument].isKnown)
    return running->launch->extents[argument].end;
  return 0;
}

void triton_cpu_check(const char *description, uint64_t arguments,
                      uint32_t bytes, uint32_t width, const uint64_t *addresses,
                      uint64_t first, uint64_t stride, uint64_t mask,
                      int64_t element, int64_t elementStride) {
  pollRunning();
  if (!running)
    return; // launched without the sanitizer's launcher: nothing is known
  bool isWrite = !llvm::StringRef(description).starts_with("load");
  for (uint32_t lane = 0; lane < width; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t address = addresses ? addresses[lane] : first + lane * stride;
    if (!running->launch->isAllowed(address, bytes, arguments, isWrite))
      stopRunning({description,
                   {},
                   element + int64_t(lane) * elementStride,
                   address,
                   bytes,
                   arguments});
  }
}

void triton_cpu_check_index(const char *description, uint32_t width,
                            const int64_t *indices, int64_t extent,
                            int64_t element, int64_t elementStride) {
  if (!running)
    return;
  for (uint32_t lane = 0; lane < width; ++lane)
    if (indices[lane] < 0 || indices[lane] >= extent)
      stopRunning({description,
                   {},
                   element + int64_t(lane) * elementStride,
                   uint64_t(indices[lane]),
                   uint64_t(extent),
                   0});
}

void triton_cpu_poll() { pollRunning(); }
