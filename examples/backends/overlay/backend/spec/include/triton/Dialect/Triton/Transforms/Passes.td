#ifndef TRITON_PASSES
#define TRITON_PASSES

include "mlir/Pass/PassBase.td"

def TritonCombineOps : Pass<"triton-combine", "::mlir::ModuleOp"> {
  let summary = "merge neighbouring operations into one";
  let description = [{
    dot(a, b, 0) + c becomes dot(a, b, c); addptr(addptr(p, x), y) with constant x and y becomes one addptr;
    select(mask, load(p, mask, _), y) becomes load(p, mask, y); a comparison that constants and ranges decide for all
    elements becomes a constant, and masks of loads and stores go away with it.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonReorderBroadcast : Pass<"triton-reorder-broadcast", "::mlir::ModuleOp"> {
  let summary = "compute before repeating: elementwise(splat or broadcast) becomes splat or broadcast(elementwise)";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::triton::TritonDialect"];
}

def TritonRewriteTensorPointer : Pass<"triton-rewrite-tensor-pointer", "::mlir::ModuleOp"> {
  let summary = "replace block pointers by tensors of pointers and masks";
  let description = [{
    A block pointer becomes its base, shape, strides and offsets, which are carried through loops and branches as
    scalars; the addresses of a block are computed at each load and store.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::triton::TritonDialect"];
}

def TritonRewriteTensorDescriptorToPointer : Pass<"triton-rewrite-tensor-descriptor-to-pointer", "::mlir::ModuleOp"> {
  let summary = "replace tensor descriptors by tensors of pointers and masks";
  let description = [{
    For targets without hardware descriptors. Descriptors as arguments of functions become base, shape, strides and the
    padding to use.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::mlir::triton::TritonDialect"];
}

def TritonDecomposeScaledDot : Pass<"triton-decompose-scaled-dot", "::mlir::ModuleOp"> {
  let summary = "replace tt.dot_scaled by decoding, scaling and a tt.dot of f32";
  let description = [{
    For targets without instructions for microscaling formats. Operands in e2m1, e4m3, e5m2, bf16 and fp16 are decoded to
    f32 and multiplied by their scales; other formats are an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TritonLiftControlFlow : Pass<"triton-lift-control-flow", "::mlir::ModuleOp"> {
  let summary = "replace branches between blocks by scf.if and scf.while";
  let description = [{
    Functions and regions of tt.map_elementwise with several blocks become one block. The rest is left alone, so that the
    pass costs next to nothing on structured code.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect",
                           "::mlir::ub::UBDialect"];
}

def TritonLoopUnroll : Pass<"triton-loop-unroll", "::mlir::ModuleOp"> {
  let summary = "unroll scf.for by its attribute tt.loop_unroll_factor, as far as the loop buffer goes";
  let options = [Option<"maxFactor", "max-factor", "unsigned", /*default=*/"4", "Copies of a loop's body that fit">];
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
