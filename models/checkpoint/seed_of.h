// A seed of its own for every tensor: FNV-1a over its name, from the seed of all.
#pragma once

#include <cstdint>
#include <string>

namespace canvaslab {

inline std::uint64_t seed_of(const std::string& name, std::uint64_t seed) {
  std::uint64_t value = 1469598103934665603ULL ^ seed;
  for (const unsigned char byte : name) value = (value ^ byte) * 1099511628211ULL;
  return value;
}

}  // namespace canvaslab
