//===- Emitter.h - emits loops for the roots of a kernel --------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// The Emitter walks a TTIR kernel in program order. Scalars are translated one
// by one. A tensor is either virtual, which means that it is computed at a
// Point whenever something asks for it, or stored, which means that it lives in
// a scratch buffer. Only roots emit loops: stores, atomics, reductions, scans,
// dots, values that control flow carries, and values that the Plan stores.
//
// Code is placed by level. Level 0 is the straight-line code at the walker's
// position, each loop of a root's nest adds a level. A value is emitted at the
// deepest level of its operands, so whatever does not depend on the inner loop
// is outside of it by construction.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_EMITTER_H
#define CPU_LIB_CONVERSION_EMITTER_H

#include "Lanes.h"
#include "Pieces.h"
#include "Plan.h"
#include "cpu/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "triton/Dialect/Triton/IR/Dialect.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <array>

namespace mlir::triton::cpu {

/// A tensor in scratch memory, i1 as bytes, pointers as i64.
struct Buffer {
  Value base; ///< !llvm.ptr
  SmallVector<int64_t> shape;
  Type elem; ///< element type of the tensor
  /// The dimension whose elements are neighbours; the others are row-major
  /// around it. Negative: the last one.
  int inner = -1;

  SmallVector<int64_t> strides() const;
};

/// The loops of one root: which dimensions, which of them across lanes.
struct Nest {
  SmallVector<int64_t> shape;
  int vecDim = -1;
  int64_t width = 1;
};

/// Can a combination work on vectors? Not if it branches.
bool isStraightLine(Region &region);

class Emitter {
public:
  Emitter(OpBuilder &builder, const LoweringOptions &options);

  struct Kernel {
    Block *entry = nullptr;           ///< for constants and buffer addresses
    Value scratch;                    ///< !llvm.ptr
    std::array<Value, 3> programId;   ///< i32
    std::array<Value, 3> numPrograms; ///< i32
    Value allPrograms;                ///< their product, i64
  };
  /// Emits the body of `func` at the end of `body`. Arguments must have been
  /// mapped with mapScalar. Fails after a diagnostic.
  LogicalResult run(FuncOp func, Block *body, const Kernel &kernel);
  void mapScalar(Value from, Value to) { scalars[from] = to; }
  int64_t scratchBytes() const { return maxScratch; }
  bool isBlocking() const { return blocking; }
  bool usesDotBF16() const { return dotBF16; }
  /// Has the runtime to be told that the programs are through?
  bool collectsAdds() const { return collects; }
  /// Have stores to be fenced when the programs are through?
  bool streams() const { return streamed; }

private:
  //===--- Control flow (EmitControl.cpp) ---===//
  void emitBlock(Block &block, Block *into);
  void emitOp(Operation *op);
  void emitScalarOp(Operation *op);
  void emitFor(scf::ForOp op);
  void emitIf(scf::IfOp op);
  void emitWhile(scf::WhileOp op);
  void yieldTensors(ArrayRef<Value> values, ArrayRef<Buffer> targets);
  void carryInto(Value value, const Buffer &target);
  int carriedInner(scf::ForOp op, unsigned i);
  void emitPrint(PrintOp op);
  void emitAssert(AssertOp op);
  Value anyFalse(const Lanes &holds, const Point &p);

