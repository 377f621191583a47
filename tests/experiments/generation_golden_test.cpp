// The whole loop against the reference's generate(), step for step: with its recorded draws, and with
// LibTorch's generator from the scenario's seed (tests/data/golden/README.md, section generation).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiments/generate.h"
#include "models/checkpoint/safetensors.h"
#include "tests/temporary_folder.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

constexpr double kEntropyTolerance = 5e-4;  // nats

const std::filesystem::path kFolder = test_data("golden/generation");

std::vector<std::string> words_of(const nlohmann::json& arguments) {
  std::vector<std::string> words;
  for (const auto& [name, value] : arguments.items())
    words.push_back(fmt::format("generation.{}={}", name, value.dump()));
  return words;
}

struct Scenario {
  std::string name;
  nlohmann::json settings;
  const TensorMap& recorded;

  TensorMap run(std::vector<std::string> words) const {
    const TemporaryFolder folder;
    TensorMap inputs;
    for (const std::string input : {"input_ids", "attention_mask", "decoder_input_ids"}) {
      const auto found = recorded.find(name + "." + input);
      if (found != recorded.end()) inputs[input] = found->second;
    }
    write_safetensors(folder / "inputs.safetensors", inputs);
    for (const std::string& word : words_of(settings["args"])) words.push_back(word);
    generate({kFolder, folder / "inputs.safetensors", folder / "output.safetensors", {}, words});
    return read_safetensors(folder / "output.safetensors");
  }

  void expect_equal(const TensorMap& mine, const std::string& tensor) const {
    ASSERT_TRUE(mine.contains(tensor)) << tensor;
    const at::Tensor& expected = recorded.at(name + "." + tensor);
    ASSERT_EQ(mine.at(tensor).sizes(), expected.sizes()) << tensor;
    EXPECT_TRUE((mine.at(tensor) == expected).all().item<bool>()) << tensor;
  }

  double expect_close(const TensorMap& mine, const std::string& tensor) const {
    const at::Tensor& expected = recorded.at(name + "." + tensor);
    EXPECT_EQ(mine.at(tensor).sizes(), expected.sizes()) << tensor;
    if (mine.at(tensor).sizes() != expected.sizes()) return 0;
    const double difference = (mine.at(tensor) - expected).abs().max().item<double>();
    EXPECT_LE(difference, kEntropyTolerance) << tensor;
    return difference;
  }

  void expect_same_run(const TensorMap& mine) const {
    expect_equal(mine, "sequences");
    expect_equal(mine, "decoder_forward_passes");
    double largest = 0;
    int canvases = 0;
    for (; recorded.contains(fmt::format("{}.canvas{}.canvas_in", name, canvases)); ++canvases) {
      const std::string canvas = fmt::format("canvas{}.", canvases);
      for (const char* exact : {"canvas_in", "temperature", "sampled_canvas", "accept_mask", "renoise_canvas",
                                "argmax_canvas", "next_canvas", "stopped"}) {
        expect_equal(mine, canvas + exact);
      }
      largest = std::max({largest, expect_close(mine, canvas + "token_entropy"),
                          expect_close(mine, canvas + "mean_entropy")});
    }
    EXPECT_GT(canvases, 0);
    EXPECT_FALSE(mine.contains(fmt::format("canvas{}.canvas_in", canvases)))
        << "more canvases than the reference";
    std::cout << fmt::format("  {}: {} canvases, largest difference of an entropy {:.2e} nats\n", name,
                             canvases, largest);
  }
};

class GoldenGeneration : public testing::Test {
 protected:
  template <class Check>
  void for_each_scenario(Check check) {
    const TensorMap recorded = read_safetensors(kFolder / "expected.safetensors");
    const auto scenarios = read_json(kFolder / "scenarios.json");
    ASSERT_EQ(scenarios["scenarios"].size(), 5U);
    for (const auto& [name, settings] : scenarios["scenarios"].items()) {
      SCOPED_TRACE(name);
      check(Scenario{name, settings, recorded});
    }
  }
};

TEST_F(GoldenGeneration, RecordedDrawsGiveTheRecordedRun) {
  for_each_scenario([](const Scenario& scenario) {
    scenario.expect_same_run(scenario.run(
        {"random=replay", fmt::format("random.file='{}'", (kFolder / "expected.safetensors").string()),
         fmt::format("random.prefix='{}.'", scenario.name)}));
  });
}

TEST_F(GoldenGeneration, TheSeedAloneGivesTheRecordedRun) {
  for_each_scenario([](const Scenario& scenario) {
    scenario.expect_same_run(scenario.run(
        {"random=torch_compatible", fmt::format("seed={}", scenario.settings["seed"].get<int>())}));
  });
}

}  // namespace
}  // namespace canvaslab
