#include "experiments/run.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <chrono>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/project.h"
#include "core/standard_streams.h"
#include "core/trace/trace_writer.h"
#include "experiments/metrics.h"
#include "experiments/output_folder.h"
#include "experiments/progress.h"
#include "experiments/tasks/encode_example.h"
#include "experiments/trace_observer.h"
#include "samplers/block_sampler.h"

namespace canvaslab {
namespace {

struct Job {
  std::vector<TaskItem> items;
  std::vector<SampleRequest> requests;
};

Job make_job(const Session& session) {
  if (!session.model().tokenizer) {
    throw ConfigurationError(
        fmt::format("{}: run needs a tokenizer.json beside the weights", session.model().folder.string()));
  }
  const Tokenizer& tokenizer = *session.model().tokenizer;
  session.config().task->check(tokenizer, session.max_new_tokens());
  Job job{session.config().task->items(session.model().folder), {}};
  for (const TaskItem& item : job.items) {
    job.requests.push_back({.sample = job.requests.size(),
                            .prompt = encode_prompt(item, tokenizer),
                            .padding_before = 0,
                            .initial_canvas = {}});
  }
  return job;
}

// A run's results as they come in: printed, graded, and sent on to the trace and the display.
class Results : public SampleObserver {
 public:
  Results(const Session& session, const Job& job, TraceWriter& writer)
      : session_(session),
        job_(job),
        writer_(writer),
        trace_(writer),
        progress_(
            make_progress(job.items.size(), session.config().sampler.steps, &*session.model().tokenizer)),
        lines_(job.items.size()),
        canvas_steps_(job.items.size()) {}

  void step(const StreamKey& key, const StepRecord& record, const StopSignal& signal, float slack,
            double seconds) override {
    trace_.step(key, record, signal, slack, seconds);
    progress_->step(key, record, signal, slack, seconds);
  }

  void canvas(const CanvasResult& result) override {
    trace_.canvas(result);
    progress_->canvas(result);
    canvas_steps_[result.sample].push_back(result.steps);
  }

  void sample(const SampleResult& result) override {
    const TaskItem& item = job_.items[result.sample];
    const std::vector<TokenId> answer(result.tokens.begin(), result.tokens.begin() + result.generated);
    const std::string text = session_.model().tokenizer->decode(answer, /*skip_special_tokens=*/true);
    const std::optional<bool> correct = session_.config().task->grade(item, text);
    record(result, item, text, correct);
    count(result, correct);
    measure(item, text, correct);
    lines_[result.sample] = line(result, text, correct);
    progress_->sample(result);
  }

  // When the run fails: the display goes, and what was done so far is named.
  void interrupt(const std::filesystem::path& folder) {
    progress_.reset();
    tell(fmt::format("what was done until then: {}\n", folder.string()));
  }

  // After the display is gone: every sample in order, and the summary.
  void print(std::ostream& out, double seconds) {
    progress_.reset();
    for (const std::string& text : lines_) fmt::print(out, "{}\n", text);
    const double canvases = std::max(1.0, static_cast<double>(canvases_));
    fmt::print(out, "\n{} samples", job_.items.size());
    if (graded_ > 0)
      fmt::print(out, ", {} of {} right ({:.1f} %)", correct_, graded_, 100.0 * correct_ / graded_);
    fmt::print(out, ", {:.2f} steps a canvas, {:.2f} tokens a forward pass, {:.2f} s\n",
               static_cast<double>(passes_) / canvases,
               static_cast<double>(tokens_) / std::max<double>(1, static_cast<double>(passes_)), seconds);
    print_metrics(out, metrics_, session_.config().task->difficulty_unit(),
                  session_.config().task->measure_together(answers_));
  }

 private:
  void record(const SampleResult& result, const TaskItem& item, const std::string& text,
              std::optional<bool> correct) {
    SampleTrace sample;
    sample.sample = result.sample;
    sample.id = item.id, sample.prompt = item.prompt, sample.target = item.target, sample.text = text;
    sample.correct = correct ? static_cast<std::int8_t>(*correct) : std::int8_t{-1};
    sample.prompt_tokens = job_.requests[result.sample].prompt;
    sample.tokens = result.tokens;
    sample.canvases = result.canvases;
    sample.steps = result.forward_passes;
    sample.seconds = static_cast<float>(result.seconds);
    sample.stop_reason = result.stop_reason;
    writer_.append(std::move(sample));
  }

  void count(const SampleResult& result, std::optional<bool> correct) {
    graded_ += correct ? 1 : 0;
    correct_ += correct.value_or(false) ? 1 : 0;
    canvases_ += result.canvases, passes_ += result.forward_passes, tokens_ += result.generated;
  }

  void measure(const TaskItem& item, const std::string& text, std::optional<bool> correct) {
    Metrics metrics;
    if (correct) metrics.push_back({"right", *correct ? 1.0 : 0.0, MetricKind::kShare});
    for (Metric& metric : session_.config().task->measure(item, text)) metrics.push_back(std::move(metric));
    metrics_.add(item.difficulty, metrics);
    answers_.push_back({item, text});
  }

  std::string line(const SampleResult& result, const std::string& text, std::optional<bool> correct) const {
    return fmt::format("{:>5}  {}  {}  steps {}  {:.2f} tokens a pass  {:.2f} s",
                       job_.items[result.sample].id, text, correct ? (*correct ? "right" : "wrong") : "-",
                       fmt::join(canvas_steps_[result.sample], "+"), result.tokens_per_forward(),
                       result.seconds);
  }

  const Session& session_;
  const Job& job_;
  TraceWriter& writer_;
  TraceObserver trace_;
  std::unique_ptr<SampleObserver> progress_;
  std::vector<std::string> lines_;
  std::vector<std::vector<int>> canvas_steps_;
  MetricTable metrics_;
  std::vector<TaskAnswer> answers_;
  int graded_ = 0, correct_ = 0;
  long canvases_ = 0, passes_ = 0, tokens_ = 0;
};

// A program that was copied out of the project's folder has no commit to tell.
std::string commit() {
  try {
    return git_commit(project_root());
  } catch (const ConfigurationError&) {
    return "unknown";
  }
}

RunInfo run_info(const Session& session, const std::vector<std::string>& overrides, const std::string& yaml) {
  return {session.config().seed, CANVASLAB_VERSION, commit(), yaml, overrides};
}

}  // namespace

int run(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out) {
  Session session(location, overrides);
  session.load();
  const Job job = make_job(session);
  const Rules rules = session.rules();
  const std::unique_ptr<Random> random = session.config().random->make(session.config().seed);
  BlockSampler sampler(*session.model().denoiser, rules, *random, session.config().sampler,
                       session.max_new_tokens());
  sampler.check(job.requests);

  const config::Node effective = session.effective();
  const std::filesystem::path folder = make_output_folder(session.composition(), effective, overrides);
  const std::unique_ptr<TraceWriter> writer = open_trace(
      folder, run_info(session, overrides, config::to_yaml(effective)), session.config().trace.level);
  const auto start = std::chrono::steady_clock::now();
  Results results(session, job, *writer);
  try {
    sampler.run(job.requests, results);
  } catch (const std::exception&) {
    results.interrupt(folder);
    throw;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  writer->finish();
  results.print(out, seconds);
  fmt::print(out, "everything about it: {}\n", folder.string());
  return 0;
}

}  // namespace canvaslab
