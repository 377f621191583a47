// A hash map from 64-bit keys to small values in one flat array: the merge table has half a million entries
// and is asked once or twice for every character, so that a node per entry would cost most of the encoding
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace canvaslab {

// Insert and find only; the key kNoKey is reserved. Pointers stay valid until the next insertion.
template <typename Value>
class FlatMap {
 public:
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

  explicit FlatMap(std::size_t expected = 0) { rehash(expected); }

  // The value of `key`, made from Value{} where it was not there.
  Value& operator[](std::uint64_t key) {
    if (2 * (size_ + 1) > entries_.size()) rehash(2 * size_ + 2);
    Entry& entry = entries_[slot(key)];
    if (entry.key == kNoKey) {
      entry = {key, Value{}};
      ++size_;
    }
    return entry.value;
  }

  // nullptr where `key` was never inserted.
  const Value* find(std::uint64_t key) const {
    const Entry& entry = entries_[slot(key)];
    return entry.key == kNoKey ? nullptr : &entry.value;
  }

  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::uint64_t key = kNoKey;
    Value value{};
  };

  // The slot that holds `key`, or the free one where it belongs.
  std::size_t slot(std::uint64_t key) const {
    std::uint64_t mixed = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15u;
    std::size_t at = (mixed ^ (mixed >> 29)) >> 3 & mask_;
    while (entries_[at].key != key && entries_[at].key != kNoKey) at = (at + 1) & mask_;
    return at;
  }

  void rehash(std::size_t expected) {
    std::size_t capacity = 16;
    while (capacity < 2 * expected) capacity *= 2;
    std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(capacity));
    mask_ = capacity - 1;
    for (Entry& entry : old) {
      if (entry.key != kNoKey) entries_[slot(entry.key)] = std::move(entry);
    }
  }

  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace canvaslab
