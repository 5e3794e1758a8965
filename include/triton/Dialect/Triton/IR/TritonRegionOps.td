#ifndef TRITON_REGION_OPS
#define TRITON_REGION_OPS

// Operations that apply a region of scalar code to blocks, and the histogram.

include "triton/Dialect/Triton/IR/TritonOpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def ReduceOp : TT_Op<"reduce", [Pure, SameOperandsShape, SingleBlock,
                                DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "combine all elements along an axis";
  let description = [{
    The region gets the accumulated scalars of all operands, then the next elements of all operands, and returns the new
    accumulated scalars. It must be associative; the order of combination is not specified. Reducing a block of rank 1
    gives scalars.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_NumberOrPtrLike>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    /// The one operation of the region besides its terminator, or null when there are more or fewer.
    ::mlir::Operation *getSingleCombiner();
  }];
}

def ReduceReturnOp : TT_Op<"reduce.return", [Pure, HasParent<"ReduceOp">, ReturnLike, Terminator]> {
  let summary = "end of the region of tt.reduce";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def ScanOp : TT_Op<"scan", [Pure, SameOperandsShape, SingleBlock,
                            DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "running combination of the elements along an axis";
  let description = "Region as in tt.reduce. `reverse` starts at the end of the axis.";
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$srcs, "int":$axis, "bool":$reverse)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::RankedTensorType> getInputTypes();
    ::llvm::SmallVector<::mlir::Type> getElementTypes();
    ::mlir::Operation *getSingleCombiner();
  }];
}

def ScanReturnOp : TT_Op<"scan.return", [Pure, HasParent<"ScanOp">, ReturnLike, Terminator]> {
  let summary = "end of the region of tt.scan";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def MapElementwiseOp : TT_Op<"map_elementwise", [SameOperandsAndResultShape, RecursiveMemoryEffects]> {
  let summary = "apply scalar code with control flow to each element";
  let description = [{
    The region runs on `pack` neighbouring elements at once: its arguments are the `pack` elements of the first operand,
    then those of the second and so on; it returns results in the same order.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region AnyRegion:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [Pure, HasParent<"MapElementwiseOp">, ReturnLike,
                                                              Terminator]> {
  let summary = "end of the region of tt.map_elementwise";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

def HistogramOp : TT_Op<"histogram", [
    Pure, OptionalTypesMatchWith<"mask is an i1 for each element of src", "src", "mask",
                                 "::mlir::triton::getI1SameShape($_self)">]> {
  let summary = "how often each of 0, 1, ... occurs";
  let arguments = (ins TT_IntTensor:$src, Optional<TT_BoolTensor>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "$src (`,` $mask^)? attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TRITON_REGION_OPS
