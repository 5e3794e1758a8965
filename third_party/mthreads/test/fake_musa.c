/* The functions of the MUSA driver library that the driver of this backend
   calls, without a device. FAKE_MUSA_DEVICES is the number of devices,
   FAKE_MUSA_LOG the file that launches are written to. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int module_tag, function_tag, context_tag;

int muInit(unsigned flags) {
  return getenv("FAKE_MUSA_BROKEN") ? 100 : (int)flags;
}

int muGetErrorString(int status, const char **text) {
  *text = status == 100 ? "no device driver" : "unknown";
  return 0;
}

int muDeviceGetCount(int *count) {
  const char *devices = getenv("FAKE_MUSA_DEVICES");
  *count = devices ? atoi(devices) : 0;
  return 0;
}

int muDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75   ? 3
           : attribute == 76 ? 1
                             : 1000 * device + attribute;
  return 0;
}

int muDevicePrimaryCtxRetain(void **context, int device) {
  *context = &context_tag;
  return device == 0 ? 0 : 101;
}

int muCtxSetCurrent(void *context) { return context == &context_tag ? 0 : 201; }

int muModuleLoadData(void **module, const void *image) {
  *module = &module_tag;
  return memcmp(image, "binary", 6) == 0 ? 0 : 200;
}

int muModuleUnload(void *module) { return module == &module_tag ? 0 : 400; }

int muModuleGetFunction(void **function, void *module, const char *name) {
  *function = &function_tag;
  return module == &module_tag && strcmp(name, "kernel") == 0 ? 0 : 500;
}

int muFuncGetAttribute(int *value, int attribute, void *function) {
  *value = 10 * attribute;
  return function == &function_tag ? 0 : 400;
}

int muFuncSetAttribute(void *function, int attribute, int value) {
  return function == &function_tag && attribute == 8 && value > 49152 ? 0 : 1;
}

int muLaunchKernel(void *function, unsigned x, unsigned y, unsigned z,
                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **arguments, void **extra) {
  FILE *log = fopen(getenv("FAKE_MUSA_LOG"), "a");
  if (!log || function != &function_tag || extra)
    return 1;
  fprintf(log,
          "grid %u %u %u block %u %u %u shared %u stream %p pointer %llu int "
          "%d float %g\n",
          x, y, z, bx, by, bz, shared, stream,
          *(unsigned long long *)arguments[0], *(int32_t *)arguments[1],
          *(float *)arguments[2]);
  return fclose(log);
}
