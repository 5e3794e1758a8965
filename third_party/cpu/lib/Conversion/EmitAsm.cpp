//===- EmitAsm.cpp - inline assembly on groups of elements ------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The assembly is LLVM's: $0, $1, ... are the operands, results first, in the
// syntax of the processor (on x86 AT&T's, or Intel's after `.intel_syntax`).
// It runs once per group of `packed_element` neighbours in row-major order.
// What a group is in registers:
//   - one vector register, if the constraint asks for one and the group has
//     more than one element;
//   - otherwise one register per element of 32 or 64 bits, and one of 32 bits
//     for 2 or 4 neighbouring narrower elements, the first in the low bits.
//
//===----------------------------------------------------------------------===//

#include "AsmText.h"
#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::cpu;

namespace {
/// How a group of elements lies in registers.
struct Registers {
  Type elem;       ///< of one element: integer, f32 or f64
  Type type;       ///< of one register
  int64_t count;   ///< registers
  int64_t perEach; ///< elements per register
};
} // namespace

static Registers chooseRegisters(OpBuilder &b, Type elem, int64_t pack,
                                 bool inVector) {
  unsigned bits = isa<triton::PointerType>(elem)
                      ? 64
                      : std::max(8u, elem.getIntOrFloatBitWidth());
  bool keep = elem.isF32() || elem.isF64();
  Registers r;
  r.elem = keep ? elem : Type(b.getIntegerType(bits));
  if (inVector && pack > 1) {
    r.type = VectorType::get({pack}, r.elem);
    r.count = 1;
    r.perEach = pack;
    return r;
  }
  r.perEach = std::min<int64_t>(std::max(1u, 32 / bits), pack);
  r.type = r.perEach == 1 ? r.elem : Type(b.getIntegerType(r.perEach * bits));
  r.count = pack / r.perEach;
  return r;
}

/// Elements as they are in registers to `registers`.
static void packGroup(OpBuilder &b, Location loc, const Registers &r,
                      ArrayRef<Value> group,
                      SmallVectorImpl<Value> &registers) {
  if (isa<VectorType>(r.type)) {
    registers.push_back(vector::FromElementsOp::create(
        b, loc, cast<VectorType>(r.type), group));
    return;
  }
  unsigned bits = r.elem.getIntOrFloatBitWidth();
  for (int64_t i = 0; i < r.count; ++i) {
    Value whole = group[i * r.perEach];
    for (int64_t j = 0; r.perEach > 1 && j < r.perEach; ++j) {
      Value part =
          arith::ExtUIOp::create(b, loc, r.type, group[i * r.perEach + j]);
      Value shift =
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(r.type, j * bits));
      part = arith::ShLIOp::create(b, loc, part, shift);
      whole = j ? Value(arith::OrIOp::create(b, loc, whole, part)) : part;
    }
    registers.push_back(whole);
  }
}

/// The other way round.
static SmallVector<Value> unpackGroup(OpBuilder &b, Location loc,
                                      const Registers &r,
                                      ArrayRef<Value> registers) {
  SmallVector<Value> group;
  if (isa<VectorType>(r.type)) {
    for (int64_t i = 0; i < r.perEach; ++i)
      group.push_back(vector::ExtractOp::create(b, loc, registers[0], i));
    return group;
  }
  unsigned bits = r.elem.getIntOrFloatBitWidth();
  for (Value whole : registers)
    for (int64_t j = 0; j < r.perEach; ++j) {
      if (r.perEach == 1) {
        group.push_back(whole);
        continue;
      }
      Value shift =
          arith::ConstantOp::create(b, loc, b.getIntegerAttr(r.type, j * bits));
      Value part = arith::ShRUIOp::create(b, loc, whole, shift);
      group.push_back(arith::TruncIOp::create(b, loc, r.elem, part));
    }
  return group;
}

/// An element as it is in a register, and back.
static Value toRegister(OpBuilder &b, Location loc, Value v, Type to) {
  if (v.getType() == to)
    return v;
  if (isa<LLVM::LLVMPointerType>(v.getType()))
    return LLVM::PtrToIntOp::create(b, loc, to, v);
  if (v.getType().isInteger())
    return arith::ExtUIOp::create(b, loc, to, v);
  return arith::BitcastOp::create(b, loc, to, v);
}

static Value fromRegister(OpBuilder &b, Location loc, Value v, Type to) {
  if (v.getType() == to)
    return v;
  if (isa<LLVM::LLVMPointerType>(to))
    return LLVM::IntToPtrOp::create(b, loc, to, v);
  if (to.isInteger())
    return arith::TruncIOp::create(b, loc, to, v);
  return arith::BitcastOp::create(b, loc, to, v);
}

