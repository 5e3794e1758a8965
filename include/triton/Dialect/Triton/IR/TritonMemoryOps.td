#ifndef TRITON_MEMORY_OPS
#define TRITON_MEMORY_OPS

// Pointers, loads, stores, atomics and block pointers.

include "triton/Dialect/Triton/IR/TritonOpBase.td"

class TT_PointeeOf<string ptr, string value>
    : TypesMatchWith<value # " is what " # ptr # " points to", ptr, value,
                     "::mlir::triton::getPointeeType($_self)">;
class TT_OptionalPointeeOf<string ptr, string value>
    : OptionalTypesMatchWith<value # " is what " # ptr # " points to", ptr, value,
                             "::mlir::triton::getPointeeType($_self)">;
class TT_OptionalMaskOf<string ptr, string mask>
    : OptionalTypesMatchWith<mask # " is an i1 for each element " # ptr # " points to", ptr, mask,
                             "::mlir::triton::getI1SameShape(::mlir::triton::getPointeeType($_self))">;

//===------------------------------------------------------------------------------------------------------===//
// Pointers
//===------------------------------------------------------------------------------------------------------===//

def AddPtrOp : TT_Op<"addptr", [Pure, Elementwise, AllTypesMatch<["ptr", "result"]>, TT_SameShape<"ptr", "offset">]> {
  let summary = "move pointers by a number of elements";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def IntToPtrOp : TT_Op<"int_to_ptr", [Pure, Elementwise, TT_SameShape<"src", "result">]> {
  let summary = "address as pointer";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def PtrToIntOp : TT_Op<"ptr_to_int", [Pure, Elementwise, TT_SameShape<"src", "result">]> {
  let summary = "pointer as address";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def BitcastOp : TT_Op<"bitcast", [Pure, Elementwise, TT_SameShape<"src", "result">]> {
  let summary = "the same bits as another type of the same width, or another pointee";
  let arguments = (ins TT_NumberOrPtrLike:$src);
  let results = (outs TT_NumberOrPtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===------------------------------------------------------------------------------------------------------===//
// Loads and stores
//===------------------------------------------------------------------------------------------------------===//

def LoadOp : TT_Op<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                            TT_PointeeOf<"ptr", "result">, TT_OptionalMaskOf<"ptr", "mask">,
                            TT_OptionalPointeeOf<"ptr", "other">]> {
  let summary = "read through pointers";
  let description = [{
    Elements whose mask is false are not read: they are `other` where it is given and undefined otherwise. A block
    pointer takes no mask; dimensions in `boundaryCheck` are clipped to its shape and `padding` fills what is outside.
  }];
  let arguments = (ins TT_AnyPtr:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_NumberOrPtrLike>:$other,
                       DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
                       OptionalAttr<TT_PaddingOptionAttr>:$padding,
                       DefaultValuedAttr<TT_CacheModifierAttr, "::mlir::triton::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_NumberOrPtrLike:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask, CArg<"::mlir::Value", "{}">:$other,
                   CArg<"CacheModifier", "CacheModifier::NONE">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::NORMAL">:$evict,
                   CArg<"bool", "false">:$isVolatile,
                   CArg<"::llvm::ArrayRef<int32_t>", "{}">:$boundaryCheck,
                   CArg<"::std::optional<PaddingOption>", "::std::nullopt">:$padding)>
  ];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def StoreOp : TT_Op<"store", [MemoryEffects<[MemWrite<GlobalMemory>]>, TT_PointeeOf<"ptr", "value">,
                              TT_OptionalMaskOf<"ptr", "mask">]> {
  let summary = "write through pointers";
  let description = [{
    Elements whose mask is false are not written. A block pointer takes no mask; elements outside of its shape in the
    dimensions of `boundaryCheck` are not written.
  }];
  let arguments = (ins TT_AnyPtr:$ptr, TT_NumberOrPtrLike:$value, Optional<TT_BoolLike>:$mask,
                       DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
                       DefaultValuedAttr<TT_CacheModifierAttr, "::mlir::triton::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicyAttr, "::mlir::triton::EvictionPolicy::NORMAL">:$evict);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($ptr)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$ptr, "::mlir::Value":$value, CArg<"::mlir::Value", "{}">:$mask,
                   CArg<"CacheModifier", "CacheModifier::NONE">:$cache,
                   CArg<"EvictionPolicy", "EvictionPolicy::NORMAL">:$evict,
                   CArg<"::llvm::ArrayRef<int32_t>", "{}">:$boundaryCheck)>
  ];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===------------------------------------------------------------------------------------------------------===//
// Atomics
//===------------------------------------------------------------------------------------------------------===//

def AtomicRMWOp : TT_Op<"atomic_rmw", [MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>,
                                       AllTypesMatch<["val", "result"]>, TT_PointeeOf<"ptr", "val">,
                                       TT_OptionalMaskOf<"ptr", "mask">]> {
  let summary = "combine a value with memory atomically and return the old value";
  let arguments = (ins TT_RMWOpAttr:$atomic_rmw_op, TT_PtrLike:$ptr, TT_NumberOrPtrLike:$val,
                       Optional<TT_BoolLike>:$mask, TT_MemSemanticAttr:$sem, TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_NumberOrPtrLike:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict
    `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def AtomicCASOp : TT_Op<"atomic_cas", [MemoryEffects<[MemRead<GlobalMemory>, MemWrite<GlobalMemory>]>,
                                       AllTypesMatch<["cmp", "val", "result"]>, TT_PointeeOf<"ptr", "cmp">]> {
  let summary = "store a value where memory equals `cmp` and return the old value";
  let arguments = (ins TT_PtrLike:$ptr, TT_NumberOrPtrLike:$cmp, TT_NumberOrPtrLike:$val, TT_MemSemanticAttr:$sem,
                       TT_MemSyncScopeAttr:$scope);
  let results = (outs TT_NumberOrPtrLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------------------------------------===//
// Block pointers
//===------------------------------------------------------------------------------------------------------===//

def MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [
    Pure, SameVariadicOperandSize,
    TypesMatchWith<"base points to the element type of the block", "result", "base",
                   "::mlir::triton::getElementPointerOfTensorPointer($_self)">]> {
  let summary = "pointer to a block inside of a strided tensor";
  let description = [{
    `shape`, `strides` and `offsets` have one entry for each dimension of the block and count elements. `order` lists
    dimensions from the one that varies fastest in memory.
  }];
  let arguments = (ins TT_ScalarPtr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:` type($result)
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$base, "::mlir::ValueRange":$shape, "::mlir::ValueRange":$strides,
                   "::mlir::ValueRange":$offsets, "::llvm::ArrayRef<int32_t>":$blockShape,
                   "::llvm::ArrayRef<int32_t>":$order)>
  ];
  let hasVerifier = 1;
}

def AdvanceOp : TT_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "add to the offsets of a block pointer";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TRITON_MEMORY_OPS
