//===- Translation.cpp - MLIR's LLVM dialect to LLVM IR -------------------===//
//
// Replaces the trunk's file: modules say which compiler made them.
//
//===----------------------------------------------------------------------===//

#include "triton/Target/LLVMIR/Translation.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// In llvm.ident, where the linkers and debuggers of this device look for it.
static void noteProducer(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  llvm::MDNode *producer = llvm::MDNode::get(
      context, llvm::MDString::get(context, "overlay compiler"));
  module.getOrInsertNamedMetadata("llvm.ident")->addOperand(producer);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
mlir::triton::translateToLLVMIR(ModuleOp module, llvm::LLVMContext &context) {
  MLIRContext *mlirContext = module.getContext();
  registerBuiltinDialectTranslation(*mlirContext);
  registerLLVMDialectTranslation(*mlirContext);

  std::string diagnostics;
  std::unique_ptr<llvm::Module> result;
  {
    ScopedDiagnosticHandler collect(mlirContext, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream stream(diagnostics);
      stream << "\n  " << diagnostic.getLocation() << ": " << diagnostic;
      return success();
    });
#ifdef NDEBUG
    constexpr bool skipVerification = true;
#else
    constexpr bool skipVerification = false;
#endif
    result =
        translateModuleToLLVMIR(module, context, "triton", skipVerification);
  }
  if (result) {
    noteProducer(*result);
    return result;
  }
  return llvm::createStringError(
      "translation to LLVM IR failed: an operation is not part of the LLVM "
      "dialect, or has no LLVM form" +
      diagnostics);
}
