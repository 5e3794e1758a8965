//===- Backing.h - where the flagos device lives ----------------*- C++ -*-===//
//
// The device owns no hardware. Its memory is that of another device of torch,
// whose operators run on it: the CPU, or an accelerator that torch knows. What
// differs between them is behind one interface, chosen once per process.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ATen/core/Generator.h>
#include <c10/core/Allocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <string>

namespace torch_fl {

/// There is one, `flagos:0`.
inline c10::Device flagosDevice() { return {c10::DeviceType::PrivateUse1, 0}; }

/// Error for another type of device, or another index than 0 and "the current
/// one".
void checkFlagosDevice(c10::Device device);
void checkFlagosIndex(c10::DeviceIndex index);

class Backing {
public:
  virtual ~Backing() = default;

  /// The device whose operators run on the memory.
  virtual c10::Device device() const = 0;
  /// Its name in messages.
  virtual std::string name() const = 0;
  virtual bool isStarted() const = 0;
  /// Starts it, if that has not been done.
  virtual void start() const {}

  virtual c10::DeviceAllocator *allocator() const = 0;
  /// Memory of `storage`, which an operator of `device()` made, as memory of
  /// flagos.
  virtual c10::DataPtr adopt(const c10::Storage &storage) const = 0;

  virtual c10::Allocator *pinnedAllocator() const = 0;
  virtual bool isPinned(const void *data) const = 0;

  virtual const c10::impl::DeviceGuardImplInterface *guard() const = 0;

  /// The generator behind the default one of flagos.
  virtual at::Generator defaultGenerator() const = 0;
  virtual at::Generator newGenerator() const = 0;

  /// Registers operators that only this kind needs.
  virtual void registerOperators() const {}
};

/// What `start` has chosen.
const Backing &backing();

/// Registers allocator, guard, hooks and operators of flagos over the memory of
/// `type`. The second call with the same type does nothing; error for another
/// one, since torch keeps the first, or for a type that this torch lacks.
void start(c10::DeviceType type);

/// The kinds there are.
const Backing &hostBacking();
const Backing &acceleratorBacking(c10::DeviceType type);

} // namespace torch_fl
