//===- ir_ops.cc - Operations of the dialect tt in the builder ------------===//

#include "ir.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include <optional>
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;
namespace tt = mlir::triton;
using namespace triton_ir;

namespace {

/// The enumerator of that keyword; an error that names the enumeration if there
/// is none.
template <typename EnumTy> EnumTy keyword(const std::string &name) {
  std::optional<EnumTy> parsed = tt::symbolizeEnum<EnumTy>(name);
  if (!parsed)
    throw std::invalid_argument("'" + name + "' is not a keyword here");
  return *parsed;
}

mlir::Value orNull(const std::optional<mlir::Value> &value) {
  return value ? *value : mlir::Value();
}

void bindProgram(BuilderClass &builder) {
  builder
      .def("create_get_program_id",
           [](Builder &self, int axis) -> mlir::Value {
             return self.create<tt::GetProgramIdOp>(axis);
           })
      .def("create_get_num_programs",
           [](Builder &self, int axis) -> mlir::Value {
             return self.create<tt::GetNumProgramsOp>(axis);
           })
      .def("create_print",
           [](Builder &self, const std::string &prefix, bool hex,
              const std::vector<mlir::Value> &values,
              const std::vector<int32_t> &isSigned) {
             self.create<tt::PrintOp>(prefix, hex, values, isSigned);
           })
      .def("create_assert", [](Builder &self, mlir::Value &condition,
                               const std::string &message) {
        self.create<tt::AssertOp>(condition, message);
      });
}

void bindShape(BuilderClass &builder) {
  builder
      .def("create_make_range",
           [](Builder &self, int start, int end) -> mlir::Value {
             return self.create<tt::MakeRangeOp>(start, end);
           })
      .def("create_splat",
           [](Builder &self, mlir::Value &scalar,
              const std::vector<int64_t> &shape) -> mlir::Value {
             return self.create<tt::SplatOp>(shape, scalar);
           })
      .def("create_unsplat",
           [](Builder &self, mlir::Value &block) -> mlir::Value {
             return self.create<tt::UnsplatOp>(block);
           })
      .def("create_expand_dims",
           [](Builder &self, mlir::Value &block, int axis) -> mlir::Value {
             return self.create<tt::ExpandDimsOp>(block, axis);
           })
      .def("create_broadcast",
           [](Builder &self, mlir::Value &block,
              const std::vector<int64_t> &shape) -> mlir::Value {
             return self.create<tt::BroadcastOp>(shape, block);
           })
      .def("create_reshape",
           [](Builder &self, mlir::Value &block,
              const std::vector<int64_t> &shape,
              bool allowReorder) -> mlir::Value {
             return self.create<tt::ReshapeOp>(shape, block, allowReorder);
           })
      .def("create_trans",
           [](Builder &self, mlir::Value &block,
              const std::vector<int32_t> &order) -> mlir::Value {
             return self.create<tt::TransOp>(block, order);
           })
      .def("create_cat",
           [](Builder &self, mlir::Value &lhs, mlir::Value &rhs,
              mlir::Type &type) -> mlir::Value {
             return self.create<tt::CatOp>(type, lhs, rhs);
           })
      .def(
          "create_join",
          [](Builder &self, mlir::Value &lhs, mlir::Value &rhs) -> mlir::Value {
            return self.create<tt::JoinOp>(lhs, rhs);
          })
      .def("create_split",
           [](Builder &self, mlir::Value &block) {
             auto op = self.create<tt::SplitOp>(block);
             return std::vector<mlir::Value>{op.getOutLHS(), op.getOutRHS()};
           })
      .def("create_gather",
           [](Builder &self, mlir::Value &source, mlir::Value &indices,
              int axis) -> mlir::Value {
             return self.create<tt::GatherOp>(source, indices, axis);
           })
      .def("create_histogram",
           [](Builder &self, mlir::Value &source, mlir::Type &type,
              const std::optional<mlir::Value> &mask) -> mlir::Value {
             return self.create<tt::HistogramOp>(type, source, orNull(mask));
           });
}

void bindMemory(BuilderClass &builder) {
  builder
      .def("create_addptr",
           [](Builder &self, mlir::Value &ptr,
              mlir::Value &offset) -> mlir::Value {
             return self.create<tt::AddPtrOp>(ptr.getType(), ptr, offset);
           })
      .def("create_load",
           [](Builder &self, mlir::Value &ptr,
              const std::optional<mlir::Value> &mask,
              const std::optional<mlir::Value> &other, const std::string &cache,
              const std::string &evict, bool isVolatile) -> mlir::Value {
             return self.create<tt::LoadOp>(ptr, orNull(mask), orNull(other),
                                            keyword<tt::CacheModifier>(cache),
                                            keyword<tt::EvictionPolicy>(evict),
                                            isVolatile);
           })
      .def("create_store",
           [](Builder &self, mlir::Value &ptr, mlir::Value &value,
              const std::optional<mlir::Value> &mask, const std::string &cache,
              const std::string &evict) {
             self.create<tt::StoreOp>(ptr, value, orNull(mask),
                                      keyword<tt::CacheModifier>(cache),
                                      keyword<tt::EvictionPolicy>(evict));
           })
      .def("create_atomic_rmw",
           [](Builder &self, const std::string &op, mlir::Value &ptr,
              mlir::Value &value, const std::optional<mlir::Value> &mask,
              const std::string &sem, const std::string &scope) -> mlir::Value {
             return self.create<tt::AtomicRMWOp>(
                 value.getType(), keyword<tt::RMWOp>(op), ptr, value,
                 orNull(mask), keyword<tt::MemSemantic>(sem),
                 keyword<tt::MemSyncScope>(scope));
           })
      .def("create_atomic_cas",
           [](Builder &self, mlir::Value &ptr, mlir::Value &expected,
              mlir::Value &value, const std::string &sem,
              const std::string &scope) -> mlir::Value {
             return self.create<tt::AtomicCASOp>(
                 value.getType(), ptr, expected, value,
                 keyword<tt::MemSemantic>(sem),
                 keyword<tt::MemSyncScope>(scope));
           });
}

void bindMath(BuilderClass &builder) {
  builder
      .def("create_fp_to_fp",
           [](Builder &self, mlir::Value &source, mlir::Type &type,
              const std::optional<std::string> &rounding) -> mlir::Value {
             tt::RoundingModeAttr mode;
             if (rounding)
               mode = tt::RoundingModeAttr::get(
                   self.getContext(), keyword<tt::RoundingMode>(*rounding));
             return self.create<tt::FpToFpOp>(type, source, mode);
           })
      .def("create_clampf",
           [](Builder &self, mlir::Value &x, mlir::Value &low,
              mlir::Value &high,
              const std::string &propagateNan) -> mlir::Value {
             return self.create<tt::ClampFOp>(
                 x.getType(), x, low, high,
                 keyword<tt::PropagateNan>(propagateNan));
           })
      .def("create_dot",
           [](Builder &self, mlir::Value &a, mlir::Value &b, mlir::Value &c,
              const std::string &precision,
              int maxImpreciseAcc) -> mlir::Value {
             return self.create<tt::DotOp>(
                 c.getType(), a, b, c, keyword<tt::InputPrecision>(precision),
                 maxImpreciseAcc);
           })
      .def("create_dot_scaled",
           [](Builder &self, mlir::Value &a,
              const std::optional<mlir::Value> &aScale,
              const std::string &aFormat, mlir::Value &b,
              const std::optional<mlir::Value> &bScale,
              const std::string &bFormat, mlir::Value &c, bool fastMath,
              bool lhsKPack, bool rhsKPack) -> mlir::Value {
             return self.create<tt::DotScaledOp>(
                 c.getType(), a, b, c, orNull(aScale), orNull(bScale),
                 keyword<tt::ScaleDotElemType>(aFormat),
                 keyword<tt::ScaleDotElemType>(bFormat), fastMath, lhsKPack,
                 rhsKPack);
           })
      .def("create_extern_elementwise",
           [](Builder &self, const std::string &libName,
              const std::string &libPath, const std::string &symbol,
              const std::vector<mlir::Value> &args, mlir::Type &type,
              bool isPure) -> mlir::Value {
             return self.create<tt::ExternElementwiseOp>(
                 type, args, libName, libPath, symbol, isPure);
           })
      .def("create_inline_asm",
           [](Builder &self, const std::string &assembly,
              const std::string &constraints,
              const std::vector<mlir::Value> &args,
              const std::vector<mlir::Type> &types, bool isPure, int pack) {
             auto op = self.create<tt::ElementwiseInlineAsmOp>(
                 types, assembly, constraints, isPure, pack, args);
             return std::vector<mlir::Value>(op.getResults().begin(),
                                             op.getResults().end());
           });
}

/// Fills the region of a reduction or scan with one block: `groups` arguments
/// per operand, of the operand's element type.
mlir::Operation *withRegion(mlir::Operation *op, unsigned groups) {
  mlir::Block *block = new mlir::Block();
  op->getRegion(0).push_back(block);
  for (unsigned group = 0; group < groups; ++group)
    for (mlir::Value operand : op->getOperands())
      block->addArgument(mlir::getElementTypeOrSelf(operand.getType()),
                         op->getLoc());
  return op;
}

void bindRegionOps(BuilderClass &builder) {
  builder
      .def(
          "create_reduce",
          [](Builder &self, const std::vector<mlir::Value> &operands,
             int axis) {
            return withRegion(self.create<tt::ReduceOp>(operands, axis), 2);
          },
          py::return_value_policy::reference)
      .def("create_reduce_ret",
           [](Builder &self, const std::vector<mlir::Value> &values) {
             self.create<tt::ReduceReturnOp>(values);
           })
      .def(
          "create_scan",
          [](Builder &self, const std::vector<mlir::Value> &operands, int axis,
             bool reverse) {
            return withRegion(self.create<tt::ScanOp>(operands, axis, reverse),
                              2);
          },
          py::return_value_policy::reference)
      .def("create_scan_ret",
           [](Builder &self, const std::vector<mlir::Value> &values) {
             self.create<tt::ScanReturnOp>(values);
           })
      .def(
          "create_map_elementwise",
          [](Builder &self, const std::vector<mlir::Value> &operands,
             const std::vector<mlir::Type> &types, int pack) {
            mlir::Operation *op =
                self.create<tt::MapElementwiseOp>(types, operands, pack);
            mlir::Block *block = new mlir::Block();
            op->getRegion(0).push_back(block);
            for (mlir::Value operand : operands)
              for (int i = 0; i < pack; ++i)
                block->addArgument(
                    mlir::getElementTypeOrSelf(operand.getType()), self.loc);
            return op;
          },
          py::return_value_policy::reference)
      .def("create_map_elementwise_ret",
           [](Builder &self, const std::vector<mlir::Value> &values) {
             self.create<tt::MapElementwiseReturnOp>(values);
           });
}

} // namespace

void triton_ir::bindBuilderOps(BuilderClass &builder) {
  bindProgram(builder);
  bindShape(builder);
  bindMemory(builder);
  bindMath(builder);
  bindRegionOps(builder);
}