  //===--- Roots (EmitMemory.cpp, EmitReduce.cpp, EmitDot.cpp, ...) ---===//
  void beginRoot();
  void emitStore(StoreOp op);
  /// A store at a point, before anything is written.
  struct StoreAt {
    StoreOp op;
    Lanes ptr, value;
    std::optional<Lanes> mask;
    /// Where it goes instead if the group's accesses overlap, and the distance
    /// of lanes there.
    const Buffer *instead = nullptr;
    Value overlap; ///< i1
    int64_t detourStride = 0;
  };
  StoreAt evalStore(StoreOp op, const Point &p);
  void emitStoreAt(const StoreAt &store, const Point &p);
  //===--- Stores together (EmitStoreGroup.cpp, EmitOverlap.cpp) ---===//
  void emitStoreGroup(const StoreGroup &group);
  void emitDetours(const StoreGroup &group, ArrayRef<Buffer> buffers,
                   Value overlap);
  Value detour(const StoreAt &store, Value addresses, const Point &p);
  /// Whether one of the group's stores may write what another access of it
  /// reads or writes at another point of `nest`, as i1 at level 0; null if not.
  Value mayOverlap(const StoreGroup &group, const Nest &nest);
  struct Bounds {
    Value lo, hi; ///< i64, pointers as addresses; both can be reached
  };
  class OverlapCheck;
  Lanes emitLoad(LoadOp op, const Point &p);
  void emitAtomicRMW(AtomicRMWOp op);
  void emitCollectedAdd(AtomicRMWOp op);
  void addLater(Type elem, int64_t width, Value addresses, Value first,
                Value values, Value mask);
  Value neutralOfAdd(Type elem, int64_t width);
  Value stackArray(DenseMap<int64_t, Value> &arrays, int64_t width);
  void emitAtomicCAS(AtomicCASOp op);
  void emitReduce(ReduceOp op);
  void emitReduceAcrossLanes(ReduceOp op, const Nest &nest);
  void emitReduceOverLoop(ReduceOp op, const Nest &nest);
  void emitScan(ScanOp op);
  void emitScanOverLoop(ScanOp op, const Nest &nest, ArrayRef<Buffer> targets);
  void emitScanAcrossLanes(ScanOp op, const Nest &nest,
                           ArrayRef<Buffer> targets);
  SmallVector<Value> scanLanes(Region &region, SmallVector<Value> values,
                               int64_t width, bool reverse);
  void emitDot(DotOp op);
  struct DotTile;
  Buffer dotOperand(Value v, Type compute);
  int64_t lanesForCopy(Value v, int dim) const;
  void dotBlock(const DotTile &t, const Point &base, DimIndex row, DimIndex col,
                int64_t rows);
  int64_t dotGroup(DotOp op) const;
  Buffer packedOperand(Value v, int64_t group);
  Value packRows(ArrayRef<Value> parts, int64_t width);
  Buffer rowSums(const Buffer &a);
  Value packedProduct(const DotTile &t, Value x, Value column, Value sum);
  Value withoutRowSum(const DotTile &t, const Point &p, Value init);
  SmallVector<Value> dotStep(const DotTile &t, Value aRow, Value bRow,
                             int64_t rows, ValueRange sums);
  void emitCat(CatOp op);
  void emitJoin(JoinOp op);
  void emitHistogram(HistogramOp op);
  void emitMap(MapElementwiseOp op);
  void emitInlineAsm(ElementwiseInlineAsmOp op);
  SmallVector<Value> emitAsmGroup(ElementwiseInlineAsmOp op,
                                  ArrayRef<Value> elements);
  Point rowMajorPoint(ArrayRef<int64_t> shape, Value linear, int64_t offset);
  /// Computes `v` everywhere and writes it to `target`.
  void materialize(Value v, const Buffer &target);
  bool mayTranspose(const Nest &nest, const Buffer &target) const;
  void materializeTransposed(Value v, const Nest &nest, const Buffer &target);
  /// Gives `v` a buffer and computes it, unless it has one.
  const Buffer &materialize(Value v);
  /// Sees to it that a root of shape `shape` can evaluate `tree`: stored values
  /// that the root will not visit point by point are computed now, the others
  /// are captured while the root runs.
  void prepare(ArrayRef<Value> trees, ArrayRef<int64_t> shape,
               bool mayCapture = true);
  void finishCaptures();
  SmallVector<Value> combine(Region &region, ValueRange lhs, ValueRange rhs,
                             int64_t width);
  /// Emits a region of scalar code, branches included, at the current place;
  /// returns what its terminator yields.
  SmallVector<Value> inlineScalars(Region &region, ValueRange args);

  //===--- Loop nests (Nest.cpp) ---===//
  Nest chooseNest(ArrayRef<Value> trees, ArrayRef<int64_t> shape,
                  ArrayRef<Value> pointers = {}, int inner = -1);
  /// Runs `body` for all points. Loads of `trees` that are masked by a prefix
  /// of the vector dimension get an unmasked main loop. If `storeMask` is set,
  /// points where it is false need not be visited.
  void forEachPoint(const Nest &nest, ArrayRef<Value> trees,
                    function_ref<void(const Point &)> body,
                    Value storeMask = {});
  /// Opens the loops over all dimensions but `skip`; calls `inner` inside.
  void outerLoops(const Nest &nest, int skip, Point &p,
                  function_ref<void()> inner, unsigned dim = 0);
  /// `for (iv = lo; iv < hi; iv += step)` with loop-carried values. `body`
  /// gets iv and the carried values and returns the next ones.
  SmallVector<Value>
  emitLoop(Value lo, Value hi, int64_t step, ValueRange inits,
           function_ref<SmallVector<Value>(DimIndex, ValueRange)> body);
  /// Number of leading indices of the vector dimension at which all prefix
  /// masks below `trees` hold, as i64 at the current level, or null if there
  /// are none. Registers the masks in `prefixMasks`. If there is one mask, it
  /// holds nowhere behind if `noneBehind`, which is left as it is where that is
  /// not known.
  Value prefixBound(const Nest &nest, ArrayRef<Value> trees, const Point &outer,
                    Value *noneBehind = nullptr);
  struct Assumption {
    Value value;
    Point point; ///< the vector dimension's base is ignored
    Lanes lanes; ///< what it is; unused for prefix masks, which are true
  };
  bool matches(const Assumption &a, Value v, const Point &p) const;

