//===- AsmText.h - inline assembly as its author wrote it -------*- C++ -*-===//
//
// Part of the FlagTree project, under the MIT license.
//
//===----------------------------------------------------------------------===//

#ifndef CPU_LIB_CONVERSION_ASMTEXT_H
#define CPU_LIB_CONVERSION_ASMTEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::triton::cpu {

/// Text and constraints of inline assembly.
class AsmText {
public:
  AsmText(llvm::StringRef text, llvm::StringRef constraints);

  /// Intel's syntax, chosen by a line `.intel_syntax`.
  bool isIntel() const { return intel; }
  /// The text without lines that choose the syntax.
  const std::string &body() const { return lines; }
  /// The constraints with what every piece of assembly may change.
  std::string constraints() const;

  /// Does register `index` of the results (operands) have to be one of those
  /// that hold vectors?
  bool isVectorOutput(size_t index) const;
  bool isVectorInput(size_t index) const;

  /// What is wrong with it for values in that many registers; empty if nothing
  /// that can be seen without assembling it.
  std::string check(size_t numOutputs, size_t numInputs) const;

private:
  bool intel = false;
  std::string lines;
  llvm::SmallVector<std::string> outputs, inputs, clobbers;
};

} // namespace mlir::triton::cpu

#endif // CPU_LIB_CONVERSION_ASMTEXT_H
