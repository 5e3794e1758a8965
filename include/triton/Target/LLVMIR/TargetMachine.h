//===- TargetMachine.h - target descriptions and code generators -*- C++
//-*-===//

#ifndef TRITON_TARGET_LLVMIR_TARGETMACHINE_H
#define TRITON_TARGET_LLVMIR_TARGETMACHINE_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::triton {

/// What code is generated for, in LLVM's terms. An empty triple stands for the
/// host's; an empty cpu for the generic one of the triple.
struct TargetSpec {
  std::string triple;
  std::string cpu;
  /// Comma-separated `+feature` and `-feature`, relative to `cpu`.
  std::string features;
};

/// The processor that this process runs on.
struct HostTarget {
  TargetSpec spec;
  /// Every feature that code for `spec` may use, sorted.
  std::vector<std::string> enabledFeatures;
  /// Features that the processor has and `spec` leaves out, because LLVM would
  /// use them where they break IEEE semantics (see the definition).
  std::vector<std::string> withheldFeatures;
  /// Widest vector register that is worth using, in bits.
  unsigned vectorBits;
};

/// Describes the host. Features whose instructions break IEEE semantics for
/// plain conversions are left out (see the definition). Computed once.
const HostTarget &getHostTarget();

/// Describes processor `cpu`, in LLVM's terms, of the host's architecture. An
/// error names an unknown one.
llvm::Expected<HostTarget> describeProcessor(llvm::StringRef cpu);

/// A code generator for `spec`, or an error that names the unknown triple or
/// processor. The machine belongs to the calling thread and is reused by its
/// later calls.
llvm::Expected<llvm::TargetMachine *> getTargetMachine(const TargetSpec &spec);

/// Forgets the calling thread's machines without running their destructors.
/// For use after a fatal error inside LLVM, which leaves them in any state.
void abandonTargetMachines();

/// Sets triple and data layout of `module`, and on each function it defines
/// the processor, its features and `nounwind`.
void attachTarget(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace mlir::triton

#endif // TRITON_TARGET_LLVMIR_TARGETMACHINE_H
