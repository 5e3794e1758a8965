//===- TestAxisInfo.cpp - Shows AxisInfo as remarks -----------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "triton/Analysis/AxisInfo.h"
#include "triton/Analysis/TestPasses.h"

using namespace mlir;
using namespace mlir::triton;

namespace {

/// One remark per result of an operation, at the operation, for
/// -verify-diagnostics.
struct TestPrintAxisInfo
    : public PassWrapper<TestPrintAxisInfo, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintAxisInfo)

  StringRef getArgument() const final { return "test-print-axis-info"; }
  StringRef getDescription() const final {
    return "print AxisInfo of every result as a remark";
  }

  void runOnOperation() override {
    ModuleAxisInfoAnalysis analysis(getOperation());
    getOperation()->walk([&](Operation *op) {
      for (OpResult result : op->getResults()) {
        std::string text;
        llvm::raw_string_ostream os(text);
        if (op->getNumResults() > 1)
          os << "result #" << result.getResultNumber() << ": ";
        analysis.getAxisInfo(result)->print(os);
        op->emitRemark() << text;
      }
    });
  }
};

} // namespace

void mlir::triton::registerTestPasses() {
  PassRegistration<TestPrintAxisInfo>();
}
