#ifndef FULL_OPS
#define FULL_OPS

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Full_Dialect : Dialect {
  let name = "full";
  let cppNamespace = "::full";
  let summary = "Instructions of the device full that TTIR has no operations for";
}

def Full_Float : AnyTypeOf<[F16, F32, F64, RankedTensorOf<[F16, F32, F64]>], "number or block of numbers">;

def SaturateOp : Op<Full_Dialect, "saturate", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "the nearest number in an interval";
  let description = [{
    The interval is low..high, both included; low must not be above high, and neither may be NaN. NaN becomes low. The
    bounds are rounded to the type of x.
  }];
  let arguments = (ins Full_Float:$x, F64Attr:$low, F64Attr:$high);
  let results = (outs Full_Float:$result);
  let assemblyFormat = "$x `in` `[` $low `,` $high `]` attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif // FULL_OPS
