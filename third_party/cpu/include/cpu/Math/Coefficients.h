//===- Coefficients.h - polynomials of math functions -----------*- C++ -*-===//
//
// Written by third_party/cpu/tools/fit_math.py. Do not edit.
// clang-format off
//===----------------------------------------------------------------------===//

#ifndef TRITON_CPU_MATH_COEFFICIENTS_H
#define TRITON_CPU_MATH_COEFFICIENTS_H

namespace mlir::triton::cpu {

/// exp(r) = 1 + r + r^2 P(r) for |r| <= ln(2)/2. Lowest power first.
inline constexpr float kExp[] = {
    0x1.fffffcp-2f, // 0.49999994
    0x1.555492p-3f, // 0.166665211
    0x1.5558bp-5f, // 0.0416682661
    0x1.12398ep-7f, // 0.00836867746
    0x1.6a4d6p-10f, // 0.00138207339
};

/// 2^r = 1 + r P(r) for |r| <= 1/2. Lowest power first.
inline constexpr float kExp2[] = {
    0x1.62e43p-1f, // 0.693147182
    0x1.ebfbdcp-3f, // 0.240226477
    0x1.c6af7ap-5f, // 0.0555035956
    0x1.3b2ddap-7f, // 0.00961850304
    0x1.5f0976p-10f, // 0.00133909972
    0x1.417284p-13f, // 0.00015327803
};

/// log(1 + r) = r - r^2/2 + r^3 P(r) for 2/3 <= 1 + r <= 4/3. Lowest power first.
inline constexpr float kLog[] = {
    0x1.555506p-2f, // 0.333332151
    -0x1.fffefap-3f, // -0.249998048
    0x1.99d05cp-3f, // 0.200104445
    -0x1.559c2ep-3f, // -0.166801795
    0x1.1ed452p-3f, // 0.140053406
    -0x1.f33c72p-4f, // -0.121883817
    0x1.1e72ap-3f, // 0.139867067
    -0x1.07aa38p-3f, // -0.128742635
};

/// log2(1 + r) = r/ln(2) + r^2 P(r) for 2/3 <= 1 + r <= 4/3. Lowest power first.
inline constexpr float kLog2[] = {
    -0x1.715476p-1f, // -0.721347511
    0x1.ec703p-2f, // 0.480896711
    -0x1.7153ep-2f, // -0.36067152
    0x1.279d7p-2f, // 0.288686514
    -0x1.ecd0b6p-3f, // -0.24063246
    0x1.9de5bap-3f, // 0.202098325
    -0x1.685292p-3f, // -0.17593874
    0x1.9cddeep-3f, // 0.201595172
    -0x1.7bcb64p-3f, // -0.185446531
};

/// erf(x) = x + x P(x^2) for |x| <= 1. Lowest power first.
inline constexpr float kErfSmall[] = {
    0x1.06eba2p-3f, // 0.128379121
    -0x1.812672p-2f, // -0.37612322
    0x1.ce08f6p-4f, // 0.112801515
    -0x1.b5a038p-6f, // -0.0267105624
    0x1.4238b8p-8f, // 0.00491671078
    -0x1.271218p-11f, // -0.000562802656
};

/// erf(x) = 1 - 2^P(x) for 1 <= x <= 4. Lowest power first.
inline constexpr float kErfLarge[] = {
    -0x1.ee6b72p-9f, // -0.00377212302
    -0x1.9cc6d2p+0f, // -1.61240876
    -0x1.e33ef4p-1f, // -0.943839669
    -0x1.0668ecp-3f, // -0.12812981
    0x1.5eae08p-6f, // 0.021403797
    -0x1.b5d8cep-10f, // -0.00167025335
};

/// 2^r = 1 + r P(r) for |r| <= 1/2, for erf: 2^P(x) is at most 0.16 there. Lowest power first.
inline constexpr float kErfExp2[] = {
    0x1.62e42ap-1f, // 0.693147004
    0x1.ebf9cp-3f, // 0.240222454
    0x1.c6b6d8p-5f, // 0.0555071086
    0x1.3ce986p-7f, // 0.00967139285
    0x1.5bdb9ep-10f, // 0.0013269725
};

/// tanh(x) = x + x^3 P(x^2) for |x| <= 5/8. Lowest power first.
inline constexpr float kTanh[] = {
    -0x1.555532p-2f, // -0.333332807
    0x1.1106fcp-3f, // 0.133314103
    -0x1.b8371p-5f, // -0.0537371933
    0x1.520582p-6f, // 0.020631196
    -0x1.755288p-8f, // -0.00569644757
};

} // namespace mlir::triton::cpu

#endif // TRITON_CPU_MATH_COEFFICIENTS_H
