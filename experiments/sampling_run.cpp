#include "experiments/sampling_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/project.h"
#include "core/standard_streams.h"
#include "experiments/causal_mode.h"
#include "experiments/results.h"
#include "experiments/tasks/encode_example.h"
#include "experiments/true_error.h"
#include "samplers/sampler.h"

namespace canvaslab {
namespace {

// A program that was copied out of the project's folder has no commit to tell.
std::string commit() {
  try {
    return git_commit(project_root());
  } catch (const ConfigurationError&) {
    return "unknown";
  }
}

Results::Recorded recorded_in(const std::filesystem::path& folder, TraceStart start) {
  if (start == TraceStart::kFresh) return {};
  return {recorded_canvases(folder), read_samples(folder)};
}

// The requests that are not among the recorded samples.
std::vector<SampleRequest> missing(const std::vector<SampleRequest>& requests,
                                   const Results::Recorded& recorded) {
  std::vector<SampleRequest> rest = requests;
  std::erase_if(rest, [&](const SampleRequest& request) {
    return std::any_of(recorded.samples.begin(), recorded.samples.end(),
                       [&](const SampleTrace& sample) { return sample.sample == request.sample; });
  });
  return rest;
}

// The truth is known of whole sequences.
void check_whole_canvas(const Session& session) {
  const std::int64_t length = session.model().denoiser->canvas_length();
  if (session.model().exact == nullptr || session.max_new_tokens() == length) return;
  throw ConfigurationError(
      fmt::format("sampler.max_new_tokens is {}, and this model's sequences have {}: leave it null",
                  session.max_new_tokens(), length));
}

}  // namespace

const Tokenizer& needed_tokenizer(const Model& model) {
  if (model.tokenizer) return *model.tokenizer;
  throw ConfigurationError(
      fmt::format("{}: run needs a tokenizer.json beside the weights", model.folder.string()));
}

SamplingRun::SamplingRun(const Session& session) : session_(session) {
  check_whole_canvas(session);
  const Tokenizer& tokenizer = needed_tokenizer(session.model());
  if (const std::string warning = causal_mode_warning(session); !warning.empty()) tell(warning);
  session.config().task->check(tokenizer, session.max_new_tokens());
  items_ = session.config().task->items(session.model().folder);
  std::vector<std::vector<TokenId>> canvases =
      session.config().start->canvases(items_, tokenizer, session.model().vocabulary,
                                       session.model().denoiser->canvas_length(), session.config().seed);
  for (size_t i = 0; i < items_.size(); ++i) {
    requests_.push_back({.sample = i,
                         .prompt = encode_prompt(items_[i], tokenizer),
                         .padding_before = 0,
                         .initial_canvas = std::move(canvases[i])});
  }
  const std::unique_ptr<Random> random = session.config().random->make(session.config().seed);
  const Rules rules = session.rules();
  session.config()
      .sampler->make(*session.model().denoiser, rules, *random, session.max_new_tokens())
      ->check(requests_);
}

RunMetrics SamplingRun::run(const Place& place, std::unique_ptr<SampleObserver> progress,
                            std::ostream* out) const {
  const RunConfig& config = session_.config();
  const Rules rules = session_.rules();
  const std::unique_ptr<Random> random = config.random->make(config.seed);
  const std::unique_ptr<Sampler> sampler =
      config.sampler->make(*session_.model().denoiser, rules, *random, session_.max_new_tokens());
  const RunInfo info{config.seed, CANVASLAB_VERSION, commit(), config::to_yaml(session_.effective()),
                     place.overrides};
  const std::unique_ptr<TraceWriter> writer = open_trace(place.folder, info, config.trace.level, place.start);
  const auto start = std::chrono::steady_clock::now();
  Results results(session_, items_, requests_, *writer, *progress);
  const Results::Recorded recorded = recorded_in(place.folder, place.start);
  if (!recorded.canvases.empty() && random->lockstep()) {
    throw ConfigurationError(fmt::format(
        "{} cannot be resumed: its random numbers depend on the whole batch. Run it again, in a new folder",
        place.folder.string()));
  }
  results.take_over(recorded);
  sampler->run(missing(requests_, recorded), results);
  writer->finish();
  if (session_.model().exact != nullptr)
    results.add(sampler_truth(session_, static_cast<int>(items_.size())));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.reset();  // a display that is redrawn in place must go first
  if (out != nullptr) results.print(*out, seconds);
  return results.metrics();
}

}  // namespace canvaslab
