// Records, folders and the h5py checker for tests of the trace.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/trace/trace_writer.h"

namespace canvaslab::trace_test {

// A folder of its own below the system's temporary folder, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "canvaslab-trace-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline RunInfo example_run() {
  return {
      0xFEDCBA9876543210u, "0.1.0", "0123abcd", "seed: 1\nnote: \"\xC3\xBC\"\n", {"seed=1", "task=sudoku"}};
}

// Records whose values all follow from (sample, canvas, step, position) by rules that check_trace.py knows as
// well.
inline int example_number(std::uint64_t sample, std::uint64_t canvas, int step, int position, int quantity) {
  return static_cast<int>(
      (sample * 31 + canvas * 17 + static_cast<std::uint64_t>(step * 7 + position * 3 + quantity)) % 1009);
}

inline StepTrace example_step(std::uint64_t sample, std::uint32_t canvas, int step, int length) {
  const auto number = [&](int position, int quantity) {
    return example_number(sample, canvas, step, position, quantity);
  };
  const auto share = [&](int position, int quantity) {
    return static_cast<float>(number(position, quantity)) / 1009;
  };
  StepTrace result;
  result.temperature = share(0, 20);
  result.mean_entropy = share(0, 21);
  result.bound_slack = step % 2 == 0 ? NAN : share(0, 22);
  result.accepted = number(0, 23);
  result.changed = number(0, 24);
  result.stable = number(0, 25) % 2 == 0;
  result.confident = number(0, 26) % 2 == 0;
  result.seconds = share(0, 27);
  for (int i = 0; i < length; ++i) {
    result.prediction.entropy.push_back(share(i, 0));
    result.prediction.confidence.push_back(share(i, 1));
    result.prediction.margin.push_back(share(i, 2));
    result.prediction.sampled_probability.push_back(share(i, 3));
    result.prediction.current_probability.push_back(share(i, 4));
    result.prediction.argmax.push_back(number(i, 5));
    result.prediction.sampled.push_back(number(i, 6));
    result.decision.push_back(static_cast<Decision>(number(i, 7) % 4));
    result.canvas.push_back(number(i, 8));
  }
  return result;
}

inline CanvasTrace example_canvas(std::uint64_t sample, std::uint32_t index, int steps, int length) {
  CanvasTrace canvas;
  canvas.sample = sample;
  canvas.index = index;
  for (int step = 0; step < steps; ++step) canvas.steps.push_back(example_step(sample, index, step, length));
  canvas.stop_reason = index % 2 == 0 ? "stable_and_confident" : "max_steps";
  canvas.prefill_seconds = static_cast<float>(example_number(sample, index, 0, 0, 30)) / 1009;
  canvas.denoise_seconds = static_cast<float>(example_number(sample, index, 0, 0, 31)) / 1009;
  for (int i = 0; i < length; ++i) canvas.committed.push_back(example_number(sample, index, 0, i, 32));
  return canvas;
}

inline SampleTrace example_sample(std::uint64_t sample) {
  SampleTrace result;
  result.sample = sample;
  result.id = fmt::format("puzzle-{}", sample);
  result.prompt = "fill \xE2\x96\xA1\n";
  result.target = sample % 3 == 0 ? "" : "1 2 3 4";
  result.text = "1 2 \xF0\x9D\x9F\x9B 4";
  result.correct = static_cast<std::int8_t>(static_cast<int>(sample % 3) - 1);
  for (std::uint64_t i = 0; i < sample % 5; ++i)
    result.prompt_tokens.push_back(static_cast<TokenId>(sample * 10 + i));
  for (std::uint64_t i = 0; i < sample % 4; ++i)
    result.tokens.push_back(static_cast<TokenId>(sample * 100 + i));
  result.canvases = 2;
  result.steps = static_cast<int>(sample) + 5;
  result.seconds = static_cast<float>(sample) / 8;
  result.stop_reason = "eos";
  return result;
}

// Runs check_trace.py with Debian's python3-h5py; true if it agrees. `output` gets what it printed.
inline bool check_with_h5py(const std::vector<std::string>& arguments, std::string& output) {
  std::string command = "/usr/bin/python3 " CANVASLAB_SOURCE_DIR "/tests/core/trace/check_trace.py";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  std::FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return false;
  output.clear();
  char buffer[4096];
  while (const size_t size = std::fread(buffer, 1, sizeof(buffer), pipe)) output.append(buffer, size);
  return ::pclose(pipe) == 0;
}

}  // namespace canvaslab::trace_test
