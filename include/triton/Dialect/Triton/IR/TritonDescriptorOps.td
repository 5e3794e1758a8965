#ifndef TRITON_DESCRIPTOR_OPS
#define TRITON_DESCRIPTOR_OPS

// Tensor descriptors: block accesses with bounds, by coordinates.

include "triton/Dialect/Triton/IR/TritonOpBase.td"

def MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [
    Pure, SameVariadicOperandSize,
    TypesMatchWith<"base points to the element type of the block", "result", "base",
                   "::mlir::triton::getElementPointerOfDescriptor($_self)">]> {
  let summary = "describe a strided tensor and the block that accesses to it move";
  let arguments = (ins TT_ScalarPtr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOptionAttr, "::mlir::triton::PaddingOption::PAD_ZERO">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
                   "::llvm::ArrayRef<int32_t>":$blockShape, "bool":$isSignedInteger,
                   CArg<"PaddingOption", "PaddingOption::PAD_ZERO">:$padding)>
  ];
  let hasVerifier = 1;
}

def DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead<GlobalMemory>]>]> {
  let summary = "read the block at the given coordinates; elements outside of the tensor are the padding";
  let arguments = (ins TT_TensorDesc:$desc, Variadic<I32>:$indices,
                       DefaultValuedAttr<TT_CacheModifierAttr, "::mlir::triton::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $desc `[` $indices `]` oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$desc, "::mlir::ValueRange":$indices), [{
      auto type = ::llvm::cast<TensorDescType>(desc.getType()).getSignlessBlockType();
      build($_builder, $_state, type, desc, indices, CacheModifier::NONE, EvictionPolicy::NORMAL);
    }]>
  ];
  let hasVerifier = 1;
}

def DescriptorStoreOp : TT_Op<"descriptor_store", [MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let summary = "write the block at the given coordinates; elements outside of the tensor are dropped";
  let arguments = (ins TT_TensorDesc:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = [{
    $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def DescriptorReduceOp : TT_Op<"descriptor_reduce", [MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>]> {
  let summary = "combine a block atomically, element by element, with the one at the given coordinates";
  let arguments = (ins TT_DescriptorReduceKindAttr:$kind, TT_TensorDesc:$desc, TT_Tensor:$src,
                       Variadic<I32>:$indices);
  let assemblyFormat = [{
    $kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)
  }];
  let hasVerifier = 1;
}

def DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead<GlobalMemory>]>]> {
  let summary = "read the given rows of a matrix, from column `y_offset` on";
  let arguments = (ins TT_TensorDesc:$desc, TT_IntTensor:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def DescriptorScatterOp : TT_Op<"descriptor_scatter", [MemoryEffects<[MemWrite<GlobalMemory>]>]> {
  let summary = "write the given rows of a matrix, from column `y_offset` on";
  let arguments = (ins TT_TensorDesc:$desc, TT_IntTensor:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` type(operands)";
  let hasVerifier = 1;
}

#endif // TRITON_DESCRIPTOR_OPS
