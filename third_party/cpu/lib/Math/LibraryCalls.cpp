//===- LibraryCalls.cpp - math functions as calls -------------------------===//

#include "LibraryCalls.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::triton::cpu;

namespace {

/// libmvec names the instruction set by a letter: b SSE, d AVX2, e AVX-512.
char letterOf(int64_t bits) {
  return bits == 512 ? 'e' : bits == 256 ? 'd' : 'b';
}

int64_t elementBits(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

/// Lanes of the library's function to use for `lanes` lanes: the narrowest
/// that takes them all, else the widest.
int64_t chooseWidth(int64_t lanes, int64_t bits, unsigned vectorBits) {
  int64_t width = 128 / bits;
  while (width < lanes && width * 2 * bits <= int64_t(vectorBits))
    width *= 2;
  return width;
}

/// Lanes [begin, begin + width) of `vector`. Lanes past the end repeat the
/// first, so that they take no path of their own.
Value takeChunk(ImplicitLocOpBuilder &b, Value vector, int64_t begin,
                int64_t width) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  if (begin == 0 && width == lanes)
    return vector;
  SmallVector<int64_t> pick(width);
  for (int64_t lane = 0; lane < width; ++lane)
    pick[lane] = begin + lane < lanes ? begin + lane : begin;
  return vector::ShuffleOp::create(b, vector, vector, pick);
}

/// Joins chunks of `width` lanes and drops the surplus.
Value joinChunks(ImplicitLocOpBuilder &b, ArrayRef<Value> chunks,
                 VectorType type) {
  if (chunks.size() == 1 && chunks[0].getType() == type)
    return chunks[0];
  if (chunks.size() == 1) {
    auto pick = llvm::to_vector(llvm::seq<int64_t>(0, type.getNumElements()));
    return vector::ShuffleOp::create(b, chunks[0], chunks[0], pick);
  }
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  int64_t width = cast<VectorType>(chunks[0].getType()).getNumElements();
  for (auto [index, chunk] : llvm::enumerate(chunks)) {
    int64_t begin = int64_t(index) * width;
    int64_t used = std::min(width, type.getNumElements() - begin);
    Value part = takeChunk(b, chunk, 0, used);
    result = vector::InsertStridedSliceOp::create(
        b, part, result, ArrayRef<int64_t>{begin}, ArrayRef<int64_t>{1});
  }
  return result;
}

} // namespace

Value LibraryCalls::emit(ImplicitLocOpBuilder &b, StringRef function,
                         ValueRange operands) {
  auto type = dyn_cast<VectorType>(operands[0].getType());
  if (!type)
    return call(
        b, function + (elementBits(operands[0].getType()) == 32 ? "f" : ""),
        operands);
  auto flat = VectorType::get({type.getNumElements()}, type.getElementType());
  SmallVector<Value> flatOperands;
  for (Value operand : operands)
    flatOperands.push_back(
        type.getRank() == 1
            ? operand
            : vector::ShapeCastOp::create(b, flat, operand).getResult());
  Value result = target.vectorLibrary && flat.getNumElements() > 1
                     ? emitVector(b, function, flatOperands)
                     : emitLanes(b, function, flatOperands);
  if (type.getRank() == 1)
    return result;
  return vector::ShapeCastOp::create(b, type, result);
}

Value LibraryCalls::emitVector(ImplicitLocOpBuilder &b, StringRef function,
                               ArrayRef<Value> operands) {
  auto type = cast<VectorType>(operands[0].getType());
  int64_t lanes = type.getNumElements();
  int64_t width = chooseWidth(lanes, elementBits(type), target.vectorBits);
  SmallVector<Value> results;
  for (int64_t begin = 0; begin < lanes; begin += width) {
    SmallVector<Value> chunk;
    for (Value operand : operands)
      chunk.push_back(takeChunk(b, operand, begin, width));
    results.push_back(emitChunk(b, function, chunk, width));
  }
  return joinChunks(b, results, type);
}

Value LibraryCalls::emitChunk(ImplicitLocOpBuilder &b, StringRef function,
                              ArrayRef<Value> chunk, int64_t width) {
  int64_t bits = elementBits(chunk[0].getType());
  std::string symbol = (Twine("_ZGV") + Twine(letterOf(width * bits)) + "N" +
                        Twine(width) + std::string(chunk.size(), 'v') + "_" +
                        function + (bits == 32 ? "f" : ""))
                           .str();
  return call(b, symbol, chunk);
}

Value LibraryCalls::emitLanes(ImplicitLocOpBuilder &b, StringRef function,
                              ArrayRef<Value> operands) {
  auto type = cast<VectorType>(operands[0].getType());
  StringRef suffix = elementBits(type) == 32 ? "f" : "";
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
    SmallVector<Value> scalars;
    for (Value operand : operands)
      scalars.push_back(vector::ExtractOp::create(b, operand, lane));
    Value scalar = call(b, function + suffix, scalars);
    result = vector::InsertOp::create(b, scalar, result, lane);
  }
  return result;
}

Value LibraryCalls::call(ImplicitLocOpBuilder &b, const Twine &symbol,
                         ValueRange operands) {
  std::string name = symbol.str();
  auto declaration = symbols.lookup<LLVM::LLVMFuncOp>(name);
  if (!declaration) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        operands[0].getType(), llvm::to_vector(operands.getTypes()));
    declaration = LLVM::LLVMFuncOp::create(b, name, type);
    // errno is not part of what kernels can see.
    LLVM::ModRefInfo none = LLVM::ModRefInfo::NoModRef;
    declaration.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
        b.getContext(), {none, none, none, none, none, none}));
    declaration.setNoUnwind(true);
    declaration.setWillReturn(true);
    symbols.insert(declaration);
  }
  return LLVM::CallOp::create(b, declaration, operands).getResult();
}
