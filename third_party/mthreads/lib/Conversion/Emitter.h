//===- Emitter.h - emits the code of one thread -----------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The Emitter walks a TTIR kernel in program order and emits scalar code. A
// scalar of the kernel is a value that every thread of the block computes for
// itself; a block of values is the registers in which a thread holds its
// elements, as Layout distributes them. Where elements have to move to other
// threads they go through shared memory, unless they can be computed again.
//
// All threads take the same way through the kernel, so a barrier may stand
// anywhere outside of the branches that guard single elements.
//
//===----------------------------------------------------------------------===//

#ifndef MTHREADS_LIB_CONVERSION_EMITTER_H
#define MTHREADS_LIB_CONVERSION_EMITTER_H

#include "Layout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace mlir::triton::mthreads {

/// Bytes that one access to global memory moves at most.
constexpr int64_t kAccessBytes = 16;

using Registers = SmallVector<Value>;
Registers concat(ValueRange lhs, ValueRange rhs);

/// An index, i32: the disjoint union of the bits of a value and of a constant.
struct Index {
  Value dynamic;           ///< null: none
  int64_t dynamicBits = 0; ///< bits that `dynamic` may have
  int64_t constant = 0;
};

/// Accesses to global memory that no barrier separates from what follows. A
/// null pointer stands for those of other iterations of a loop.
struct PendingAccesses {
  llvm::SmallSetVector<Value, 4> reads, writes;
  bool atomics = false;

  void clear() { *this = PendingAccesses(); }
  void merge(const PendingAccesses &other);
};

enum class AccessKind { Read, Write, Atomic };

/// A block in shared memory, row-major.
struct SharedBlock {
  int64_t offset; ///< bytes
  Type elem;      ///< element type in TTIR
  int64_t size;   ///< elements
};

class Emitter {
public:
  Emitter(OpBuilder &builder, int64_t threads)
      : b(builder), loc(builder.getUnknownLoc()), threads(threads) {}

  /// Emits the body of `kernel` at the end of `body`, whose arguments are those
  /// of the kernel in their memory types. Fails after a diagnostic.
  LogicalResult run(FuncOp kernel, Block *body);
  int64_t sharedBytes() const { return maxShared; }
  /// The type in which a thread holds a value of scalar type `elem`. Formats
  /// that LLVM has no arithmetic for are their bits.
  static Type registerType(Type elem);
  /// The type in which memory and arguments of kernels hold it.
  static Type memoryType(Type elem);

private:
  //===--- Control flow (EmitControl.cpp) ---===//
  void emitBlock(Block &block);
  void emitOp(Operation *op);
  void emitFor(scf::ForOp op);
  void emitIf(scf::IfOp op);
  void emitWhile(scf::WhileOp op);
  void emitMap(MapElementwiseOp op);
  /// Emits a region of scalar code; returns what its terminator yields.
  Registers inlineScalars(Region &region, ValueRange arguments);
  Registers flatten(ValueRange values);
  void mapFlattened(ValueRange values, ValueRange flat);
  SmallVector<Type> flatTypes(TypeRange types);

  //===--- Elementwise operations (EmitElementwise.cpp, EmitMath.cpp) ---===//
  void emitElementwise(Operation *op);
  /// `op` on the elements `args`.
  Value apply(Operation *op, ValueRange args);
  Value applyIntDiv(Operation *op, Value lhs, Value rhs);
  Value applyShift(Operation *op, Value lhs, Value rhs);
  Value applyFloat(Operation *op, ValueRange args);
  Value applyMath(Operation *op, Type elem, ValueRange args);
  Value applyPointer(Operation *op, ValueRange args);
  Value applyMulhi(Value lhs, Value rhs);
  Value minMax(bool isMax, bool propagateNan, Value lhs, Value rhs);
  Value callMath(StringRef function, ValueRange args);
  Value callDevice(const Twine &name, Type result, ValueRange args,
                   bool readsNothing);
  Value extend(Value v, Type type, bool isSigned);

  //===--- Float formats (EmitFloat.cpp) ---===//
  Value floatCast(Value v, Type from, Type to, bool towardZero = false);
  Value toF32(Value v, Type from);
  Value fromF32(Value v, Type to, bool towardZero);
  Value f64ToOddF32(Value v);
  Value toBF16(Value v, bool towardZero);
  Value toF16(Value v, bool towardZero);
  Value fromFloat8(Value v, Type from);
  Value toFloat8(Value v, Type to, bool towardZero);

  //===--- Order of accesses (EmitOrder.cpp) ---===//
  /// Emits a barrier unless an access through `ptr` may be made before those
  /// that are pending. `isOwn`: the memory is the thread's alone.
  void order(AccessKind kind, Value ptr, bool isOwn);
  bool isOwnMemory(Value ptr, const Layout &layout);
  /// Emits the body of a loop, whose accesses meet those of its other
  /// iterations.
  void emitLoopBody(Operation *loop, function_ref<void()> body);

  //===--- Memory (EmitMemory.cpp, EmitAtomic.cpp) ---===//
  void emitLoad(LoadOp op);
  void emitScalarLoad(LoadOp op);
  void emitStore(StoreOp op);
  void emitAtomicRMW(AtomicRMWOp op);
  void emitAtomicCAS(AtomicCASOp op);
  void emitAtomic(Operation *op, Value ptr, Value mask, MemSemantic order,
                  function_ref<Value(int64_t)> access);
  /// Replaces a value of less than 32 bits by what `next` makes of it; returns
  /// the old one.
  Value exchangeNarrow(Value ptr, Type elem, MemSemantic order,
                       function_ref<Value(Value)> next);
  Value combineNarrow(AtomicRMWOp op, Type elem, Value old, Value v);

