// The trace from append() to what the readers (ours and h5py) give back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "core/trace/trace_folder.h"
#include "core/trace/trace_reader.h"
#include "tests/core/trace/trace_fixture.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using trace_test::check_with_h5py;
using trace_test::example_canvas;
using trace_test::example_run;
using trace_test::example_sample;
using trace_test::TemporaryFolder;

constexpr int kLength = 16;

// The message of the error that a call throws, or "" if it throws none of that type.
template <class Expected, class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Expected& error) {
    return error.what();
  }
  return "";
}

void wait_for_parts(const fs::path& run, size_t count) {
  for (int i = 0; i < 500 && list_parts(TraceFolder{run}.parts()).size() < count; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void expect_equal(const StepTrace& found, const StepTrace& expected) {
  EXPECT_EQ(found.temperature, expected.temperature);
  EXPECT_EQ(found.mean_entropy, expected.mean_entropy);
  EXPECT_EQ(std::isnan(found.bound_slack), std::isnan(expected.bound_slack));
  if (!std::isnan(expected.bound_slack)) {
    EXPECT_EQ(found.bound_slack, expected.bound_slack);
  }
  EXPECT_EQ(found.accepted, expected.accepted);
  EXPECT_EQ(found.changed, expected.changed);
  EXPECT_EQ(found.stable, expected.stable);
  EXPECT_EQ(found.confident, expected.confident);
  EXPECT_EQ(found.seconds, expected.seconds);
  EXPECT_EQ(found.prediction.argmax, expected.prediction.argmax);
  EXPECT_EQ(found.prediction.sampled, expected.prediction.sampled);
  EXPECT_EQ(found.prediction.entropy, expected.prediction.entropy);
  EXPECT_EQ(found.prediction.confidence, expected.prediction.confidence);
  EXPECT_EQ(found.prediction.margin, expected.prediction.margin);
  EXPECT_EQ(found.prediction.sampled_probability, expected.prediction.sampled_probability);
  EXPECT_EQ(found.prediction.current_probability, expected.prediction.current_probability);
  EXPECT_EQ(found.decision, expected.decision);
  EXPECT_EQ(found.canvas, expected.canvas);
}

void expect_equal(const CanvasTrace& found, const CanvasTrace& expected) {
  EXPECT_EQ(found.sample, expected.sample);
  EXPECT_EQ(found.index, expected.index);
  EXPECT_EQ(found.stop_reason, expected.stop_reason);
  EXPECT_EQ(found.prefill_seconds, expected.prefill_seconds);
  EXPECT_EQ(found.denoise_seconds, expected.denoise_seconds);
  EXPECT_EQ(found.committed, expected.committed);
  ASSERT_EQ(found.steps.size(), expected.steps.size());
  for (size_t i = 0; i < found.steps.size(); ++i) expect_equal(found.steps[i], expected.steps[i]);
}

void expect_equal(const SampleTrace& found, const SampleTrace& expected) {
  EXPECT_EQ(found.sample, expected.sample);
  EXPECT_EQ(found.id, expected.id);
  EXPECT_EQ(found.prompt, expected.prompt);
  EXPECT_EQ(found.target, expected.target);
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.correct, expected.correct);
  EXPECT_EQ(found.prompt_tokens, expected.prompt_tokens);
  EXPECT_EQ(found.tokens, expected.tokens);
  EXPECT_EQ(found.canvases, expected.canvases);
  EXPECT_EQ(found.steps, expected.steps);
  EXPECT_EQ(found.seconds, expected.seconds);
  EXPECT_EQ(found.stop_reason, expected.stop_reason);
}

// Records samples [first, last), two canvases each.
void append_samples(TraceWriter& trace, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t sample = first; sample < last; ++sample) {
    trace.append(example_canvas(sample, 0, static_cast<int>(sample % 4) + 1, kLength));
    trace.append(example_canvas(sample, 1, 3, kLength));
    trace.append(example_sample(sample));
  }
}

