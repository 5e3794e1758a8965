//===- Specialization.h - Hook points for backends ------------------------===//
//
// A trunk file that reads a FLAGTREE_SPEC_ macro includes this first. The
// macros come from the flagtree_spec.h of the backend that is built, which is
// found because its folder comes first on the include path; without one, none
// is defined and the trunk's own code is compiled.
//
// docs/specialization-cpp.md describes the forms of hook points and lists them.
//
//===----------------------------------------------------------------------===//

#ifndef TRITON_SPECIALIZATION_H
#define TRITON_SPECIALIZATION_H

#if __has_include("flagtree_spec.h")
#include "flagtree_spec.h"
#endif

#endif // TRITON_SPECIALIZATION_H
