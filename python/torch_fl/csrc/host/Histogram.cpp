//===- Histogram.cpp - histograms of integers -----------------------------===//
//
// `histc` counts integers on every accelerator, and the CPU has it for floating
// point only. Models rely on it: a mixture of experts counts its tokens so on
// every device that is not called "cpu".
//
//===----------------------------------------------------------------------===//
#include "../Retag.h"
#include "HostParts.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/histc.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <algorithm>

namespace torch_fl {
namespace {

using at::Scalar;
using at::Tensor;

/// The closed interval that is divided into bins.
struct Interval {
  int64_t first, last;

  bool has(int64_t value) const { return first <= value && value <= last; }

  /// The bin of a value in the interval, without rounding and overflow.
  int64_t bin(int64_t value, int64_t bins) const {
    auto distance = static_cast<__int128>(value) - first;
    auto length = static_cast<__int128>(last) - first;
    auto bin = static_cast<int64_t>(distance * bins / length);
    return std::min(bin, bins - 1);
  }
};

/// Equal limits stand for those of the values, and a single value for the
/// numbers beside it, too.
Interval intervalOf(const Tensor &values, const Scalar &first,
                    const Scalar &last) {
  Interval given{first.to<int64_t>(), last.to<int64_t>()};
  TORCH_CHECK(given.first <= given.last, "histc: expected min <= max, got min ",
              given.first, " and max ", given.last);
  if (given.first == given.last && values.numel() > 0)
    given = {values.min().item<int64_t>(), values.max().item<int64_t>()};
  if (given.first == given.last)
    given = {given.first - 1, given.last + 1};
  return given;
}

/// How many of `values`, integers of the CPU, are in each bin, in their type.
Tensor count(const Tensor &values, int64_t bins, const Scalar &first,
             const Scalar &last) {
  TORCH_CHECK(bins > 0, "histc: expected at least one bin, got bins=", bins);
  auto wide = values.to(at::kLong).contiguous();
  auto interval = intervalOf(wide, first, last);
  auto counts = at::zeros({bins}, wide.options());
  auto *into = counts.mutable_data_ptr<int64_t>();
  const auto *data = wide.const_data_ptr<int64_t>();
  for (int64_t i = 0; i < wide.numel(); ++i)
    if (interval.has(data[i]))
      ++into[interval.bin(data[i], bins)];
  return counts.to(values.scalar_type());
}

Tensor histogram(const Tensor &self, int64_t bins, const Scalar &first,
                 const Scalar &last) {
  at::AutoDispatchBelowADInplaceOrView belowAutograd;
  Retagger call;
  auto values = call.toBacking(self);
  bool counts = c10::isIntegralType(values.scalar_type(), false);
  return call.toFlagos(counts ? count(values, bins, first, last)
                              : at::histc(values, bins, first, last));
}

Tensor &histogramInto(const Tensor &self, int64_t bins, const Scalar &first,
                      const Scalar &last, Tensor &out) {
  auto result = histogram(self, bins, first, last);
  TORCH_CHECK(out.scalar_type() == result.scalar_type(),
              "histc: expected out of type ", result.scalar_type(), ", got ",
              out.scalar_type());
  out.resize_(result.sizes());
  return out.copy_(result);
}

} // namespace

void registerHostHistogram() {
  static torch::Library library(torch::Library::IMPL, "aten",
                                c10::DispatchKey::PrivateUse1, __FILE__,
                                __LINE__);
  library.impl("histc", TORCH_FN(histogram));
  library.impl("histc.out", TORCH_FN(histogramInto));
}

} // namespace torch_fl