/// The assembly for one group: elements of the operands, operand by operand, to
/// those of the results.
SmallVector<Value> Emitter::emitAsmGroup(ElementwiseInlineAsmOp op,
                                         ArrayRef<Value> elements) {
  int64_t pack = op.getPackedElement();
  AsmText text(op.getAsmString(), op.getConstraints());
  SmallVector<Registers> results;
  SmallVector<Type> outputs;
  SmallVector<Value> inputs;
  for (Type type : op->getResultTypes()) {
    results.push_back(chooseRegisters(b, getElementTypeOrSelf(type), pack,
                                      text.isVectorOutput(outputs.size())));
    outputs.append(results.back().count, results.back().type);
  }
  for (auto [i, operand] : llvm::enumerate(op.getArgs())) {
    Registers r = chooseRegisters(b, getElementTypeOrSelf(operand.getType()),
                                  pack, text.isVectorInput(inputs.size()));
    SmallVector<Value> group;
    for (Value v : elements.slice(i * pack, pack))
      group.push_back(toRegister(b, loc, v, r.elem));
    packGroup(b, loc, r, group, inputs);
  }
  std::string problem = text.check(outputs.size(), inputs.size());
  if (!problem.empty()) {
    error(op, problem);
    return {};
  }
  Type returned;
  if (outputs.size() == 1)
    returned = outputs[0];
  else if (outputs.size() > 1)
    returned = LLVM::LLVMStructType::getLiteral(b.getContext(), outputs);
  auto dialect = LLVM::AsmDialectAttr::get(
      b.getContext(),
      text.isIntel() ? LLVM::AsmDialect::AD_Intel : LLVM::AsmDialect::AD_ATT);
  auto call = LLVM::InlineAsmOp::create(
      b, loc, returned, inputs, text.body(), text.constraints(),
      /*has_side_effects=*/!op.getPure(), /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, dialect, ArrayAttr());
  SmallVector<Value> registers;
  for (size_t i = 0; i < outputs.size(); ++i)
    registers.push_back(
        outputs.size() == 1
            ? call.getRes()
            : Value(LLVM::ExtractValueOp::create(b, loc, call.getRes(), i)));
  SmallVector<Value> values;
  ArrayRef<Value> rest = registers;
  for (auto [r, type] : llvm::zip(results, op->getResultTypes())) {
    Type elem = scalarType(getElementTypeOrSelf(type));
    for (Value v : unpackGroup(b, loc, r, rest.take_front(r.count)))
      values.push_back(fromRegister(b, loc, v, elem));
    rest = rest.drop_front(r.count);
  }
  return values;
}

void Emitter::emitInlineAsm(ElementwiseInlineAsmOp op) {
  SmallVector<Value> trees(op->operand_begin(), op->operand_end());
  Type shaped = op->getNumResults() ? op->getResultTypes()[0]
                : trees.empty()     ? Type()
                                    : trees[0].getType();
  auto type = dyn_cast_or_null<RankedTensorType>(shaped);
  int64_t pack = op.getPackedElement();
  if (!type && pack != 1) {
    error(op, "inline assembly on scalars cannot pack " + Twine(pack) +
                  " elements");
    return;
  }
  SmallVector<int64_t> shape;
  if (type)
    shape.assign(type.getShape().begin(), type.getShape().end());
  prepare(trees, shape);
  SmallVector<Buffer> targets;
  if (type)
    for (Value r : op->getResults())
      targets.push_back(allocate(cast<RankedTensorType>(r.getType())));

  auto runGroup = [&](ArrayRef<Point> points) {
    SmallVector<Value> elements;
    for (Value tree : trees)
      for (const Point &p : points)
        elements.push_back(firstLane(eval(tree, p)));
    if (failed)
      return;
    here();
    SmallVector<Value> values = emitAsmGroup(op, elements);
    if (failed)
      return;
    for (auto [i, v] : llvm::enumerate(values)) {
      if (type)
        writeBuffer(targets[i / pack], points[i % pack],
                    Lanes::uniform(v, depth()));
      else
        scalars[op->getResult(i)] = v;
    }
  };
  if (!type) {
    runGroup(Point());
  } else {
    emitLoop(i64(0), i64(type.getNumElements()), pack, {},
             [&](DimIndex index, ValueRange) -> SmallVector<Value> {
               SmallVector<Point> points;
               for (int64_t i = 0; i < pack; ++i)
                 points.push_back(rowMajorPoint(shape, index.base, i));
               runGroup(points);
               return {};
             });
  }
  for (auto [r, target] : llvm::zip(op->getResults(), targets))
    buffers[r] = target;
  finishCaptures();
}

/// The point with row-major index `linear` + `offset`, at the current level.
Point Emitter::rowMajorPoint(ArrayRef<int64_t> shape, Value linear,
                             int64_t offset) {
  here();
  Value rest = b.createOrFold<arith::AddIOp>(loc, linear, i64(offset));
  Point p;
  p.dims.resize(shape.size());
  for (int d = static_cast<int>(shape.size()) - 1; d >= 0; --d) {
    Value index =
        d == 0 ? rest
               : b.createOrFold<arith::RemUIOp>(loc, rest, i64(shape[d]));
    if (d != 0)
      rest = b.createOrFold<arith::DivUIOp>(loc, rest, i64(shape[d]));
    p.dims[d] = {index, depth(), false};
  }
  return p;
}