  //===--- Output (EmitDebug.cpp) ---===//
  void emitPrint(PrintOp op);
  void emitAssert(AssertOp op);
  void callPrint(StringRef format, ValueRange args);
  Value printable(Value v, Type elem, bool isSigned, bool hex,
                  std::string &format);
  /// Elements that one access may move.
  int64_t accessWidth(Value ptr, Value mask, const Layout &layout);
  Registers loadGroup(Value ptr, Type elem, int64_t width, bool isVolatile);
  void storeGroup(Value ptr, Type elem, ValueRange values);
  /// `then` where `condition` holds, `otherwise` elsewhere. No condition:
  /// always.
  Registers predicated(Value condition, ValueRange otherwise,
                       function_ref<Registers()> then);
  void predicated(Value condition, function_ref<void()> then);

  //===--- Shapes (EmitShape.cpp, Recompute.cpp) ---===//
  void emitRange(MakeRangeOp op);
  void emitMoved(Operation *op);
  void emitCat(CatOp op);
  void emitJoin(JoinOp op);
  void emitSplit(SplitOp op);
  void emitGather(GatherOp op);
  void emitHistogram(HistogramOp op);
  /// Where the element of `op`'s result at `at` is in its operand.
  SmallVector<Index> sourceIndex(Operation *op, ArrayRef<Index> at);
  bool isCheap(Value v, int &budget);
  Value recompute(Value v, ArrayRef<Index> at);

  //===--- Reductions, dots (EmitReduce.cpp, EmitDot.cpp) ---===//
  using Groups = SmallVector<std::pair<int64_t, Registers>>;
  void emitReduce(ReduceOp op);
  void emitScan(ScanOp op);
  void scanRegisters(ScanOp op, const Layout &layout, BitRange done,
                     SmallVectorImpl<Registers> &values);
  void scanThreads(ScanOp op, const Layout &layout, BitRange done,
                   SmallVectorImpl<Registers> &values);
  Groups reduceRegisters(ReduceOp op, const Layout &layout, BitRange axis);
  void reduceThreads(ReduceOp op, const Layout &layout, BitRange axis,
                     Groups &groups);
  void placeReduced(ReduceOp op, const Layout &layout, BitRange axis,
                    const Groups &groups);
  void emitDot(DotOp op);
  Registers dotStep(DotOp op, const SharedBlock &lhs, const SharedBlock &rhs,
                    Type compute, Value k, ValueRange sums);
  Value multiplyAdd(Type compute, Value lhs, Value rhs, Value sum);
  Value toCompute(Value v, Type from, Type compute);

  //===--- Shared memory (EmitShared.cpp) ---===//
  /// From here on shared memory may be written: all threads have read what it
  /// held before.
  void beginShared();
  SharedBlock allocateShared(Type elem, int64_t size);
  /// What was written before can be read after.
  void barrier();
  Value sharedAddress(const SharedBlock &block, const Index &index);
  Value readShared(const SharedBlock &block, const Index &index);
  void writeShared(const SharedBlock &block, const Index &index, Value v);
  /// Writes all elements of a block, each by one thread.
  SharedBlock stage(Value v);
  void stageInto(const SharedBlock &block, const Layout &layout,
                 ValueRange values);
  Registers readAll(const SharedBlock &block, const Layout &layout);

  //===--- Basics (Emitter.cpp) ---===//
  void chooseVectors(FuncOp kernel);
  Layout layoutOf(Type type) const;
  static int64_t memoryBytes(Type elem);
  Value toMemory(Value v, Type elem);
  Value fromMemory(Value v, Type elem);
  /// The registers of `v`; one for a scalar.
  const Registers &registers(Value v);
  Value element(Value v, int64_t r);
  void set(Value v, Registers values) { values_[v] = std::move(values); }
  Value scalar(Value v) { return registers(v).front(); }
  void emitConstant(Operation *op);
  Value constantOf(Attribute value, Type elem);
  Value i32(int64_t v);
  Value i64(int64_t v);
  Value integer(Type type, int64_t v);
  Value real(Type type, double v);
  Value zero(Type type);

  Index elementIndex(const Layout &layout, int64_t r);
  SmallVector<Index> coordinates(const Layout &layout, int64_t r);
  Index extract(const Index &index, BitRange bits);
  Index shiftLeft(const Index &index, unsigned amount);
  Index join(const Index &lhs, const Index &rhs);
  /// The index without `bits`; those above move down.
  Index without(const Index &index, BitRange bits);
  Index linear(ArrayRef<Index> at, ArrayRef<int64_t> shape);
  Value value(const Index &index);
  /// i1: this thread is the one that writes its elements; null: every thread
  /// is.
  Value isOwner(const Layout &layout);
  Value isFirstThread();
  Value both(Value lhs, Value rhs);

  Value error(Operation *op, const Twine &message);

  OpBuilder &b;
  Location loc;
  const int64_t threads;
  std::unique_ptr<ModuleAxisInfoAnalysis> axisInfo;
  int64_t minVec = 1, maxVec = 1;
  DenseMap<Value, Registers> values_;
  Block *entry = nullptr;
  Value threadId;
  int64_t sharedTop = 0, maxShared = 0;
  PendingAccesses pending;
  bool insideScalarRegion = false;
  bool failed = false;
};

} // namespace mlir::triton::mthreads

#endif // MTHREADS_LIB_CONVERSION_EMITTER_H
