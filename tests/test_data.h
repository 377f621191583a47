// Where the recorded reference data lies, and how tests read it.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace canvaslab {

inline std::filesystem::path test_data(const std::string& name) {
  return std::filesystem::path(CANVASLAB_TEST_DATA) / name;
}

inline nlohmann::json read_json(const std::filesystem::path& file) {
  std::ifstream in(file);
  return nlohmann::json::parse(in);
}

}  // namespace canvaslab
