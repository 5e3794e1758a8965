//===- triton_cpu.cc - libtriton.cpu: the CPU back end --------------------===//

#include "cpu/Conversion/InlineAssembly.h"
#include "cpu/Conversion/Passes.h"
#include "cpu/Math/Passes.h"
#include "cpu/Runtime/HostSymbols.h"
#include "cpu/Runtime/Launch.h"
#include "cpu/Runtime/Loader.h"
#include "cpu/Runtime/Sanitizer.h"
#include "cpu/Runtime/Seal.h"
#include "cpu/Runtime/ThreadTeam.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "triton/Target/LLVMIR/TargetMachine.h"
#include "triton/Target/LLVMIR/ToLLVMPasses.h"
#include "llvm/TargetParser/Triple.h"
#include <fstream>
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <stdexcept>

namespace py = pybind11;
using namespace mlir::triton;

namespace {

/// Bytes of the last cache of the machine; 0 if it does not say. (What sysconf
/// answers on virtual machines is that of all processors.)
uint64_t lastCacheBytes() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
  uint64_t kilobytes = 0;
  char unit = 0;
  if (file >> kilobytes >> unit && unit == 'K')
    return kilobytes << 10;
  return 0;
}

/// Results of this size and more are written past the caches: with what they
/// are computed from they would not stay there. 0 where there is no such store.
uint64_t streamBytes(const HostTarget &target, bool isHost) {
  if (!llvm::Triple(target.spec.triple).isX86())
    return 0;
  constexpr uint64_t usual = 32 << 20;
  uint64_t lastCache = isHost ? lastCacheBytes() : 0;
  return (lastCache ? lastCache : usual) / 2;
}

py::dict describeTarget(const HostTarget &host, bool isHost) {
  py::list enabled, withheld;
  for (const std::string &feature : host.enabledFeatures)
    enabled.append(feature);
  for (const std::string &feature : host.withheldFeatures)
    withheld.append(feature);
  py::dict result;
  result["triple"] = host.spec.triple;
  result["cpu"] = host.spec.cpu;
  result["features"] = host.spec.features;
  result["enabled"] = py::tuple(enabled);
  result["withheld"] = py::tuple(withheld);
  result["vector_bits"] = host.vectorBits;
  result["stream_bytes"] = streamBytes(host, isHost);
  return result;
}

py::dict describeHost() {
  py::dict result = describeTarget(getHostTarget(), /*isHost=*/true);
  result["vector_library"] = cpu::hasVectorMathLibrary();
  return result;
}

py::dict describeNamed(const std::string &name) {
  llvm::Expected<HostTarget> found = describeProcessor(name);
  if (!found)
    throw py::value_error(llvm::toString(found.takeError()));
  return describeTarget(*found, /*isHost=*/false);
}

py::dict kernelInfo(mlir::ModuleOp &module) {
  cpu::KernelInfo info = cpu::kernelInfo(module);
  py::dict result;
  result["name"] = info.name;
  result["scratch"] = info.scratch;
  result["blocking"] = info.blocking;
  result["dot_bf16"] = info.dotBF16;
  return result;
}

llvm::StringRef contentOf(const py::bytes &bytes) {
  std::string_view view = bytes;
  return {view.data(), view.size()};
}

py::tuple load(const std::string &name, const py::bytes &object) {
  auto kernel = cpu::loadKernel(name, contentOf(object));
  if (!kernel)
    throw std::runtime_error("kernel '" + name + "' could not be loaded: " +
                             llvm::toString(kernel.takeError()));
  cpu::forgetLaunchCost(kernel->function);
  return py::make_tuple(kernel->handle, kernel->function);
}

void unload(uint64_t handle) {
  if (llvm::Error error = cpu::unloadKernel(handle))
    throw std::runtime_error(llvm::toString(std::move(error)));
}

void setNumThreads(int count) {
  if (count < 0)
    throw py::value_error("number of threads must not be negative, got " +
                          std::to_string(count));
  cpu::setNumThreads(count);
}

/// `extents`: per live argument (begin, end), or None where it is not known.
/// None takes an earlier call back.
void armSanitizer(const std::optional<py::list> &extents) {
  if (!extents) {
    (void)cpu::takeArmedLaunch();
    return;
  }
  std::vector<cpu::ArgumentExtent> known;
  for (py::handle item : *extents) {
    cpu::ArgumentExtent extent;
    extent.isKnown = !item.is_none();
    if (extent.isKnown) {
      auto pair = item.cast<py::tuple>();
      extent.begin = pair[0].cast<uint64_t>();
      extent.end = pair[1].cast<uint64_t>();
    }
    known.push_back(extent);
  }
  cpu::armNextLaunch(std::move(known));
}

