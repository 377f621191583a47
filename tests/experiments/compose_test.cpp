// The compose command: what it prints, and that errors come before any output.
#include "experiments/compose.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/error.h"
#include "tests/core/config/temporary_folder.h"

namespace canvaslab {
namespace {

class ComposeCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("main.yaml",
                  "defaults:\n- _self_\n- noise: masked\nseed: 1\nname: run_${seed}\nopen: ???\n");
    folder_.write("noise/masked.yaml", "kind: masked\n");
    folder_.write("noise/uniform.yaml", "kind: uniform\nchoice: ${hydra:runtime.choices.noise}\n");
  }

  std::string print(bool resolve, const std::vector<std::string>& overrides) {
    std::ostringstream out;
    EXPECT_EQ(compose_command(folder_.path(), "main", resolve, overrides, out), 0);
    return out.str();
  }

  config::TemporaryFolder folder_;
};

TEST_F(ComposeCommand, PrintsTheJobConfiguration) {
  EXPECT_EQ(print(false, {"seed=2"}), "seed: 2\nname: run_${seed}\nopen: ???\nnoise:\n  kind: masked\n");
}

TEST_F(ComposeCommand, ResolvesWhenAsked) {
  EXPECT_EQ(print(true, {"open=[1,'2']", "noise=uniform"}),
            "seed: 1\nname: run_1\nopen:\n- 1\n- '2'\nnoise:\n  kind: uniform\n  choice: uniform\n");
}

TEST_F(ComposeCommand, RefusesAnOpenValueWhenResolving) {
  std::ostringstream out;
  EXPECT_THROW(compose_command(folder_.path(), "main", true, {}, out), ConfigurationError);
  EXPECT_THROW(compose_command(folder_.path(), "mian", false, {}, out), ConfigurationError);
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace canvaslab
