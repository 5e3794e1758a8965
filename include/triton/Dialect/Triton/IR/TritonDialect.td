#ifndef TRITON_DIALECT
#define TRITON_DIALECT

include "mlir/IR/DialectBase.td"

def Triton_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::mlir::triton";
  let summary = "The Triton IR (TTIR): programs over blocks of values";
  let description = [{
    A TTIR function is what one program of a launch grid does. Values are scalars, pointers and builtin ranked
    tensors of them; a tensor of `!tt.ptr<T>` is a block of addresses. Arithmetic comes from `arith` and `math`,
    control flow from `scf`; this dialect adds what they lack: pointers, memory accesses, shape manipulation,
    reductions, dots and the position in the grid.
  }];

  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;

  let extraClassDeclaration = [{
    void registerTypes();
  }];
}

#endif // TRITON_DIALECT