py::object takeViolation() {
  std::optional<cpu::Violation> found = cpu::takeViolation();
  if (!found)
    return py::none();
  py::dict result;
  result["description"] = found->description;
  result["program"] =
      py::make_tuple(found->program[0], found->program[1], found->program[2]);
  result["element"] = found->element;
  result["address"] = found->address;
  result["bytes"] = found->bytes;
  result["arguments"] = found->arguments;
  return result;
}

void initPasses(py::module &&m) {
  m.def(
      "add_scalarize_carried",
      [](mlir::PassManager &passes) {
        passes.addPass(cpu::createScalarizeCarriedPass());
      },
      py::arg("pm"));
  m.def(
      "add_lower_blocks",
      [](mlir::PassManager &passes, unsigned vectorBits, bool sanitize,
         bool dotInt8, bool dotBF16, bool collectAdds, uint64_t streamBytes) {
        passes.addPass(
            cpu::createLowerBlocksPass({vectorBits, sanitize, dotInt8, dotBF16,
                                        collectAdds, streamBytes}));
      },
      py::arg("pm"), py::arg("vector_bits"), py::arg("sanitize") = false,
      py::arg("dot_int8") = false, py::arg("dot_bf16") = false,
      py::arg("collect_adds") = false, py::arg("stream_bytes") = 0);
  m.def(
      "add_expand_math",
      [](mlir::PassManager &passes, unsigned vectorBits, py::object library) {
        cpu::MathTarget target = cpu::MathTarget::host();
        if (vectorBits)
          target.vectorBits = vectorBits;
        if (!library.is_none())
          target.vectorLibrary = library.cast<bool>();
        passes.addPass(cpu::createExpandMathPass(target));
      },
      py::arg("pm"), py::arg("vector_bits") = 0,
      py::arg("vector_library") = py::none(),
      "Math functions to code or calls; by default as the host has them");
  m.def(
      "add_to_llvm", [](mlir::PassManager &passes) { addToLLVMPasses(passes); },
      py::arg("pm"), "func, scf, cf, arith, math, ub, vector to llvm");
}

} // namespace

void init_triton_cpu(py::module &&m) {
  m.doc() = "The CPU back end: passes, loading, threads";
  initPasses(m.def_submodule("passes"));
  cpu::installForkHandler();

  m.def(
      "host", &describeHost,
      "The processor: triple, cpu, features (relative to cpu), enabled (all "
      "features), withheld (features that are left out, because LLVM's use of "
      "them breaks IEEE semantics), vector_bits, stream_bytes (results of that "
      "size go past the caches; 0: none do), vector_library (glibc's libmvec "
      "is there)");
  m.def("describe", &describeNamed, py::arg("cpu"),
        "The same of a processor by its name in LLVM, without vector_library. "
        "ValueError for an unknown one.");
  m.def("kernel_info", &kernelInfo, py::arg("module"),
        "name, scratch bytes per program and blocking of a lowered module; "
        "the name is empty when it holds no kernel");
  m.def(
      "check_gpu_assembly",
      [](const std::string &text) { return cpu::checkGpuAssembly(text); },
      py::arg("text"),
      "Why the CPU cannot run inline assembly that is a GPU's, and what to do; "
      "empty for other texts");

  m.def(
      "seal",
      [](const py::bytes &object) {
        return py::bytes(cpu::sealObject(contentOf(object)));
      },
      py::arg("object"),
      "Adds a checksum to an object, which `load` checks. A damaged object "
      "that has none may crash the process.");
  m.def("load", &load, py::arg("name"), py::arg("object"),
        "Links an object and returns (handle, address of the kernel). Raises "
        "RuntimeError when it is malformed or refers to unknown functions.");
  m.def("unload", &unload, py::arg("handle"),
        "Frees a kernel that runs nowhere any more");

  m.def("set_num_threads", &setNumThreads, py::arg("count"),
        "Threads of a launch; 0: TRITON_CPU_NUM_THREADS, else what torch uses, "
        "else the processors of this process");
  m.def("num_threads", [] { return cpu::getTeamState().threads; });
  m.def("thread_team", &cpu::getTeamKind,
        "'openmp' (the threads of a loaded OpenMP runtime) or 'pool' (ours)");

  m.def("arm_sanitizer", &armSanitizer, py::arg("extents"),
        "Memory of the live arguments, each (begin, end) or None, for the next "
        "launch of this thread, of a kernel that was compiled to check");
  m.def("take_violation", &takeViolation,
        "What ended the last launch of this thread, once; None if nothing did");

  m.attr("driver_abi") =
      py::capsule(static_cast<const void *>(cpu::getDriverAbi()),
                  TRITON_DRIVER_ABI_CAPSULE);
}
