/* <musa.h> as far as ahead-of-time compiled kernels use it, with a driver
   whose "binaries" print themselves when they are launched. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

typedef int MUresult;
typedef int MUdevice;
typedef struct stream *MUstream;
typedef struct module *MUmodule;
typedef struct function *MUfunction;
typedef unsigned long long MUdeviceptr;
enum {
  MUSA_SUCCESS = 0,
  MUSA_ERROR_INVALID_VALUE = 1,
  MUSA_ERROR_INVALID_DEVICE = 101,
  MU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
};
#ifdef __cplusplus
extern "C" {
#endif
MUresult muModuleLoadData(MUmodule *, const void *);
MUresult muModuleUnload(MUmodule);
MUresult muModuleGetFunction(MUfunction *, MUmodule, const char *);
MUresult muFuncSetAttribute(MUfunction, int, int);
MUresult muCtxGetDevice(MUdevice *);
MUresult muDeviceGetAttribute(int *, int, MUdevice);
MUresult muLaunchKernel(MUfunction, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, MUstream, void **,
                        void **);
#ifdef __cplusplus
}
#endif

#ifdef FAKE_MUSA_DRIVER
static int loaded;

MUresult muModuleLoadData(MUmodule *module, const void *image) {
  *module = (MUmodule)image;
  ++loaded;
  return MUSA_SUCCESS;
}
MUresult muModuleUnload(MUmodule module) {
  --loaded;
  return module ? MUSA_SUCCESS : 400;
}
MUresult muModuleGetFunction(MUfunction *function, MUmodule module,
                             const char *name) {
  *function = (MUfunction)module;
  return name[0] ? MUSA_SUCCESS : 500;
}
MUresult muFuncSetAttribute(MUfunction function, int attribute, int value) {
  printf("attribute %d of %c is %d\n", attribute, *(const char *)function,
         value);
  return getenv("FAKE_NO_SHARED") ? 2 : MUSA_SUCCESS;
}
MUresult muCtxGetDevice(MUdevice *device) {
  *device = 0;
  return getenv("FAKE_ARCH") ? MUSA_SUCCESS : 201;
}
MUresult muDeviceGetAttribute(int *value, int attribute, MUdevice device) {
  int arch = atoi(getenv("FAKE_ARCH"));
  *value = attribute == MU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
               ? arch / 10
               : arch % 10;
  return device;
}
MUresult muLaunchKernel(MUfunction function, unsigned x, unsigned y, unsigned z,
                        unsigned bx, unsigned by, unsigned bz, unsigned shared,
                        MUstream stream, void **arguments, void **extra) {
  printf("variant %c grid %u %u %u block %u %u %u shared %u pointer %llu\n",
         *(const char *)function, x, y, z, bx, by, bz, shared,
         *(unsigned long long *)arguments[0]);
  return stream || extra;
}
#endif
