//===- Seal.cpp - detect damaged objects ----------------------------------===//

#include "cpu/Runtime/Seal.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

// The seal is the checksum in 8 bytes, then these 8.
static constexpr StringLiteral kMagic = "\x7fTTseal\n";
static constexpr size_t kSealSize = sizeof(uint64_t) + kMagic.size();

std::string mlir::triton::cpu::sealObject(StringRef object) {
  std::string sealed = object.str();
  char checksum[sizeof(uint64_t)];
  support::endian::write64le(checksum, xxh3_64bits(object));
  sealed.append(checksum, sizeof(checksum));
  sealed.append(kMagic.data(), kMagic.size());
  return sealed;
}

Expected<StringRef> mlir::triton::cpu::unsealObject(StringRef sealed) {
  if (sealed.size() < kSealSize || !sealed.ends_with(kMagic))
    return sealed;
  StringRef object = sealed.drop_back(kSealSize);
  if (support::endian::read64le(object.end()) == xxh3_64bits(object))
    return object;
  return createStringError("the object is damaged: its checksum does not "
                           "match. Remove it from the cache");
}
