// The option `random: replay`: every draw comes from the file, and a file that does not fit is refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/random/random_source.h"
#include "models/checkpoint/safetensors.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Two canvases of 3 positions for 2 rows, 2 steps on the first.
class ReplayTest : public testing::Test {
 protected:
  void SetUp() override {
    const at::Tensor ids = at::arange(6, at::kLong).reshape({2, 3});
    draws_ = {{"run.canvas0.random_initial_canvas", ids},
              {"run.canvas0.sampled_canvas", at::stack({ids + 10, ids + 20})},
              {"run.canvas0.renoise_canvas", at::stack({ids + 30, ids + 40})},
              {"run.canvas1.random_initial_canvas", ids + 50}};
  }

  std::unique_ptr<Random> replay(const std::string& prefix = "run.") {
    write_safetensors(folder_ / "draws.safetensors", draws_);
    return build<RandomSource>(fmt::format("{{name: replay, file: '{}', prefix: '{}'}}",
                                           (folder_ / "draws.safetensors").string(), prefix))
        ->make(1);
  }

  static std::vector<StreamKey> at_step(std::uint32_t canvas, std::uint32_t step, size_t rows = 2) {
    return std::vector<StreamKey>(rows, {.sample = 0, .canvas = canvas, .step = step});
  }

  static std::vector<TokenId> tokens(Random& random, const std::vector<StreamKey>& rows, Purpose purpose,
                                     std::int64_t length = 3, std::int64_t vocabulary = 100) {
    std::vector<TokenId> out(rows.size() * static_cast<size_t>(length));
    random.tokens(rows, purpose, vocabulary, length, out);
    return out;
  }

  // The error that `work` ends in; none is a failure.
  template <class Work>
  static std::string error_of(Work work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
  TensorMap draws_;
};

TEST_F(ReplayTest, EveryDrawIsTheRecordedOne) {
  const auto random = replay();
  EXPECT_TRUE(random->lockstep());
  EXPECT_THAT(tokens(*random, at_step(0, 0), Purpose::kInitialCanvas), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(random->candidates(at_step(0, 0), 3).given, ElementsAre(10, 11, 12, 13, 14, 15));
  EXPECT_THAT(random->candidates(at_step(0, 1), 3).given, ElementsAre(20, 21, 22, 23, 24, 25));
  EXPECT_THAT(tokens(*random, at_step(0, 0), Purpose::kNoise), ElementsAre(30, 31, 32, 33, 34, 35));
  EXPECT_THAT(tokens(*random, at_step(0, 1), Purpose::kNoise), ElementsAre(40, 41, 42, 43, 44, 45));
  EXPECT_THAT(tokens(*random, at_step(1, 0), Purpose::kInitialCanvas), ElementsAre(50, 51, 52, 53, 54, 55));
}

TEST_F(ReplayTest, PrefixSaysWhichRunOfTheFile) {
  EXPECT_THAT(error_of([&] { tokens(*replay("other."), at_step(0, 0), Purpose::kInitialCanvas); }),
              AllOf(HasSubstr("draws.safetensors"), HasSubstr("'other.canvas0.random_initial_canvas'"),
                    HasSubstr("random.prefix is 'other.'")));
  draws_ = {{"canvas0.random_initial_canvas", draws_.at("run.canvas0.random_initial_canvas")}};
  EXPECT_THAT(tokens(*replay(""), at_step(0, 0), Purpose::kInitialCanvas), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST_F(ReplayTest, RefusesAStepThatWasNotRecorded) {
  EXPECT_THAT(
      error_of([&] { replay()->candidates(at_step(0, 2), 3); }),
      AllOf(HasSubstr("run.canvas0.sampled_canvas"), HasSubstr("holds 2 steps"), HasSubstr("step 2")));
  EXPECT_THAT(error_of([&] { tokens(*replay(), at_step(2, 0), Purpose::kInitialCanvas); }),
              HasSubstr("run.canvas2.random_initial_canvas"));
}

TEST_F(ReplayTest, RefusesAnotherShape) {
  EXPECT_THAT(error_of([&] { tokens(*replay(), at_step(0, 0, 3), Purpose::kNoise); }),
              HasSubstr("another shape than [3, 3]"));
  EXPECT_THAT(error_of([&] { replay()->candidates(at_step(0, 0), 4); }),
              HasSubstr("another shape than [2, 4]"));
}

TEST_F(ReplayTest, RefusesWhatIsNoTokenId) {
  EXPECT_THAT(error_of([&] { tokens(*replay(), at_step(0, 1), Purpose::kNoise, 3, 45); }),
              HasSubstr("token id 45 is outside the vocabulary of 45"));
  draws_["run.canvas0.random_initial_canvas"] = at::full({2, 3}, (std::int64_t{1} << 32) + 1, at::kLong);
  EXPECT_THAT(error_of([&] { tokens(*replay(), at_step(0, 0), Purpose::kInitialCanvas); }),
              HasSubstr("4294967297"));
  draws_["run.canvas0.random_initial_canvas"] = at::full({2, 3}, 1.5, at::kFloat);
  EXPECT_THAT(error_of([&] { tokens(*replay(), at_step(0, 0), Purpose::kInitialCanvas); }),
              HasSubstr("expected integers"));
}

TEST_F(ReplayTest, RefusesAMissingFile) {
  EXPECT_THAT(refusal<RandomSource>("{name: replay}"), HasSubstr("random.file is missing"));
  EXPECT_THAT(refusal<RandomSource>("{name: replay, fiel: x}"), HasSubstr("did you mean 'file'"));
  const auto source = build<RandomSource>(
      fmt::format("{{name: replay, file: '{}'}}", (folder_ / "absent.safetensors").string()));
  EXPECT_THAT(error_of([&] { source->make(1); }), HasSubstr("absent.safetensors"));
}

}  // namespace
}  // namespace canvaslab
