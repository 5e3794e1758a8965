#ifndef TRITON_OP_BASE
#define TRITON_OP_BASE

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "triton/Dialect/Triton/IR/TritonAttrDefs.td"
include "triton/Dialect/Triton/IR/TritonDialect.td"
include "triton/Dialect/Triton/IR/TritonTypes.td"

// Memory that kernels share; loads, stores and atomics of any pointer touch it.
def GlobalMemory : Resource<"::mlir::triton::GlobalMemory">;

// Every tensor operand and result has a power-of-two number of elements in each dimension and at most
// `kMaxTensorNumElements` in all.
def TensorSizeTrait : NativeOpTrait<"TensorSizeTrait"> {
  let cppNamespace = "::mlir::triton";
}

class TT_Op<string mnemonic, list<Trait> traits = []>
    : Op<Triton_Dialect, mnemonic, !listconcat(traits, [TensorSizeTrait])>;

// Both types are equal except for the element type.
class TT_SameShape<string a, string b>
    : PredOpTrait<a # " and " # b # " have the same shape",
                  CPred<"::mlir::triton::haveSameShape($" # a # ".getType(), $" # b # ".getType())">>;

#endif // TRITON_OP_BASE
