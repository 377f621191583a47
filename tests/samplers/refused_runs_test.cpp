// What the loop refuses before the model is asked for anything.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/samplers/loop.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The complaint that a run gives before its first pass over the model, or "accepted".
std::string refused(Loop loop, const StubDenoiser& denoiser, const std::vector<SampleRequest>& requests) {
  try {
    loop.run(denoiser, requests);
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(denoiser.prefilled, IsEmpty());
    EXPECT_THAT(denoiser.passes, IsEmpty());
    return error.what();
  }
  return "accepted";
}

TEST(RefusedRuns, RefusesMorePositionsThanTheModelHasBeforeAnyPass) {
  Loop loop;
  loop.max_new_tokens = 9;  // three canvases of 4
  std::vector<SampleRequest> requests = numbered(3);
  requests[1].prompt.assign(5, 2);
  for (const auto& [positions, fits] : {std::pair{16, false}, {17, true}}) {
    StubDenoiser denoiser(12, 4, always(5));
    denoiser.positions = positions;
    EXPECT_EQ(refused(loop, denoiser, requests) == "accepted", fits) << positions;
  }
  StubDenoiser denoiser(12, 4, always(5));
  denoiser.positions = 16;
  EXPECT_THAT(refused(loop, denoiser, requests),
              AllOf(HasSubstr("sample 1: 5 prompt tokens and 3 canvases of 4 need 17 positions"),
                    HasSubstr("has 16")));
  requests[1].prompt.resize(4);
  requests[1].padding_before = 1;  // padding takes positions too
  EXPECT_THAT(refused(loop, denoiser, requests), HasSubstr("need 17 positions"));
}

TEST(RefusedRuns, RefusesAGivenCanvasOfAnotherLength) {
  std::vector<SampleRequest> requests = numbered(2);
  requests[1].initial_canvas = {1, 2, 3};
  EXPECT_THAT(refused({}, StubDenoiser(12, 4, always(5)), requests),
              HasSubstr("sample 1: the initial canvas has 3 tokens, expected 4"));
}

TEST(RefusedRuns, RefusesTokensOutsideTheVocabulary) {
  const StubDenoiser denoiser(12, 4, always(5));
  Loop loop;
  loop.config.suppress = {12};
  EXPECT_THAT(refused(loop, denoiser, numbered(1)),
              HasSubstr("sampler.suppress: id 12 is outside the vocabulary of 12"));
  loop.config.suppress = {};
  loop.config.stop_tokens = {3, 12};
  EXPECT_THAT(refused(loop, denoiser, numbered(1)),
              HasSubstr("sampler.stop_tokens: id 12 is outside the vocabulary of 12"));
  loop.config.stop_tokens = {};
  for (const TokenId bad : {12, -1}) {
    std::vector<SampleRequest> requests = numbered(1);
    requests[0].initial_canvas = {1, bad, 2, 3};
    EXPECT_THAT(refused(loop, denoiser, requests),
                HasSubstr(fmt::format("sample 0: the initial canvas: id {} is outside", bad)));
    requests = numbered(2);
    requests[1].prompt = {4, bad};
    EXPECT_THAT(refused(loop, denoiser, requests),
                HasSubstr(fmt::format("sample 1: the prompt: id {} is outside", bad)));
  }
}

TEST(RefusedRuns, RefusesToSuppressEverything) {
  Loop loop;
  for (TokenId token = 0; token < 12; ++token) loop.config.suppress.push_back(token);
  EXPECT_THAT(refused(loop, StubDenoiser(12, 4, always(5)), numbered(1)),
              HasSubstr("every token is suppressed"));
}

}  // namespace
}  // namespace canvaslab