  //===--- From one end of a row to the next (EmitPieces.cpp) ---===//
  void forEachPiece(const Nest &nest, ArrayRef<PieceValue> pieces,
                    const Point &outer, Value end,
                    function_ref<void(Value, Value)> loop);
  void emitPiece(const Nest &nest, Value from, Value to,
                 function_ref<void(Value, Value)> loop);
  Value pieceLength(const PieceValue &piece, const Nest &nest,
                    const Point &outer, DimIndex start);
  Value toEndOfRow(Value v, const Point &start);
  Value toBound(Value v, int dim, const Point &start);
  Value toOverflow(Value x);
  Value beforeOverflow(Value length, Value x);
  bool hasWholeVectors(const PieceValue &piece, const Nest &nest,
                       const Point &outer, DimIndex start);
  std::optional<Lanes> insidePiece(std::optional<Lanes> mask, const Point &p);
  /// Is `v` looked up rather than computed?
  bool isKnown(Value v) const;

  //===--- Values (EmitValue.cpp) ---===//
  Lanes eval(Value v, const Point &p);
  Lanes evalUncached(Value v, const Point &p);
  Lanes evalOp(Operation *op, unsigned result, const Point &p);
  Lanes evalElementwise(Operation *op, const Point &p);
  std::optional<Lanes> evalAffine(Operation *op, ArrayRef<Lanes> operands,
                                  bool isAddress);
  /// Whether `v` is made by index arithmetic that widens integers.
  bool widensIndices(Value v);
  /// Remainder and quotient by a row's length, if all lanes are in one row.
  std::optional<Lanes> evalRowOrColumn(Operation *op, ArrayRef<Lanes> operands,
                                       int64_t width);
  bool staysInRow(const Lanes &index, const Lanes &row, int64_t width) const;
  /// How many operations are looked at for one property of an index.
  static constexpr int kBudget = 32;
  bool isNotNegative(Value v, int &budget) const;
  bool isMultiple(Value v, int64_t factor, int &budget) const;
  Lanes evalAddPtr(AddPtrOp op, const Point &p);
  Lanes evalReshape(Value src, ArrayRef<int64_t> dstShape, const Point &p);
  Lanes evalGather(GatherOp op, const Point &p);
  Value scalar(Value v);
  /// The same value as vector (width > 1) or scalar of type `elem`.
  Value asVector(const Lanes &lanes, Type elem, int64_t width);
  /// The value in lane 0 of a uniform or affine Lanes.
  Value firstLane(const Lanes &lanes);
  /// Folds pos into base.
  Lanes withoutPos(const Lanes &lanes);
  Value strideValue(const Lanes &lanes);
  Lanes result(Value v, int64_t width, unsigned level);

  //===--- Scalars and vectors (EmitElementwise.cpp) ---===//
  /// Emits `op` on operands that are scalars (width 1) or vectors.
  Value elementwise(Operation *op, ValueRange operands, int64_t width);
  Value elementwiseIntDiv(Operation *op, Value lhs, Value rhs, int64_t width);
  Value floatCast(Value v, Type elem, int64_t width, bool towardZero = false);
  Value toFloat8(Value f32, Type elem, int64_t width, bool towardZero);
  Value fromFloat8(Value v, Type elem, int64_t width);
  Value callExtern(StringRef symbol, Type elem, ValueRange args, int64_t width);
  Value intCast(Value v, Type to, bool isSigned = true);

  //===--- Memory (EmitMemory.cpp) ---===//
  Buffer allocate(RankedTensorType type, int inner = -1);
  Value bufferAddress(const Buffer &buffer, const Point &p, int64_t &laneStride,
                      unsigned &level);
  Lanes readBuffer(const Buffer &buffer, const Point &p);
  void writeBuffer(const Buffer &buffer, const Point &p, const Lanes &lanes);
  Value loadVector(Value ptr, Type elem, int64_t width, Value mask,
                   Value other);
  Value inMemory(Value v, Type elem, int64_t width);
  void storeVector(Value ptr, Value v, Type elem, int64_t width, Value mask);
  Value gatherVector(Value addresses, Type elem, int64_t width, Value mask,
                     Value other);
  void scatterVector(Value addresses, Value v, Type elem, int64_t width,
                     Value mask);
  Value offsetPtr(Value ptr, Value bytes);
  Value lanePointers(const Lanes &ptr, int64_t width);
  void copyBuffer(const Buffer &from, const Buffer &to);

