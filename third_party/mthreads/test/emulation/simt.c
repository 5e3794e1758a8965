/* Runs a kernel of this backend on the processor: one coroutine per thread of a
   block, blocks one after the other. The coroutines take turns at barriers
   only, in the order that the caller asks for, so that a missing barrier shows
   as a wrong result in one order or the other. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MAX_THREADS = 1024, STACK = 256 * 1024, SHARED = 256 * 1024 };
enum { OK, DIVERGED, OUT_OF_SHARED, STOPPED };

char simt_shared[SHARED] __attribute__((aligned(16)));
static const char unwritten = 0x5a;

static struct {
  ucontext_t context;
  char *stack;
  int done;
} threads[MAX_THREADS];
static ucontext_t scheduler;
static int current, stopped;
static int block[3], blocks[3];
static void (*kernel)(void *);
static void *arguments;

int simt_thread_id(void) { return current; }
int simt_block_id_x(void) { return block[0]; }
int simt_block_id_y(void) { return block[1]; }
int simt_block_id_z(void) { return block[2]; }
int simt_num_blocks_x(void) { return blocks[0]; }
int simt_num_blocks_y(void) { return blocks[1]; }
int simt_num_blocks_z(void) { return blocks[2]; }

void simt_barrier(void) { swapcontext(&threads[current].context, &scheduler); }

int simt_print(const char *format, ...) {
  va_list values;
  va_start(values, format);
  int written = vprintf(format, values);
  va_end(values);
  fflush(stdout);
  return written;
}

void simt_exit(void) {
  stopped = 1;
  simt_barrier();
}

static void start(void) {
  kernel(arguments);
  threads[current].done = 1;
}

static void prepare(int count) {
  for (int i = 0; i < count; ++i) {
    if (!threads[i].stack)
      threads[i].stack = malloc(STACK);
    getcontext(&threads[i].context);
    threads[i].context.uc_stack.ss_sp = threads[i].stack;
    threads[i].context.uc_stack.ss_size = STACK;
    threads[i].context.uc_link = &scheduler;
    threads[i].done = 0;
    makecontext(&threads[i].context, start, 0);
  }
  memset(simt_shared, unwritten, SHARED);
}

static int run_block(int count, int reversed) {
  prepare(count);
  for (;;) {
    int done = 0;
    for (int i = 0; i < count; ++i) {
      current = reversed ? count - 1 - i : i;
      swapcontext(&scheduler, &threads[current].context);
      done += threads[current].done;
    }
    if (stopped)
      return STOPPED;
    if (done == count)
      return OK;
    if (done)
      return DIVERGED;
  }
}

int simt_launch(void (*entry)(void *), void *slots, const int *grid, int count,
                int shared, int reversed) {
  kernel = entry;
  arguments = slots;
  stopped = 0;
  memcpy(blocks, grid, sizeof blocks);
  for (block[2] = 0; block[2] < grid[2]; ++block[2])
    for (block[1] = 0; block[1] < grid[1]; ++block[1])
      for (block[0] = 0; block[0] < grid[0]; ++block[0]) {
        int status = run_block(count, reversed);
        if (status != OK)
          return status;
        for (int i = shared; i < SHARED; ++i)
          if (simt_shared[i] != unwritten)
            return OUT_OF_SHARED;
      }
  return OK;
}

uint64_t simt_math_umulhi_i64(uint64_t x, uint64_t y) {
  return (uint64_t)((unsigned __int128)x * y >> 64);
}

static double quotient(double x, double y) { return x / y; }
static float quotientf(float x, float y) { return x / y; }
static double reciprocal_root(double x) { return 1 / sqrt(x); }
static float reciprocal_rootf(float x) { return 1 / sqrtf(x); }

#define UNARY(name, function)                                                  \
  float simt_math_##name##_f32(float x) { return function##f(x); }             \
  double simt_math_##name##_f64(double x) { return function(x); }
#define BINARY(name, function)                                                 \
  float simt_math_##name##_f32(float x, float y) { return function##f(x, y); } \
  double simt_math_##name##_f64(double x, double y) { return function(x, y); }

UNARY(acos, acos)
UNARY(acosh, acosh)
UNARY(asin, asin)
UNARY(asinh, asinh)
UNARY(atan, atan)
UNARY(atanh, atanh)
UNARY(cbrt, cbrt)
UNARY(ceil, ceil)
UNARY(cos, cos)
UNARY(cosh, cosh)
UNARY(erf, erf)
UNARY(erfc, erfc)
UNARY(exp, exp)
UNARY(exp2, exp2)
UNARY(expm1, expm1)
UNARY(floor, floor)
UNARY(log, log)
UNARY(log10, log10)
UNARY(log1p, log1p)
UNARY(log2, log2)
UNARY(round, round)
UNARY(roundeven, rint)
UNARY(rsqrt, reciprocal_root)
UNARY(sin, sin)
UNARY(sinh, sinh)
UNARY(sqrt, sqrt)
UNARY(tan, tan)
UNARY(tanh, tanh)
UNARY(trunc, trunc)
BINARY(atan2, atan2)
BINARY(copysign, copysign)
BINARY(div_rn, quotient)
BINARY(fmod, fmod)
BINARY(powf, pow)
