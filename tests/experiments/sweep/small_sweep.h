// Small sweeps as a person has them, for tests: the program as a process in a folder of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/experiments/sweep/program.h"

namespace canvaslab {

class SmallSweep : public testing::Test {
 protected:
  Program start(std::vector<std::string> words) const { return Program(folder_.path(), std::move(words)); }

  // The words of a sweep in path(), of cells that take some hundredths of a second.
  std::vector<std::string> sweep(const std::vector<std::string>& more) const {
    return run({"-m", "hydra.sweep.dir=" + path().string()}, more);
  }

  std::vector<std::string> run(const std::vector<std::string>& how,
                               const std::vector<std::string>& more) const {
    std::vector<std::string> words{"run", "model.checkpoint=sudoku4-uniform", "task.samples=2", "threads=1"};
    words.insert(words.end(), how.begin(), how.end());
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  // Exit status of the program, which must end within a minute or two; its streams are kept.
  int status(std::vector<std::string> words) {
    Program process = start(std::move(words));
    const int status = process.wait(120);
    out_ = process.out(), messages_ = process.messages();
    return status;
  }

  // Column `name` of the sweep's table, "" where a cell has none.
  std::vector<std::string> column(const std::string& name) {
    EXPECT_EQ(status({"sweep", path().string(), "--json"}), 0) << messages_;
    std::vector<std::string> values;
    const nlohmann::json table = nlohmann::json::parse(out_);
    for (const nlohmann::json& cell : table.at("cells")) {
      const nlohmann::json value = name == "digest" ? cell.value("metrics", nlohmann::json::object()) : cell;
      const nlohmann::json found = value.value(name, nlohmann::json(""));
      values.push_back(found.is_string() ? found.get<std::string>() : found.dump());
    }
    return values;
  }

  // Files and folders below a folder.
  static std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      all.insert(entry.path().lexically_relative(folder).string());
    return all;
  }

  std::filesystem::path path() const { return folder_ / "sweep"; }

  TemporaryFolder folder_;
  std::string out_, messages_;
};

}  // namespace canvaslab
