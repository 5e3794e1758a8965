//===- triton-opt.cpp - Runs passes on the text of a module ---------------===//

#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "triton/Analysis/TestPasses.h"
#include "triton/Dialect/AllDialects.h"
#include "triton/Dialect/Triton/Transforms/Passes.h"
#include "triton/Target/LLVMIR/DebugScopes.h"
#include "triton/Target/LLVMIR/ToLLVMPasses.h"

// Dialects and passes of the selected backends.
#define TRITON_BACKEND(name)                                                   \
  void registerTritonBackend_##name(mlir::DialectRegistry &registry);
#include "triton/Backends.def"
#undef TRITON_BACKEND

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::triton::registerAllDialects(registry);
  mlir::LLVM::registerInlinerInterface(registry);

  mlir::registerTransformsPasses();
  mlir::triton::registerTritonPasses();
  mlir::triton::registerTestPasses();
  mlir::triton::registerToLLVMPasses();
  mlir::triton::registerDebugScopes();

#define TRITON_BACKEND(name) registerTritonBackend_##name(registry);
#include "triton/Backends.def"
#undef TRITON_BACKEND

  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "runs passes on TTIR\n", registry));
}
