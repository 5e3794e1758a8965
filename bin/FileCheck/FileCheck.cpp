//===- FileCheck.cpp - Pattern checks for textual output ------------------===//
//
// A driver over LLVM's FileCheck library. The package ships it as
// triton/FileCheck, so that checks of a kernel's IR run where no LLVM tools are
// installed. Exit status: 0 the input matches, 1 it does not, 2 bad usage.
//
//===----------------------------------------------------------------------===//

#include "llvm/FileCheck/FileCheck.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {

enum ExitStatus { Matches = 0, Differs = 1, BadUsage = 2 };
enum class DumpInput { Never, Fail, Always };

cl::OptionCategory category("FileCheck options");

cl::opt<std::string> checkFile(cl::Positional, cl::Required,
                               cl::desc("<check-file>"), cl::cat(category));
cl::opt<std::string> inputFile("input-file", cl::init("-"),
                               cl::desc("File to check (default: stdin)"),
                               cl::cat(category));
cl::list<std::string> prefixes("check-prefix",
                               cl::desc("Prefix of check lines"),
                               cl::cat(category));
cl::alias prefixesAlias("check-prefixes", cl::aliasopt(prefixes),
                        cl::CommaSeparated, cl::NotHidden, cl::cat(category));
cl::list<std::string>
    commentPrefixes("comment-prefixes", cl::CommaSeparated,
                    cl::desc("Prefixes of lines to ignore (COM,RUN)"),
                    cl::cat(category));
cl::list<std::string>
    implicitCheckNot("implicit-check-not",
                     cl::desc("Pattern that must not occur between matches"),
                     cl::cat(category));
cl::list<std::string> defines("D", cl::Prefix,
                              cl::desc("Define a variable: VAR=VALUE"),
                              cl::cat(category));
cl::opt<bool> strictWhitespace("strict-whitespace",
                               cl::desc("Do not treat all blanks as equal"),
                               cl::cat(category));
cl::opt<bool> ignoreCase("ignore-case", cl::desc("Match in either case"),
                         cl::cat(category));
cl::opt<bool> allowEmpty("allow-empty", cl::desc("Accept empty input"),
                         cl::cat(category));
cl::opt<bool> allowUnusedPrefixes("allow-unused-prefixes",
                                  cl::desc("Accept a prefix without checks"),
                                  cl::cat(category));
cl::opt<bool> matchFullLines("match-full-lines",
                             cl::desc("A match must cover a whole line"),
                             cl::cat(category));
cl::opt<bool> enableVarScope("enable-var-scope",
                             cl::desc("Forget VAR, keep $VAR, at each LABEL"),
                             cl::cat(category));
cl::opt<bool> verbose("v", cl::desc("Print every match"), cl::cat(category));
cl::opt<bool> veryVerbose("vv", cl::desc("Print internal matches as well"),
                          cl::cat(category));
cl::opt<DumpInput> dumpInput(
    "dump-input", cl::desc("When to print the numbered input"),
    cl::init(DumpInput::Fail),
    cl::values(clEnumValN(DumpInput::Never, "never", "Never"),
               clEnumValN(DumpInput::Fail, "fail", "When a check fails"),
               clEnumValN(DumpInput::Always, "always", "Always")),
    cl::cat(category));
cl::opt<unsigned> dumpInputContext(
    "dump-input-context", cl::init(5),
    cl::desc("Accepted for compatibility; the whole input is printed"),
    cl::cat(category));

void report(const Twine &message) {
  WithColor::error(errs(), "FileCheck") << message << '\n';
}

FileCheckRequest makeRequest() {
  FileCheckRequest request;
  for (StringRef prefix : prefixes)
    request.CheckPrefixes.push_back(prefix);
  for (StringRef prefix : commentPrefixes)
    request.CommentPrefixes.push_back(prefix);
  for (StringRef pattern : implicitCheckNot)
    request.ImplicitCheckNot.push_back(pattern);
  for (StringRef define : defines)
    request.GlobalDefines.push_back(define);
  request.NoCanonicalizeWhiteSpace = strictWhitespace;
  request.IgnoreCase = ignoreCase;
  request.AllowEmptyInput = allowEmpty;
  request.AllowUnusedPrefixes = allowUnusedPrefixes;
  request.MatchFullLines = matchFullLines;
  request.EnableVarScope = enableVarScope;
  request.Verbose = verbose || veryVerbose;
  request.VerboseVerbose = veryVerbose;
  return request;
}

bool definesAreValid() {
  for (StringRef define : defines) {
    auto [name, value] = define.split('=');
    if (name.empty() || !define.contains('=')) {
      report("option -D needs VAR=VALUE, found '" + define + "'");
      return false;
    }
  }
  return true;
}

/// Reads `path` ("-" is standard input), or says why that failed.
std::unique_ptr<MemoryBuffer> readFile(StringRef role, StringRef path) {
  auto buffer = MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (buffer)
    return std::move(*buffer);
  report("cannot read the " + role + " '" + path +
         "': " + buffer.getError().message());
  return nullptr;
}

void printNumbered(StringRef text) {
  errs() << "\nInput:\n";
  unsigned number = 0;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    errs() << format_decimal(++number, 6) << ": " << line << '\n';
    text = rest;
  }
}

/// Gives `buffer` to the source manager, with blanks made equal if wanted.
StringRef addBuffer(SourceMgr &sources, FileCheck &checker,
                    std::unique_ptr<MemoryBuffer> buffer,
                    SmallVectorImpl<char> &storage) {
  StringRef text = checker.CanonicalizeFile(*buffer, storage);
  sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBuffer(text, buffer->getBufferIdentifier()), SMLoc());
  return text;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Checks text against the patterns of a file.\n",
      /*Errs=*/nullptr, /*VFS=*/nullptr, "FILECHECK_OPTS");
  if (!definesAreValid())
    return BadUsage;

  FileCheck checker(makeRequest());
  if (!checker.ValidateCheckPrefixes())
    return BadUsage;

  SourceMgr sources;
  SmallString<4096> checkStorage, inputStorage;
  std::unique_ptr<MemoryBuffer> checks = readFile("check file", checkFile);
  if (!checks)
    return BadUsage;
  StringRef checkText =
      addBuffer(sources, checker, std::move(checks), checkStorage);
  if (checker.readCheckFile(sources, checkText))
    return BadUsage;

  std::unique_ptr<MemoryBuffer> input = readFile("input", inputFile);
  if (!input)
    return BadUsage;
  if (input->getBufferSize() == 0 && !allowEmpty) {
    report("the input '" + inputFile + "' is empty");
    return BadUsage;
  }
  StringRef inputText =
      addBuffer(sources, checker, std::move(input), inputStorage);
  bool matches = checker.checkInput(sources, inputText);
  if (dumpInput == DumpInput::Always ||
      (dumpInput == DumpInput::Fail && !matches))
    printNumbered(inputText);
  return matches ? Matches : Differs;
}