  //===--- Checks of addresses (EmitCheck.cpp) ---===//
  struct Access {
    Operation *op;        ///< where
    StringRef kind;       ///< "load", ...
    Type accessed;        ///< of the value that is read or written
    Type elem;            ///< its element type
    Value pointer;        ///< as the kernel has it
    const Lanes *ptr;     ///< its value here
    const Lanes *mask;    ///< null: all lanes
    bool mayWait = false; ///< others may be waited for in a loop around this
  };
  void checkAccess(const Access &access, const Point &p, unsigned level);
  void checkIndex(GatherOp op, Value indices, const Point &p, unsigned level);
  void pollStop();
  Value extentOf(unsigned argument, bool end);
  Value maskBits(Value mask, int64_t width);
  Value elementIndex(Type accessed, const Point &p, unsigned level,
                     int64_t &laneStride);
  Value fitsInto(unsigned argument, const Lanes &ptr, int64_t bytes,
                 int64_t width, unsigned level);

  //===--- Past the caches (EmitStream.cpp) ---===//
  bool storeStreaming(const StoreAt &store, Value place, Value otherwise,
                      Value v, const Point &p);
  Value writesMuch(RankedTensorType type);

  //===--- Prefetching (EmitPrefetch.cpp) ---===//
  /// Bytes between an access and what is prefetched.
  static constexpr int64_t kPrefetchDistance = 2048;
  /// Shorter runs end before a prefetch arrives.
  static constexpr int64_t kMinimumRun = 2048;
  bool isRun(Type type, const Point &p, int64_t bytes) const;
  void prefetch(Value address, bool forWrite, int64_t locality);
  void prefetchAhead(Value address, Type type, const Point &p, bool forWrite);
  void prefetchNextProgram(LoadOp op, const Point &p);
  void prefetchForLoad(LoadOp op, Value address, const Point &p);
  Value nextScalar(Value v);

  //===--- Basics ---===//
  struct Scope {
    Block *block;
    Operation *before = nullptr;
    DenseMap<Value, SmallVector<std::pair<Point, Lanes>, 1>> memo;
  };
  unsigned depth() const { return scopes.size() - 1; }
  /// The builder, placed at the end of the code of `level`.
  OpBuilder &at(unsigned level);
  OpBuilder &here() { return at(depth()); }
  void pushScope(Block *block, Operation *before);
  void popScope();
  Value constant(TypedAttr attr);
  Value i64(int64_t v) { return constant(b.getI64IntegerAttr(v)); }
  Value splatConstant(Type elem, TypedAttr attr, int64_t width);
  Value zero(Type elem, int64_t width);
  Value stepVector(Type elem, int64_t width, int64_t stride);
  Type memType(Type elem) const; ///< type in memory
  Type valueType(Type elem, int64_t width) const;
  Type scalarType(Type elem) const; ///< pointers become !llvm.ptr
  int64_t memBytes(Type elem) const;
  int64_t lanesFor(int64_t extent) const;
  Lanes error(Operation *op, const Twine &message);

  OpBuilder &b;
  Location loc;
  const LoweringOptions options;
  const unsigned vectorBits;
  const bool sanitize;
  Kernel kernel;
  Plan plan;
  SmallVector<std::unique_ptr<Scope>> scopes;
  DenseMap<Value, Value> scalars;
  DenseMap<Value, Buffer> buffers;
  /// Where a value must be written instead of a buffer of its own.
  DenseMap<Value, Buffer> preassigned;
  /// Stored values that wait for a root that visits them point by point.
  llvm::SetVector<Value> capturing;
  DenseMap<Attribute, Value> constants;
  /// For checks: memory of arguments.
  DenseMap<unsigned, Value> extents[2];
  /// For calls of the runtime: arrays on the stack by length.
  DenseMap<int64_t, Value> addressArrays, valueArrays;
  SmallVector<Assumption> prefixMasks;
  llvm::DenseMap<Value, bool> widening; ///< known results of `widensIndices`
  SmallVector<Assumption> pieceValues;  ///< within the piece at work
  /// Where that starts, if at a multiple of the vectors' width, and where it
  /// ends, if within the vector at work.
  Value pieceStart, pieceEnd;
  bool raggedPieces = false; ///< do some not consist of whole vectors?
  int64_t shortestRow = std::numeric_limits<int64_t>::max();
  /// For prefetching: the root at work, the roots that a load has been part of,
  /// and scalars as the next program computes them.
  Operation *currentRoot = nullptr;
  DenseMap<Operation *, SmallPtrSet<Operation *, 4>> loadRoots;
  DenseMap<Value, Value> nextScalars;
  int64_t scratchTop = 64; // the first line is a target for masked-off scalars
  int64_t maxScratch = 64;
  bool blocking = false;
  bool dotBF16 = false;
  bool mayCollect = false; ///< additions may wait until the kernel is through
  bool collects = false;
  DenseSet<Operation *> streamable;
  DenseMap<int64_t, Value> muchWritten; ///< by bytes of a program's block
  bool streamed = false;
  bool failed = false;
};

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_EMITTER_H
