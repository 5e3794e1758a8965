#ifndef FULL_PASSES
#define FULL_PASSES

include "mlir/Pass/PassBase.td"

def FullFuseSaturation : Pass<"full-fuse-saturation", "::mlir::ModuleOp"> {
  let summary = "min(max(x, low), high) with constant bounds becomes full.saturate";
  let dependentDialects = ["::full::FullDialect"];
}

def FullLowerSaturation : Pass<"full-lower-saturation", "::mlir::ModuleOp"> {
  let summary = "full.saturate becomes min(max(x, low), high)";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // FULL_PASSES
