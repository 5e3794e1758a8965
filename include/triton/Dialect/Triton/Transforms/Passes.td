#ifndef TRITON_PASSES
#define TRITON_PASSES

include "mlir/Pass/PassBase.td"

def TritonCombineOps : Pass<"triton-combine", "::mlir::ModuleOp"> {
  let summary = "merge neighbouring operations into one";
  let description = [{
    dot(a, b, 0) + c becomes dot(a, b, c); addptr(addptr(p, x), y) with constant x and y becomes one addptr;
    select(mask, load(p, mask, _), y) becomes load(p, mask, y).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonReorderBroadcast : Pass<"triton-reorder-broadcast", "::mlir::ModuleOp"> {
  let summary = "compute before repeating: elementwise(splat or broadcast) becomes splat or broadcast(elementwise)";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::triton::TritonDialect"];
}

def TritonLoopUnroll : Pass<"triton-loop-unroll", "::mlir::ModuleOp"> {
  let summary = "unroll scf.for by its attribute tt.loop_unroll_factor";
}

def TritonLoopInvariantCodeMotion : Pass<"triton-licm", "::mlir::ModuleOp"> {
  let summary = "move what a loop does not change in front of it, loads included";
  let description = [{
    MLIR's loop-invariant-code-motion leaves loads in place. This pass also moves an invariant load out of an scf.for
    that writes no memory, masked so that nothing is read when the loop does not run.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TRITON_PASSES
