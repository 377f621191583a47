#include "experiments/tasks/split.h"

#include <array>
#include <cstdint>

namespace canvaslab {
namespace {

// FNV-1a, whose last bits alone would favour some texts, and the finalizer of SplitMix64 over it.
std::uint64_t hash(std::string_view kind, std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const std::string_view part : {kind, std::string_view("\0", 1), text}) {
    for (const char byte : part) value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

std::string split_name(Split split) {
  constexpr std::array<const char*, 3> kNames{"train", "validation", "test"};
  return kNames[static_cast<size_t>(split)];
}

Split split_of(std::string_view kind, std::string_view text) {
  const std::uint64_t tenth = hash(kind, text) % 10;
  return tenth < 8 ? Split::kTrain : tenth == 8 ? Split::kValidation : Split::kTest;
}

}  // namespace canvaslab
