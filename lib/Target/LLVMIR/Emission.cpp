//===- Emission.cpp - LLVM IR to object code and assembly -----------------===//

#include "triton/Target/LLVMIR/Emission.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

Error mlir::triton::emitModule(Module &module, TargetMachine &machine,
                               EmissionKind kind,
                               SmallVectorImpl<char> &output) {
  raw_svector_ostream stream(output);
  legacy::PassManager passes;
  CodeGenFileType type = kind == EmissionKind::Object
                             ? CodeGenFileType::ObjectFile
                             : CodeGenFileType::AssemblyFile;
#ifdef NDEBUG
  constexpr bool skipVerification = true;
#else
  constexpr bool skipVerification = false;
#endif
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                  skipVerification))
    return createStringError("target '" + machine.getTargetTriple().str() +
                             "' cannot emit this kind of file");
  passes.run(module);
  return Error::success();
}