void expect_samples(const TraceContents& trace, std::uint64_t count) {
  ASSERT_EQ(trace.samples.size(), count);
  ASSERT_EQ(trace.canvases.size(), 2 * count);
  for (std::uint64_t sample = 0; sample < count; ++sample) {
    expect_equal(trace.samples[sample], example_sample(sample));
    expect_equal(trace.canvases[2 * sample],
                 example_canvas(sample, 0, static_cast<int>(sample % 4) + 1, kLength));
    expect_equal(trace.canvases[2 * sample + 1], example_canvas(sample, 1, 3, kLength));
  }
}

TEST(Trace, GivesBackWhatWasRecorded) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
  append_samples(*trace, 0, 7);
  wait_for_parts(run.path(), 1);
  append_samples(*trace, 7, 12);
  wait_for_parts(run.path(), 2);

  const TraceContents running = read_trace(run.path());
  EXPECT_FALSE(running.complete);
  expect_samples(running, 12);

  trace->finish();
  const TraceContents finished = read_trace(run.path());
  EXPECT_TRUE(finished.complete);
  EXPECT_EQ(finished.level, TraceLevel::kSteps);
  EXPECT_EQ(finished.created, running.created);
  EXPECT_EQ(finished.run.seed, example_run().seed);
  EXPECT_EQ(finished.run.config_yaml, example_run().config_yaml);
  EXPECT_EQ(finished.run.overrides, example_run().overrides);
  expect_samples(finished, 12);
  EXPECT_EQ(recorded_canvases(run.path()).size(), 24u);
}

TEST(Trace, FinishLeavesOneFile) {
  const TemporaryFolder run;
  {
    const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
    append_samples(*trace, 0, 2);
    trace->finish();
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(run.path()))
    files.push_back(entry.path().filename().string());
  EXPECT_THAT(files, testing::ElementsAre("trace.h5"));
}

TEST(Trace, PartsAndWholeOpenWithH5py) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
  append_samples(*trace, 0, 5);
  wait_for_parts(run.path(), 1);
  append_samples(*trace, 5, 9);
  wait_for_parts(run.path(), 2);
  const std::vector<Part> parts = list_parts(TraceFolder{run.path()}.parts());
  ASSERT_GE(parts.size(), 2u);
  std::string output;
  for (const Part& part : parts) {
    EXPECT_TRUE(check_with_h5py({"schema", part.path.string(), "steps", "running"}, output)) << output;
  }
  trace->finish();
  EXPECT_TRUE(check_with_h5py({"schema", (run.path() / "trace.h5").string(), "steps", "complete"}, output))
      << output;
}

TEST(Trace, SummaryRecordsSamplesAndCanvasesOnly) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSummary);
  append_samples(*trace, 0, 3);
  trace->finish();
  std::string output;
  EXPECT_TRUE(check_with_h5py({"schema", (run.path() / "trace.h5").string(), "summary", "complete"}, output))
      << output;
  const TraceContents contents = read_trace(run.path());
  ASSERT_EQ(contents.canvases.size(), 6u);
  EXPECT_EQ(contents.canvases[4].steps.size(), 3u);
}

TEST(Trace, EmptyTraceIsATrace) {
  const TemporaryFolder run;
  open_trace(run.path(), example_run(), TraceLevel::kSteps)->finish();
  std::string output;
  EXPECT_TRUE(check_with_h5py({"schema", (run.path() / "trace.h5").string(), "steps", "complete"}, output))
      << output;
  EXPECT_TRUE(read_trace(run.path()).canvases.empty());
}

TEST(Trace, PartOfSamplesAloneJoinsWithCanvases) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
  trace->append(example_sample(0));
  wait_for_parts(run.path(), 1);
  trace->append(example_canvas(0, 0, 2, kLength));
  wait_for_parts(run.path(), 2);
  trace->finish();
  std::string output;
  EXPECT_TRUE(check_with_h5py({"schema", (run.path() / "trace.h5").string(), "steps", "complete"}, output))
      << output;
}

