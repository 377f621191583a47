// A sample gives the same tokens whatever is denoised beside it: batches of prompts of different lengths
// against each prompt alone. Draws are the same by construction; matrix products are, because MKL is told to
// (MKL_CBWR=AUTO,STRICT, set by the program and by the test runner): without that a third of long runs differ
// somewhere.
//
// CANVASLAB_INVARIANCE_SAMPLES sets how many samples are compared (default 100; the README's figure is for
// 10,000).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "experiments/session.h"
#include "samplers/sampler.h"

namespace canvaslab {
namespace {

int samples_wanted() {
  const char* text = std::getenv("CANVASLAB_INVARIANCE_SAMPLES");
  return text == nullptr ? 100 : std::atoi(text);
}

// Puzzles of the shipped file, cut to different lengths: the cut ones are no puzzles any more, but prompts
// they are.
std::vector<SampleRequest> requests_for(const Session& session, int count) {
  const std::vector<TaskItem> items = session.config().task->items(session.model().folder);
  std::vector<SampleRequest> requests;
  for (int i = 0; i < count; ++i) {
    SampleRequest request;
    request.sample = static_cast<std::uint64_t>(i);
    request.prompt = session.model().tokenizer->encode(items[i % items.size()].prompt, true);
    if (i % 4 == 0) request.prompt.resize(1 + static_cast<size_t>(i) * 7 % request.prompt.size());
    requests.push_back(request);
  }
  return requests;
}

std::vector<SampleResult> run_with(const Session& session, std::span<const SampleRequest> requests,
                                   int batch) {
  config::Node settings = *session.effective().find("sampler");
  settings.set("batch", config::Node(std::int64_t{batch}));
  const Rules rules = session.rules();
  const std::unique_ptr<Random> random = session.config().random->make(session.config().seed);
  SampleObserver nobody;
  return Registry<SamplerSource>::build(settings)
      ->make(*session.model().denoiser, rules, *random, session.max_new_tokens())
      ->run(requests, nobody);
}

// Whether MKL was told; a program that is not started by the test runner may lack it.
bool strict_products() {
  return std::getenv("MKL_CBWR") != nullptr;
}

void expect_same_alone_and_together(const std::vector<std::string>& overrides) {
  std::vector<std::string> words{"experiment=recommended", "task.samples=null", "threads=1"};
  words.insert(words.end(), overrides.begin(), overrides.end());
  Session session({}, words);
  session.load();
  const int count = samples_wanted();
  const std::vector<SampleRequest> requests = requests_for(session, count);
  const std::vector<SampleResult> together = run_with(session, requests, 32);
  int exceptions = 0;
  for (int i = 0; i < count; ++i) {
    const SampleResult alone = run_with(session, {&requests[i], 1}, 1)[0];
    exceptions += alone.tokens != together[i].tokens ? 1 : 0;
  }
  std::cout << fmt::format("  {} of {} samples differ\n", exceptions, count);
  EXPECT_EQ(exceptions, 0);
}

TEST(BatchInvariance, ARowGivesTheSameTokensAsAlone) {
  if (!strict_products()) GTEST_SKIP() << "MKL_CBWR is not set: run through ./lab test";
  expect_same_alone_and_together({});
}

TEST(BatchInvariance, ADecodedRowGivesTheSameTokensAsAlone) {
  if (!strict_products()) GTEST_SKIP() << "MKL_CBWR is not set: run through ./lab test";
  expect_same_alone_and_together({"sampler=autoregressive", "sampler.temperature=1"});
}

TEST(BatchInvariance, SynchronousBatchingGivesTheSameTokens) {
  if (!strict_products()) GTEST_SKIP() << "MKL_CBWR is not set: run through ./lab test";
  Session session({}, {"experiment=recommended", "model.checkpoint=sudoku4-uniform", "threads=2",
                       "sampler.max_new_tokens=40", "sampler.batching=synchronous"});
  session.load();
  const std::vector<SampleRequest> requests = requests_for(session, 16);
  const std::vector<SampleResult> synchronous = run_with(session, requests, 6);
  Session other({}, {"experiment=recommended", "model.checkpoint=sudoku4-uniform", "threads=1",
                     "sampler.max_new_tokens=40"});
  other.load();
  const std::vector<SampleResult> continuous = run_with(other, requests, 7);
  for (size_t i = 0; i < requests.size(); ++i) EXPECT_EQ(synchronous[i].tokens, continuous[i].tokens) << i;
}

}  // namespace
}  // namespace canvaslab
