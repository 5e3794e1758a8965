//===- overlay_TargetMachine.cpp - Narrow vectors -------------------------===//

#include "overlay_TargetMachine.h"
#include "triton/Target/LLVMIR/TargetMachine.h"

void overlay::correctHost(mlir::triton::HostTarget &host) {
  host.vectorBits = 128;
}
