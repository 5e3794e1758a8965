//===- Registration.cpp - What triton-opt knows of this backend -----------===//

#include "full/Dialect.h"
#include "full/Passes.h"
#include "mlir/IR/DialectRegistry.h"

// The name follows from that of the backend.
void registerTritonBackend_full(mlir::DialectRegistry &registry) {
  registry.insert<full::FullDialect>();
  full::registerFullPasses();
}
