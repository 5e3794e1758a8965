#ifndef TRITON_SHAPE_OPS
#define TRITON_SHAPE_OPS

// Creating blocks and rearranging their elements. None of these computes a new value, except `tt.make_range`.

include "triton/Dialect/Triton/IR/TritonOpBase.td"

def MakeRangeOp : TT_Op<"make_range", [Pure]> {
  let summary = "the integers start, start + 1, ... end - 1";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let builders = [
    OpBuilder<(ins "int32_t":$start, "int32_t":$end), [{
      auto type = ::mlir::RankedTensorType::get({int64_t(end) - start}, $_builder.getI32Type());
      build($_builder, $_state, type, start, end);
    }]>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def SplatOp : TT_Op<"splat", [Pure, SameOperandsAndResultElementType]> {
  let summary = "block with the same scalar everywhere";
  let arguments = (ins TT_Scalar:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src), [{
      build($_builder, $_state, ::mlir::RankedTensorType::get(shape, src.getType()), src);
    }]>
  ];
  let hasFolder = 1;
}

def UnsplatOp : TT_Op<"unsplat", [Pure, TypesMatchWith<"result is the element type of the operand", "src", "result",
                                                       "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "the scalar in a block of one element";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ExpandDimsOp : TT_Op<"expand_dims", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "insert a dimension of size 1 before position `axis`";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def BroadcastOp : TT_Op<"broadcast", [Pure, SameOperandsAndResultElementType]> {
  let summary = "repeat a block along its dimensions of size 1";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src), [{
      auto element = ::mlir::getElementTypeOrSelf(src.getType());
      build($_builder, $_state, ::mlir::RankedTensorType::get(shape, element), src);
    }]>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def ReshapeOp : TT_Op<"reshape", [Pure, SameOperandsAndResultElementType]> {
  let summary = "the same elements in another shape";
  let description = [{
    Row-major order of the elements is kept, unless `allow_reorder` is present: then any order will do.
    `efficient_layout` is a hint for layout assignment on GPUs.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Value":$src,
                   CArg<"bool", "false">:$allowReorder), [{
      auto element = ::mlir::getElementTypeOrSelf(src.getType());
      build($_builder, $_state, ::mlir::RankedTensorType::get(shape, element), src, allowReorder,
            /*efficient_layout=*/false);
    }]>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TransOp : TT_Op<"trans", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "permute dimensions: dimension i of the result is dimension order[i] of the operand";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def CatOp : TT_Op<"cat", [Pure, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "concatenate two blocks along the first dimension, the order of elements is not specified";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def JoinOp : TT_Op<"join", [Pure, SameTypeOperands, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "two blocks side by side in a new last dimension of size 2";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
}

def SplitOp : TT_Op<"split", [Pure, AllTypesMatch<["outLHS", "outRHS"]>,
                              DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the two halves of a block along its last dimension, which has size 2";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$outLHS, TT_Tensor:$outRHS);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($outLHS)";
  let hasFolder = 1;
}

def GatherOp : TT_Op<"gather", [Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "result[.., i, ..] = src[.., indices[.., i, ..], ..] with i along `axis`";
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$indices, "int32_t":$axis), [{
      build($_builder, $_state, src, indices, $_builder.getI32IntegerAttr(axis), ::mlir::UnitAttr());
    }]>
  ];
  let hasVerifier = 1;
}

#endif // TRITON_SHAPE_OPS
