//===- EmitRemainder.cpp - quotients of neighbouring indices ----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Kernels with one index for several dimensions take it apart: `i % 768` is the
// column and `i / 768` the row. A vector that starts at a multiple of its width
// does not reach across a row whose length is one, too: its rows are all the
// same and its columns are neighbours. Memory is read as a vector then, where
// otherwise each lane has an address of its own.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

static std::optional<int64_t> constantValue(Value v) {
  APInt c;
  if (!v || !matchPattern(v, m_ConstantInt(&c)) || c.getBitWidth() > 64)
    return std::nullopt;
  return c.getSExtValue();
}

/// The loop that counts `v`, if one does.
static scf::ForOp countingLoop(Value v) {
  auto arg = dyn_cast<BlockArgument>(v);
  auto loop =
      arg ? dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp()) : scf::ForOp();
  return loop && loop.getInductionVar() == v ? loop : scf::ForOp();
}

static bool isCast(Operation *op) {
  return isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op);
}

/// Is `v` known to be a multiple of `factor`, a power of two? Wrapping changes
/// nothing about it.
bool Emitter::isMultiple(Value v, int64_t factor, int &budget) const {
  if (--budget < 0)
    return false;
  if (v == pieceStart)
    return true;
  if (std::optional<int64_t> c = constantValue(v))
    return *c % factor == 0;
  auto also = [&](Value x) { return isMultiple(x, factor, budget); };
  if (scf::ForOp loop = countingLoop(v))
    return also(loop.getLowerBound()) && also(loop.getStep());
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (isCast(op))
    return also(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return also(op->getOperand(0)) && also(op->getOperand(1));
  if (isa<arith::MulIOp>(op))
    return also(op->getOperand(0)) || also(op->getOperand(1));
  if (isa<arith::AndIOp>(op)) // keeps zeros at the end
    return also(op->getOperand(0)) || also(op->getOperand(1));
  if (isa<arith::RemSIOp>(op))
    return also(op->getOperand(0)) && also(op->getOperand(1));
  return false;
}

bool Emitter::isNotNegative(Value v, int &budget) const {
  if (--budget < 0)
    return false;
  if (std::optional<int64_t> c = constantValue(v))
    return *c >= 0;
  if (v == pieceStart || llvm::is_contained(kernel.programId, v))
    return true;
  auto also = [&](Value x) { return isNotNegative(x, budget); };
  if (scf::ForOp loop = countingLoop(v))
    return also(loop.getLowerBound()) &&
           constantValue(loop.getStep()).value_or(-1) > 0;
  Operation *op = v.getDefiningOp();
  if (!op)
    return false;
  if (isCast(op))
    return also(op->getOperand(0));
  if (isa<arith::AddIOp>(op))
    return also(op->getOperand(0)) && also(op->getOperand(1));
  if (isa<arith::MulIOp>(op)) {
    // Indices do not wrap, but products with large numbers may be hashes.
    constexpr int64_t largestFactor = 1 << 16;
    std::optional<int64_t> c = constantValue(op->getOperand(1));
    return c && *c >= 0 && *c <= largestFactor && also(op->getOperand(0));
  }
  if (isa<arith::AndIOp, arith::MaxSIOp>(op))
    return also(op->getOperand(0)) || also(op->getOperand(1));
  if (isa<arith::RemSIOp>(op))
    return also(op->getOperand(0));
  if (isa<arith::MinSIOp, arith::DivSIOp>(op))
    return also(op->getOperand(0)) && also(op->getOperand(1));
  return false;
}

bool Emitter::staysInRow(const Lanes &index, const Lanes &row,
                         int64_t width) const {
  if (width == 1 || !index.hasUnitStride(1) || !row.isUniform())
    return false;
  std::optional<int64_t> length = constantValue(row.base);
  if (!length || *length <= 0 || *length % width != 0)
    return false;
  auto isStart = [&](Value v) {
    int forMultiple = kBudget, forSign = kBudget;
    return isMultiple(v, width, forMultiple) && isNotNegative(v, forSign);
  };
  return isStart(index.base) && (!index.pos || isStart(index.pos));
}

std::optional<Lanes> Emitter::evalRowOrColumn(Operation *op,
                                              ArrayRef<Lanes> operands,
                                              int64_t width) {
  if (!isa<arith::RemSIOp, arith::DivSIOp>(op) ||
      !staysInRow(operands[0], operands[1], width))
    return std::nullopt;
  Value first = firstLane(operands[0]);
  unsigned level = std::max(operands[0].maxLevel(), operands[1].level);
  at(level);
  Lanes lanes =
      Lanes::uniform(elementwiseIntDiv(op, first, operands[1].base, 1), level);
  if (isa<arith::RemSIOp>(op)) {
    lanes.kind = Lanes::Affine;
    lanes.stride = 1;
  }
  lanes.isLocal = true;
  return lanes;
}
