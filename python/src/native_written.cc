//===- native_written.cc - which arguments a kernel writes through --------===//
//
// A launch with a read-only array in the place of an output must fail before
// the kernel runs: the memory may be shared, or smaller than it looks.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <vector>

namespace py = pybind11;

namespace {

/// Follows the values that are derived from each argument. Values of any type
/// are followed, because integers and tensors of pointers carry addresses too;
/// what is loaded from memory is a new value.
class WrittenArguments {
public:
  explicit WrittenArguments(mlir::FunctionOpInterface function)
      : function(function), numArguments(function.getNumArguments()),
        written(numArguments) {}

  std::vector<unsigned> compute() {
    for (mlir::BlockArgument argument : function.getArguments())
      originsOf(argument).set(argument.getArgNumber());
    do {
      changed = false;
      function->walk([&](mlir::Operation *op) { visit(op); });
    } while (changed);
    return {written.set_bits_begin(), written.set_bits_end()};
  }

private:
  llvm::BitVector &originsOf(mlir::Value value) {
    llvm::BitVector &bits = origins[value];
    bits.resize(numArguments);
    return bits;
  }

  void add(llvm::BitVector &to, const llvm::BitVector &from) {
    if (!from.test(to)) // nothing new
      return;
    to |= from;
    changed = true;
  }

  void flowInto(mlir::ValueRange values, const llvm::BitVector &from) {
    for (mlir::Value value : values)
      add(originsOf(value), from);
  }

  void visit(mlir::Operation *op) {
    if (op == function.getOperation())
      return;
    llvm::BitVector from(numArguments);
    for (mlir::Value operand : op->getOperands())
      from |= originsOf(operand);
    if (from.none())
      return;
    if (writesMemory(op))
      add(written, addressOrigins(op, from));
    if (!readsMemory(op))
      flowInto(op->getResults(), from);
    // Loops and branches: into their regions, and out through terminators.
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        flowInto(block.getArguments(), from);
    mlir::Operation *parent = op->getParentOp();
    if (op->hasTrait<mlir::OpTrait::IsTerminator>() &&
        parent != function.getOperation()) {
      flowInto(parent->getResults(), from);
      for (mlir::Region &region : parent->getRegions())
        for (mlir::Block &block : region)
          flowInto(block.getArguments(), from);
    }
  }

  static bool writesMemory(mlir::Operation *op) {
    if (op->getNumRegions() != 0)
      return false; // the operations inside are asked
    // Their effects only keep them in order.
    llvm::StringRef name = op->getName().getStringRef();
    if (name == "tt.load" || name == "tt.print" || name == "tt.assert")
      return false;
    auto effects = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(op);
    return effects ? effects.hasEffect<mlir::MemoryEffects::Write>()
                   : name == "tt.call";
  }

  static bool readsMemory(mlir::Operation *op) {
    auto effects = mlir::dyn_cast<mlir::MemoryEffectOpInterface>(op);
    return effects && op->getNumRegions() == 0 &&
           effects.hasEffect<mlir::MemoryEffects::Read>();
  }

  /// The first operand of stores and atomics is the address; what is stored
  /// may be derived from other arguments.
  llvm::BitVector addressOrigins(mlir::Operation *op,
                                 const llvm::BitVector &all) {
    llvm::StringRef name = op->getName().getStringRef();
    bool addressFirst = name == "tt.store" || name.starts_with("tt.atomic") ||
                        name.starts_with("tt.descriptor_");
    return addressFirst && op->getNumOperands() ? originsOf(op->getOperand(0))
                                                : all;
  }

  mlir::FunctionOpInterface function;
  unsigned numArguments;
  llvm::BitVector written;
  llvm::DenseMap<mlir::Value, llvm::BitVector> origins;
  bool changed = false;
};

} // namespace

/// Positions of the arguments of the module's public function that it may
/// write through; too many rather than too few.
static std::vector<unsigned> writtenArguments(mlir::ModuleOp &module) {
  std::vector<unsigned> result;
  module.walk([&](mlir::FunctionOpInterface function) {
    if (function.isPublic() && !function.isExternal())
      result = WrittenArguments(function).compute();
  });
  return result;
}

void addWrittenArguments(py::module &m) {
  m.def("written_arguments", &writtenArguments, py::arg("module"),
        "Positions of the arguments that the kernel may write through");
}
