//===- native_table.cc - compiled kernels by key --------------------------===//

#include "native_table.h"

namespace triton::native {

Entry *Table::findHashed(const Key &key) {
  if (slots.empty())
    return nullptr;
  size_t mask = slots.size() - 1;
  for (size_t i = key.hash() & mask; slots[i]; i = (i + 1) & mask)
    if (slots[i]->matches(key))
      return last = slots[i];
  return nullptr;
}

void Table::grow() {
  std::vector<Entry *> old = std::move(slots);
  slots.assign(old.empty() ? 8 : old.size() * 2, nullptr);
  size_t mask = slots.size() - 1;
  for (Entry *entry : old) {
    if (!entry)
      continue;
    size_t i = entry->hash & mask;
    while (slots[i])
      i = (i + 1) & mask;
    slots[i] = entry;
  }
}

Entry *Table::insert(Entry *entry) {
  if ((count + 1) * 2 > slots.size())
    grow();
  size_t mask = slots.size() - 1;
  size_t i = entry->hash & mask;
  for (; slots[i]; i = (i + 1) & mask) {
    if (slots[i]->key == entry->key) {
      entry->release();
      return last = slots[i];
    }
  }
  slots[i] = entry;
  ++count;
  return last = entry;
}

void Table::clear() {
  // Releasing a kernel may run Python code, which must find an empty table.
  std::vector<Entry *> old = std::move(slots);
  slots.clear();
  count = 0;
  last = nullptr;
  for (Entry *entry : old)
    if (entry)
      entry->release();
}

} // namespace triton::native
