// RUN: not triton-opt %s -mthreads-lower-to-threads=threads=48 2>&1 | FileCheck %s

// CHECK: error: thread lowering: 48 threads are not a power of two
module {
}