TEST(Trace, LevelNoneTouchesNothing) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path() / "absent", example_run(), TraceLevel::kNone);
  append_samples(*trace, 0, 3);
  trace->finish();
  EXPECT_FALSE(fs::exists(run.path() / "absent"));
}

TEST(Trace, DestroyedUnfinishedKeepsEverythingMarkedIncomplete) {
  const TemporaryFolder run;
  {
    const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
    append_samples(*trace, 0, 4);
  }
  const TraceContents contents = read_trace(run.path());
  EXPECT_FALSE(contents.complete);
  expect_samples(contents, 4);
}

TEST(Trace, ResumeAddsToWhatIsThere) {
  const TemporaryFolder run;
  {
    const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
    append_samples(*trace, 0, 4);
  }
  const std::string created = read_trace(run.path()).created;
  EXPECT_EQ(recorded_canvases(run.path()),
            (std::set<CanvasKey>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}));
  EXPECT_EQ(recorded_samples(run.path()), (std::set<std::uint64_t>{0, 1, 2, 3}));
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps, TraceStart::kResume);
  EXPECT_THAT(error_of<Error>([&] { trace->append(example_canvas(3, 1, 1, kLength)); }),
              HasSubstr("canvas 1 of sample 3 is in the trace already"));
  append_samples(*trace, 4, 6);
  trace->finish();
  const TraceContents contents = read_trace(run.path());
  EXPECT_EQ(contents.created, created);
  expect_samples(contents, 6);
}

TEST(Trace, ResumeRefusesWhatIsNotThisRun) {
  const TemporaryFolder run;
  {
    const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
    append_samples(*trace, 0, 1);
  }
  RunInfo other = example_run();
  other.seed = 5;
  EXPECT_THAT(error_of<ConfigurationError>(
                  [&] { open_trace(run.path(), other, TraceLevel::kSteps, TraceStart::kResume); }),
              HasSubstr("was recorded with seed 18364758544493064720"));
  EXPECT_THAT(error_of<ConfigurationError>(
                  [&] { open_trace(run.path(), example_run(), TraceLevel::kSummary, TraceStart::kResume); }),
              HasSubstr("was recorded at level 'steps'"));
  open_trace(run.path(), example_run(), TraceLevel::kSteps, TraceStart::kResume)->finish();
  EXPECT_THAT(error_of<ConfigurationError>(
                  [&] { open_trace(run.path(), example_run(), TraceLevel::kSteps, TraceStart::kResume); }),
              HasSubstr("nothing is left to resume"));
}

TEST(Trace, FreshStartRefusesAFolderWithATrace) {
  const TemporaryFolder run;
  {
    const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
    append_samples(*trace, 0, 1);
  }
  EXPECT_THAT(
      error_of<ConfigurationError>([&] { open_trace(run.path(), example_run(), TraceLevel::kSteps); }),
      HasSubstr("already holds a trace"));
  open_trace(run.path(), example_run(), TraceLevel::kSteps, TraceStart::kResume)->finish();
  EXPECT_THAT(
      error_of<ConfigurationError>([&] { open_trace(run.path(), example_run(), TraceLevel::kSteps); }),
      HasSubstr("already holds a trace"));
  expect_samples(read_trace(run.path()), 1);
}

TEST(Trace, SecondWriterIsRefusedAndTheFirstUnharmed) {
  const TemporaryFolder run;
  const auto first = open_trace(run.path(), example_run(), TraceLevel::kSteps);
  append_samples(*first, 0, 2);
  for (const TraceStart start : {TraceStart::kFresh, TraceStart::kResume}) {
    EXPECT_THAT(error_of<ConfigurationError>(
                    [&] { open_trace(run.path(), example_run(), TraceLevel::kSteps, start); }),
                HasSubstr("is being written by another run"));
  }
  append_samples(*first, 2, 4);
  first->finish();
  expect_samples(read_trace(run.path()), 4);
}

