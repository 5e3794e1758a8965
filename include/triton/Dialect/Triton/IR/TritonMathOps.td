#ifndef TRITON_MATH_OPS
#define TRITON_MATH_OPS

// Elementwise operations and dots that arith and math lack.

include "triton/Dialect/Triton/IR/TritonOpBase.td"
include "mlir/Interfaces/InferIntRangeInterface.td"

def FpToFpOp : TT_Op<"fp_to_fp", [Pure, Elementwise, TT_SameShape<"src", "result">]> {
  let summary = "convert between float formats, including 8-bit ones";
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingModeAttr>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let builders = [
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$src), [{
      build($_builder, $_state, result, src, RoundingModeAttr());
    }]>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ClampFOp : TT_Op<"clampf", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "min(max(x, min), max)";
  let description = [{
    With `propagateNan = all` a NaN in x gives NaN, with `none` it gives one of the bounds. Behaviour is undefined when
    a bound is NaN.
  }];
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNanAttr:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}

def PreciseSqrtOp : TT_Op<"precise_sqrt", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "square root, rounded to nearest even";
  let arguments = (ins TT_FloatLike:$x);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def PreciseDivFOp : TT_Op<"precise_divf", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "quotient, rounded to nearest even";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$y);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def MulhiUIOp : TT_Op<"mulhiui", [Pure, Commutative, Elementwise, SameOperandsAndResultType]> {
  let summary = "upper half of the unsigned product";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

//===------------------------------------------------------------------------------------------------------===//
// Dots
//===------------------------------------------------------------------------------------------------------===//

def DotOp : TT_Op<"dot", [Pure, AllTypesMatch<["c", "d"]>]> {
  let summary = "d = a * b + c for matrices, or batches of matrices";
  let description = [{
    a is MxK, b is KxN, c and d are MxN, each with the same leading batch dimension when the rank is 3.
    `maxNumImpreciseAcc` limits how many products an 8-bit float dot may add in less than f32 precision.
  }];
  let arguments = (ins TT_NumberTensor:$a, TT_NumberTensor:$b, TT_NumberTensor:$c,
                       DefaultValuedAttr<TT_InputPrecisionAttr, "::mlir::triton::InputPrecision::IEEE">:$inputPrecision,
                       DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_NumberTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict
    `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def DotScaledOp : TT_Op<"dot_scaled", [Pure, AttrSizedOperandSegments, AllTypesMatch<["c", "d"]>]> {
  let summary = "dot of operands in a microscaling format, each block of 32 elements along K with its own scale";
  let description = [{
    Scales are 8-bit exponents with shape MxK/32 and NxK/32. Two elements of `e2m1` share a byte along K
    (`lhs_k_pack`, `rhs_k_pack`), else along M or N.
  }];
  let arguments = (ins TT_NumberTensor:$a, TT_NumberTensor:$b, TT_FloatTensor:$c,
                       Optional<TT_NumberTensor>:$a_scale, Optional<TT_NumberTensor>:$b_scale,
                       TT_ScaleDotElemTypeAttr:$a_elem_type, TT_ScaleDotElemTypeAttr:$b_elem_type,
                       BoolAttr:$fastMath, DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack,
                       DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let assemblyFormat = [{
    $a (`scale` $a_scale^)? `,` $b (`scale` $b_scale^)? `,` $c
    `lhs` `=` $a_elem_type `rhs` `=` $b_elem_type attr-dict
    `:` type($a) (`,` type($a_scale)^)? `*` type($b) (`,` type($b_scale)^)? `->` type($d)
  }];
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------------------------------------===//
// Foreign code
//===------------------------------------------------------------------------------------------------------===//

def ExternElementwiseOp : TT_Op<"extern_elementwise", [Elementwise, SameOperandsAndResultShape,
                                                       DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                                       ConditionallySpeculatable]> {
  let summary = "call a scalar function of a library on each element";
  let arguments = (ins Variadic<TT_NumberOrPtrLike>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol,
                       BoolAttr:$pure);
  let results = (outs TT_NumberOrPtrLike:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

def ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", [
    Elementwise, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, ConditionallySpeculatable]> {
  let summary = "inline assembly on each group of `packed_element` elements";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_NumberOrPtrLike>:$args);
  let results = (outs Variadic<TT_NumberOrPtrLike>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Speculation::Speculatability getSpeculatability() {
      return getPure() ? ::mlir::Speculation::Speculatable : ::mlir::Speculation::NotSpeculatable;
    }
  }];
}

#endif // TRITON_MATH_OPS
