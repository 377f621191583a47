#include "experiments/results.h"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/interruption.h"
#include "experiments/true_error.h"
#include "models/exact/exact_denoiser.h"

namespace canvaslab {
namespace {

// Tokens up to and including the first that ends the sequence.
std::int64_t generated_of(const SampleTrace& sample, const Session& session) {
  if (sample.stop_reason != "end") return static_cast<std::int64_t>(sample.tokens.size());
  const std::vector<TokenId>& ends = session.model().vocabulary.end;
  const std::vector<TokenId>& more = session.config().sampler->stop_tokens();
  const auto first = std::find_if(sample.tokens.begin(), sample.tokens.end(), [&](TokenId token) {
    return std::find(ends.begin(), ends.end(), token) != ends.end() ||
           std::find(more.begin(), more.end(), token) != more.end();
  });
  return first - sample.tokens.begin() + (first == sample.tokens.end() ? 0 : 1);
}

std::string bracketed(const RatioSums& sums) {
  const std::optional<Interval> interval = sums.interval();
  return interval ? fmt::format(" [{:.2f}, {:.2f}]", interval->low, interval->high) : "";
}

}  // namespace

Results::Results(const Session& session, const std::vector<TaskItem>& items,
                 const std::vector<SampleRequest>& requests, TraceWriter& writer, SampleObserver& progress)
    : session_(session),
      items_(items),
      requests_(requests),
      writer_(writer),
      trace_(writer),
      progress_(progress),
      lines_(items.size()),
      canvas_steps_(items.size()) {}

void Results::take_over(const Recorded& recorded) {
  trace_.skip(recorded.canvases);
  for (const SampleTrace& sample : recorded.samples) {
    canvas_steps_[sample.sample] = {sample.steps};
    count(sample, generated_of(sample, session_));
  }
}

void Results::step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float slack,
                   double seconds) {
  if (interruption() != 0)
    throw Interrupted(interruption(), fmt::format("stopped by {}", signal_name(interruption())));
  trace_.step(key, record, signal, slack, seconds);
  progress_.step(key, record, signal, slack, seconds);
}

void Results::canvas(const CanvasResult& result) {
  trace_.canvas(result);
  progress_.canvas(result);
  canvas_steps_[result.sample].push_back(result.steps);
}

void Results::sample(const SampleResult& result) {
  const TaskItem& item = items_[result.sample];
  const std::vector<TokenId> answer(result.tokens.begin(), result.tokens.begin() + result.generated);
  SampleTrace sample;
  sample.sample = result.sample;
  sample.id = item.id, sample.prompt = item.prompt, sample.target = item.target;
  sample.text = session_.model().tokenizer->decode(answer, /*skip_special_tokens=*/true);
  const std::optional<bool> correct = session_.config().task->grade(item, sample.text);
  sample.correct = correct ? static_cast<std::int8_t>(*correct) : std::int8_t{-1};
  sample.prompt_tokens = requests_[result.sample].prompt;
  sample.tokens = result.tokens;
  sample.canvases = result.canvases;
  sample.steps = result.forward_passes;
  sample.seconds = static_cast<float>(result.seconds);
  sample.stop_reason = result.stop_reason;
  count(sample, result.generated);
  writer_.append(std::move(sample));
  progress_.sample(result);
}

void Results::count(const SampleTrace& sample, std::int64_t generated) {
  metrics_.add({.sample = sample.sample,
                .correct = sample.correct,
                .canvases = sample.canvases,
                .passes = sample.steps,
                .generated = generated,
                .tokens = sample.tokens,
                .prompt = sample.prompt});
  const TaskItem& item = items_[sample.sample];
  Metrics measures;
  if (sample.correct >= 0)
    measures.push_back({"right", static_cast<double>(sample.correct), MetricKind::kShare});
  for (Metric& measure : session_.config().task->measure(item, sample.text))
    measures.push_back(std::move(measure));
  if (const ExactDenoiser* exact = session_.model().exact)
    for (Metric& measure : sample_truth(exact->model(), sample.tokens))
      measures.push_back(std::move(measure));
  measures_.add(item.difficulty, measures);
  answers_.push_back({item, sample.text});
  lines_[sample.sample] = line(sample, generated);
}

void Results::add(const std::vector<Metrics>& measures) {
  for (const Metrics& some : measures) measures_.add(std::nullopt, some);
}

// Measures take time to summarise: only where there is no grade to show.
RunMetrics Results::metrics() const {
  RunMetrics metrics = metrics_;
  if (metrics.graded == 0) metrics.measures = measures_.overall();
  return metrics;
}

std::string Results::line(const SampleTrace& sample, std::int64_t generated) const {
  const char* const verdict = sample.correct < 0 ? "-" : sample.correct > 0 ? "right" : "wrong";
  return fmt::format("{:>5}  {}  {}  steps {}  {:.2f} tokens a pass  {:.2f} s", sample.id, sample.text,
                     verdict, fmt::join(canvas_steps_[sample.sample], "+"),
                     static_cast<double>(generated) / std::max(1, sample.steps), sample.seconds);
}

void Results::print(std::ostream& out, double seconds) const {
  for (const std::string& text : lines_) fmt::print(out, "{}\n", text);
  fmt::print(out, "\n{} samples", metrics_.samples);
  if (metrics_.graded > 0) {
    fmt::print(out, ", {} of {} right ({:.1f} %)", metrics_.correct, metrics_.graded,
               100.0 * metrics_.accuracy());
  }
  fmt::print(out, ", {:.2f} steps a canvas{}, {:.2f} tokens a forward pass{}, {:.2f} s\n",
             metrics_.steps_per_canvas(), bracketed(metrics_.steps), metrics_.tokens_per_pass(),
             bracketed(metrics_.speed), seconds);
  print_metrics(out, measures_, session_.config().task->difficulty_unit(),
                session_.config().task->measure_together(answers_));
}

}  // namespace canvaslab
