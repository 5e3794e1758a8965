#ifndef TRITON_TYPES
#define TRITON_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "triton/Dialect/Triton/IR/TritonDialect.td"

class TT_TypeDef<string name, string typeMnemonic> : TypeDef<Triton_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def TT_PointerTypeDef : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "address of a value, or of a block of values";
  let description = [{
    `!tt.ptr<f32>` points to a scalar in address space 1 (global memory); any other address space is written as
    `!tt.ptr<f32, 3>`. `!tt.ptr<tensor<32x32xf32>>` is a block pointer, see `tt.make_tensor_ptr`.
    The spellings `"global"` and `"constant"` of later Triton versions are read as address space 1.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, "int":$addressSpace);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
      return $_get(pointeeType.getContext(), pointeeType, addressSpace);
    }]>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDescTypeDef : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "descriptor of a tensor in memory that is accessed block by block";
  let description = [{
    `!tt.tensordesc<tensor<8x8xf32>>`; the parameter is the block that one access moves. The shorter spelling
    `!tt.tensordesc<8x8xf32>` of later Triton versions is read as well.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let builders = [
    TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$blockType), [{
      return $_get(blockType.getContext(), blockType);
    }]>
  ];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The block with its element type made signless: the type that loads return.
    ::mlir::RankedTensorType getSignlessBlockType() const;
  }];
}

//===------------------------------------------------------------------------------------------------------===//
// Constraints
//===------------------------------------------------------------------------------------------------------===//

def TT_ScalarPtr : Type<CPred<"::mlir::triton::isScalarPointer($_self)">, "pointer to a scalar",
                        "::mlir::triton::PointerType">;
def TT_TensorPtr : Type<CPred<"::mlir::triton::isTensorPointerType($_self)">, "pointer to a block",
                        "::mlir::triton::PointerType">;
def TT_PtrLike : Type<CPred<"::mlir::triton::isScalarPointer(::mlir::getElementTypeOrSelf($_self))">,
                      "pointer to a scalar or tensor of such pointers">;
def TT_AnyPtr : Type<Or<[TT_PtrLike.predicate, TT_TensorPtr.predicate]>,
                     "pointer to a scalar, tensor of such pointers, or pointer to a block">;
def TT_TensorDesc : Type<CPred<"::llvm::isa<::mlir::triton::TensorDescType>($_self)">, "tensor descriptor",
                         "::mlir::triton::TensorDescType">;

def TT_Float : Type<CPred<"::llvm::isa<::mlir::FloatType>($_self)">, "float">;
def TT_Int : Type<CPred<"$_self.isSignlessInteger()">, "signless integer">;

def TT_FloatLike : Type<CPred<"::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf($_self))">,
                        "float or tensor of floats">;
def TT_IntLike : Type<CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger()">,
                      "integer or tensor of integers">;
def TT_BoolLike : Type<CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(1)">,
                       "i1 or tensor of i1">;
def TT_I64Like : Type<CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(64)">,
                      "i64 or tensor of i64">;
def TT_F32Like : Type<CPred<"::mlir::getElementTypeOrSelf($_self).isF32()">, "f32 or tensor of f32">;

class TT_TensorWhere<Pred elementPred, string what>
    : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">, elementPred]>,
           "static ranked tensor" # what, "::mlir::RankedTensorType">;

def TT_Tensor : TT_TensorWhere<CPred<"true">, "">;
def TT_FloatTensor : TT_TensorWhere<CPred<"::llvm::isa<::mlir::FloatType>(::mlir::getElementTypeOrSelf($_self))">,
                                    " of floats">;
def TT_IntTensor : TT_TensorWhere<CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger()">,
                                  " of integers">;
def TT_BoolTensor : TT_TensorWhere<CPred<"::mlir::getElementTypeOrSelf($_self).isSignlessInteger(1)">,
                                   " of i1">;
def TT_NumberTensor : TT_TensorWhere<Or<[TT_FloatTensor.predicate, TT_IntTensor.predicate]>,
                                     " of numbers">;

// What a scalar may be: a number or a pointer of any kind.
def TT_Scalar : Type<Or<[TT_Float.predicate, TT_Int.predicate, TT_ScalarPtr.predicate]>,
                     "number or pointer">;
def TT_Any : Type<Or<[TT_FloatLike.predicate, TT_IntLike.predicate, TT_AnyPtr.predicate,
                      TT_TensorDesc.predicate]>,
                  "number, pointer, descriptor, or tensor of numbers or pointers">;
def TT_NumberOrPtrLike : Type<Or<[TT_FloatLike.predicate, TT_IntLike.predicate, TT_PtrLike.predicate]>,
                              "number, pointer, or tensor of these">;

#endif // TRITON_TYPES
