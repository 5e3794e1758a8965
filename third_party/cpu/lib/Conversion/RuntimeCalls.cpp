//===- RuntimeCalls.cpp - C functions that kernels call ---------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "RuntimeCalls.h"

using namespace mlir;
using namespace mlir::triton;

ModuleOp cpu::moduleOf(Block *block) {
  return block->getParentOp()->getParentOfType<ModuleOp>();
}

LLVM::LLVMFuncOp cpu::runtimeFunction(OpBuilder &b, ModuleOp module,
                                      StringRef name, ArrayRef<Type> args,
                                      Type result) {
  if (auto f = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return f;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  if (!result)
    result = LLVM::LLVMVoidType::get(b.getContext());
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), name,
                                  LLVM::LLVMFunctionType::get(result, args));
}

Value cpu::globalAddress(OpBuilder &b, ModuleOp module, Type type,
                         Attribute value, StringRef stem) {
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = (stem + Twine(i)).str();
    auto found = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (found && found.getValueOrNull() == value)
      break;
    if (!found) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, value);
      break;
    }
  }
  return LLVM::AddressOfOp::create(
      b, module.getLoc(), LLVM::LLVMPointerType::get(b.getContext()), name);
}

Value cpu::globalString(OpBuilder &b, ModuleOp module, StringRef text) {
  std::string terminated = text.str();
  terminated.push_back('\0');
  return globalAddress(
      b, module, LLVM::LLVMArrayType::get(b.getI8Type(), terminated.size()),
      b.getStringAttr(terminated), "tt.text.");
}
