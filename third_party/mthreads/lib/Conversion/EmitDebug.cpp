//===- EmitDebug.cpp - tt.print and tt.assert -------------------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
// Both call the device's printf, once for each element, in the thread that owns
// it. A failed assertion ends the thread, and with it the launch.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mthreads/Conversion/DeviceNames.h"

using namespace mlir;
using namespace mlir::triton;
using namespace mlir::triton::mthreads;

/// Text as part of a format: nothing in it is a directive.
static std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? std::string("%%") : std::string(1, c);
  return result;
}

/// The address of a constant text of the module.
static Value textAddress(OpBuilder &b, Location loc, ModuleOp module,
                         StringRef text) {
  std::string terminated = text.str();
  terminated.push_back('\0');
  Attribute value = b.getStringAttr(terminated);
  std::string name;
  for (unsigned i = 0;; ++i) {
    name = ("printed_text." + Twine(i)).str();
    auto found = module.lookupSymbol<LLVM::GlobalOp>(name);
    if (found && found.getValueOrNull() == value)
      break;
    if (found)
      continue;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(
        b, module.getLoc(),
        LLVM::LLVMArrayType::get(b.getI8Type(), terminated.size()),
        /*isConstant=*/true, LLVM::Linkage::Internal, name, value);
    break;
  }
  return LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}

void Emitter::callPrint(StringRef format, ValueRange args) {
  auto module = entry->getParentOp()->getParentOfType<ModuleOp>();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type =
      LLVM::LLVMFunctionType::get(b.getI32Type(), ptr, /*isVarArg=*/true);
  if (!module.lookupSymbol<LLVM::LLVMFuncOp>(kPrint)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::LLVMFuncOp::create(b, module.getLoc(), kPrint, type);
  }
  Registers all = {textAddress(b, loc, module, format)};
  llvm::append_range(all, args);
  LLVM::CallOp::create(b, loc, type, kPrint, all);
}

/// `v` as an argument of a C function without prototype; adds its directive to
/// `format`.
Value Emitter::printable(Value v, Type elem, bool isSigned, bool hex,
                         std::string &format) {
  if (isa<triton::PointerType>(elem)) {
    format += "0x%llx";
    return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), v);
  }
  if (isa<FloatType>(elem)) {
    format += "%f";
    return floatCast(v, elem, b.getF64Type());
  }
  bool isWide = elem.getIntOrFloatBitWidth() > 32;
  bool asSigned = isSigned && !elem.isInteger(1) && !hex;
  format += hex ? "0x%" : "%";
  format += isWide ? "ll" : "";
  format += hex ? "x" : asSigned ? "d" : "u";
  return extend(v, isWide ? b.getI64Type() : b.getI32Type(), asSigned);
}

void Emitter::emitPrint(PrintOp op) {
  Registers ids;
  for (StringRef axis : {"x", "y", "z"})
    ids.push_back(callDevice(kBlockId + axis, b.getI32Type(), {}, true));
  std::string head = "pid (%d, %d, %d)";
  if (op.getArgs().empty())
    return predicated(isFirstThread(), [&] {
      callPrint(head + escaped(op.getPrefix()) + "\n", ids);
    });
  for (auto [i, v] : llvm::enumerate(op.getArgs())) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    Type elem = getElementTypeOrSelf(v.getType());
    bool isSigned = i < op.getIsSigned().size() && op.getIsSigned()[i];
    SmallVector<int64_t> one;
    Layout layout = type ? layoutOf(type) : Layout(one, threads, 1);
    predicated(type ? isOwner(layout) : isFirstThread(), [&] {
      for (int64_t r = 0; r < layout.registers(); ++r) {
        Registers args = ids;
        std::string format = head + " idx (";
        for (auto [dim, index] : llvm::enumerate(coordinates(layout, r))) {
          format += dim ? ", %d" : "%d";
          args.push_back(value(index));
        }
        format += ")" + escaped(op.getPrefix());
        args.push_back(
            printable(element(v, r), elem, isSigned, op.getHex(), format));
        callPrint(format + "\n", args);
      }
    });
  }
}

/// The first place in the author's file that `loc` names.
static std::string placeOf(Location loc) {
  std::string place = "unknown place";
  loc->walk([&](Location at) {
    auto named = dyn_cast<FileLineColLoc>(at);
    if (!named)
      return WalkResult::advance();
    place = (named.getFilename().strref() + ":" + Twine(named.getLine())).str();
    return WalkResult::interrupt();
  });
  return place;
}

void Emitter::emitAssert(AssertOp op) {
  std::string format = escaped(placeOf(op.getLoc())) + ": assertion `" +
                       escaped(op.getMessage()) +
                       "` failed in pid (%d, %d, %d)\n";
  Registers ids;
  for (StringRef axis : {"x", "y", "z"})
    ids.push_back(callDevice(kBlockId + axis, b.getI32Type(), {}, true));
  Value condition = op.getCondition();
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  SmallVector<int64_t> one;
  Layout layout = type ? layoutOf(type) : Layout(one, threads, 1);
  Value owner = type ? isOwner(layout) : isFirstThread();
  for (int64_t r = 0; r < layout.registers(); ++r) {
    Value fails = arith::XOrIOp::create(b, loc, element(condition, r),
                                        integer(b.getI1Type(), 1));
    predicated(both(owner, fails), [&] {
      callPrint(format, ids);
      callDevice(kExit, Type(), {}, false);
    });
  }
}
