//===- AsmText.cpp - inline assembly as its author wrote it -----*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#include "AsmText.h"

#include "cpu/Conversion/InlineAssembly.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace mlir::triton::cpu;

/// What a GPU's assembly is called, if `text` is one; else empty.
static StringRef gpuAssembly(StringRef text) {
  // Types as suffixes of instructions, registers, and families of instructions
  // that only PTX has.
  static const Regex ptx(
      "(^|[^a-zA-Z0-9_.])[a-z][a-z0-9_.]*\\.(b|u|s|f|bf|e[0-9]m[0-9])"
      "(8|16|32|64|128)(x2|x4)?([^a-zA-Z0-9_]|$)|"
      "(^|[^a-zA-Z0-9_.])\\.reg[ \t]|\\.pred|"
      "%(tid|ctaid|ntid|nctaid|laneid|warpid|smid|clock|"
      "globaltimer)|"
      "(^|[^a-zA-Z0-9_.%$])(bar|barrier|membar|fence|griddepcontrol|"
      "cp|mbarrier|ld|st|atom|red|multimem|shfl|vote|match|activemask|"
      "elect|prefetch|discard|applypriority|ldmatrix|stmatrix|mma|wmma|"
      "wgmma|tcgen05|setmaxnreg|nanosleep|mapa|getctarank|isspacep|"
      "cvta|setp|selp)\\.[a-z]");
  static const Regex gcn("(^|[^a-zA-Z0-9_.])(v|s|ds|buffer|global|flat)_"
                         "[a-z0-9_]+_(b|u|i|f|bf)(8|16|32|64)");
  if (ptx.match(text))
    return "PTX, which only NVIDIA's GPUs have";
  if (gcn.match(text))
    return "GCN assembly, which only AMD's GPUs have";
  return "";
}

std::string mlir::triton::cpu::checkGpuAssembly(StringRef text) {
  StringRef gpu = gpuAssembly(text);
  if (gpu.empty())
    return "";
  return ("this inline assembly is " + gpu +
          "; write the operation in the language, or give the CPU its own "
          "assembly")
      .str();
}

AsmText::AsmText(StringRef text, StringRef constraints) {
  SmallVector<StringRef> split;
  text.split(split, '\n');
  for (StringRef line : split) {
    StringRef word = line.trim();
    if (word.starts_with(".intel_syntax"))
      intel = true;
    else if (!word.starts_with(".att_syntax"))
      lines += (lines.empty() ? "" : "\n") + line.str();
  }
  split.clear();
  constraints.split(split, ',', -1, /*KeepEmpty=*/false);
  for (StringRef constraint : split) {
    constraint = constraint.trim();
    auto &list = constraint.starts_with("=")   ? outputs
                 : constraint.starts_with("~") ? clobbers
                                               : inputs;
    list.push_back(constraint.str());
  }
}

std::string AsmText::constraints() const {
  SmallVector<std::string> all(outputs);
  all.append(inputs);
  all.append(clobbers);
#if defined(__x86_64__)
  // Nearly every instruction changes them, and nobody lists them.
  for (const char *flags : {"~{dirflag}", "~{fpsr}", "~{flags}"})
    if (!is_contained(clobbers, flags))
      all.push_back(flags);
#endif
  return join(all, ",");
}

static bool isVectorRegister(StringRef constraint) {
  StringRef code = constraint.ltrim("=&%*");
  for (StringRef name : {"{xmm", "{ymm", "{zmm", "{v", "{q", "{d"})
    if (code.starts_with(name))
      return true;
  return code == "x" || code == "v" || code == "w";
}

bool AsmText::isVectorOutput(size_t index) const {
  return index < outputs.size() && isVectorRegister(outputs[index]);
}

bool AsmText::isVectorInput(size_t index) const {
  if (index >= inputs.size())
    return false;
  size_t tied; // the place of the result that it shares a register with
  if (!StringRef(inputs[index]).getAsInteger(10, tied))
    return isVectorOutput(tied);
  return isVectorRegister(inputs[index]);
}

std::string AsmText::check(size_t numOutputs, size_t numInputs) const {
  if (std::string problem = checkGpuAssembly(lines); !problem.empty())
    return problem;
  auto plural = [](size_t n, const char *what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  if (outputs.size() != numOutputs || inputs.size() != numInputs)
    return "inline assembly: the constraints name " +
           plural(outputs.size(), "output") + " and " +
           plural(inputs.size(), "input") + ", but the values fill " +
           plural(numOutputs, "register") + " and " +
           plural(numInputs, "register");
  // LLVM's own check, with types of the right number.
  LLVMContext context;
  Type *word = Type::getInt32Ty(context);
  Type *result = Type::getVoidTy(context);
  if (numOutputs == 1)
    result = word;
  else if (numOutputs > 1)
    result = StructType::get(context, SmallVector<Type *>(numOutputs, word));
  auto *type =
      FunctionType::get(result, SmallVector<Type *>(numInputs, word), false);
  if (Error error = InlineAsm::verify(type, constraints()))
    return "inline assembly: " + toString(std::move(error)) +
           " (constraints \"" + constraints() + "\")";
  return "";
}
