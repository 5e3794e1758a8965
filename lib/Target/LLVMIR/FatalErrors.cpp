//===- FatalErrors.cpp - survive LLVM's fatal errors ----------------------===//

#include "triton/Target/LLVMIR/FatalErrors.h"
#include "llvm/Support/ErrorHandling.h"
#include <csetjmp>
#include <mutex>
#include <string>

namespace {

/// The innermost running guard of a thread.
struct Guard {
  std::jmp_buf resume;
  std::string message;
  Guard *outer;
};

thread_local Guard *currentGuard = nullptr;

/// LLVM is built without exceptions, and leaves the process if this function
/// returns. Jumping is the one way out, as in LLVM's CrashRecoveryContext.
void onFatalError(void *, const char *reason, bool) {
  Guard *guard = currentGuard;
  if (!guard) {
    llvm::errs() << "LLVM ERROR: " << reason << '\n';
    return;
  }
  guard->message = reason;
  std::longjmp(guard->resume, 1);
}

void installHandlerOnce() {
  static std::once_flag once;
  std::call_once(once, [] { llvm::install_fatal_error_handler(onFatalError); });
}

/// Separate from its caller so that no local of the caller lives across the
/// two returns of setjmp.
bool runGuarded(Guard &guard, llvm::function_ref<llvm::Error()> body,
                llvm::Error &result) {
  if (setjmp(guard.resume) != 0)
    return false;
  result = body();
  return true;
}

} // namespace

llvm::Error
mlir::triton::runCatchingFatalErrors(llvm::function_ref<llvm::Error()> body,
                                     bool &fatal) {
  installHandlerOnce();
  // On the heap: the guard is written between setjmp and longjmp.
  auto guard = std::make_unique<Guard>();
  guard->outer = currentGuard;
  currentGuard = guard.get();
  llvm::Error result = llvm::Error::success();
  llvm::consumeError(std::move(result));
  fatal = !runGuarded(*guard, body, result);
  currentGuard = guard->outer;
  if (!fatal)
    return result;
  return llvm::createStringError("LLVM could not compile the module: " +
                                 guard->message);
}