TEST(Trace, LockFileOfAKilledProcessDoesNotBlock) {
  const TemporaryFolder run;
  std::ofstream(run.path() / "trace.lock") << "";
  open_trace(run.path(), example_run(), TraceLevel::kSteps)->finish();
  EXPECT_TRUE(read_trace(run.path()).complete);
}

TEST(Trace, LeftoversOfAKilledMergeAreIgnoredAndRemoved) {
  const TemporaryFolder run;
  {
    const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
    append_samples(*trace, 0, 2);
  }
  fs::create_directory(run.path() / ".trace-next");
  std::ofstream(run.path() / ".trace-next/part-00009.h5") << "half";
  std::ofstream(run.path() / ".trace.h5.unfinished") << "half";
  std::ofstream(run.path() / "trace/.part-00009.h5.unfinished") << "half";
  expect_samples(read_trace(run.path()), 2);
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps, TraceStart::kResume);
  EXPECT_FALSE(fs::exists(run.path() / ".trace-next"));
  EXPECT_FALSE(fs::exists(run.path() / ".trace.h5.unfinished"));
  EXPECT_FALSE(fs::exists(run.path() / "trace/.part-00009.h5.unfinished"));
  trace->finish();
  expect_samples(read_trace(run.path()), 2);
}

TEST(Trace, RefusesWrongLengthsAndRepeatedRows) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
  append_samples(*trace, 0, 1);
  EXPECT_THAT(error_of<Error>([&] { trace->append(example_canvas(1, 0, 1, kLength + 1)); }),
              HasSubstr("canvas 0 of sample 1: committed has 17 values, expected 16"));
  CanvasTrace canvas = example_canvas(1, 0, 2, kLength);
  canvas.steps[1].prediction.margin.pop_back();
  EXPECT_THAT(error_of<Error>([&] { trace->append(canvas); }),
              HasSubstr("margin has 15 values, expected 16"));
  EXPECT_THAT(error_of<Error>([&] { trace->append(example_sample(0)); }),
              HasSubstr("sample 0 is in the trace already"));
  trace->finish();
  expect_samples(read_trace(run.path()), 1);
  EXPECT_THAT(error_of<Error>([&] { trace->append(example_sample(1)); }), HasSubstr("finished already"));
}

TEST(Trace, TextThatIsNotUtf8IsRecordedAsReplacementCharacters) {
  const TemporaryFolder run;
  const auto trace = open_trace(run.path(), example_run(), TraceLevel::kSteps);
  SampleTrace sample = example_sample(0);
  sample.text = std::string("a\0b\xC3(\xED\xA0\x80\xF0\x9D\x9F", 11);
  trace->append(sample);
  trace->finish();
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(read_trace(run.path()).samples[0].text,
            "a" + mark + "b" + mark + "(" + mark + mark + mark + mark + mark + mark);
}

TEST(Trace, ReaderNamesWhatItCannotRead) {
  const TemporaryFolder run;
  EXPECT_THAT(error_of<ConfigurationError>([&] { read_trace(run.path()); }), HasSubstr("holds no trace"));
  std::ofstream(run.path() / "trace.h5") << "this is not HDF5";
  EXPECT_THAT(error_of<Error>([&] { read_trace(run.path()); }), HasSubstr("trace.h5: "));
}

TEST(Trace, LevelNamesSuggestTheNearest) {
  EXPECT_EQ(parse_trace_level("summary"), TraceLevel::kSummary);
  EXPECT_THAT(error_of<ConfigurationError>([] { parse_trace_level("step"); }),
              HasSubstr("did you mean 'steps'"));
}

}  // namespace
}  // namespace canvaslab
