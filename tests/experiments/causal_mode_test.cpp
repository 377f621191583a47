// A checkpoint whose causal mode nothing vouches for is warned of, and only where it is asked to predict.
#include "experiments/causal_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/project.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

class CausalMode : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::copy(project_root() / "models/pretrained/sudoku6-uniform", checkpoint_);
    std::filesystem::remove(checkpoint_ / "training.yaml");
  }

  std::string warning(const std::string& sampler, const std::string& record) const {
    if (!record.empty()) std::ofstream(checkpoint_ / "training.yaml") << record;
    Session session({}, {"sampler=" + sampler, "model.checkpoint=" + checkpoint_.string()});
    session.load();
    return causal_mode_warning(session);
  }

  const TemporaryFolder folder_;
  const std::filesystem::path checkpoint_ = folder_ / "checkpoint";
};

TEST_F(CausalMode, ATrainingThatWeighedItVouchesForIt) {
  EXPECT_EQ(warning("autoregressive", "training: {causal_weight: 0.5}\n"), "");
  EXPECT_EQ(warning("autoregressive", "training: {causal_weight: 1}\n"), "");
}

TEST_F(CausalMode, NothingElseDoes) {
  EXPECT_THAT(warning("autoregressive", ""), HasSubstr(checkpoint_.string()));
  EXPECT_THAT(warning("autoregressive", "training: {causal_weight: 0.0}\n"),
              HasSubstr("training.causal_weight"));
  EXPECT_THAT(warning("autoregressive", "training: {steps: 3}\n"), HasSubstr("warning"));
}

TEST_F(CausalMode, IsNoMatterWhereCanvasesAreDenoised) {
  EXPECT_EQ(warning("block", ""), "");
}

}  // namespace
}  // namespace canvaslab
