// Planning a sweep, and the cells that come of it, in this process.
#include "experiments/sweep/stored_sweep.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "core/config/yaml.h"
#include "core/error.h"
#include "core/trace/trace_reader.h"
#include "experiments/sampling_run.h"
#include "experiments/sweep/sweep_table.h"
#include "experiments/sweep/worker.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Sweeps : public testing::Test {
 protected:
  std::filesystem::path path() const { return folder_ / "sweep"; }

  StoredSweep plan(std::vector<std::string> words) const {
    words.insert(words.begin(), {"model.checkpoint=sudoku4-uniform", "task.samples=2", "threads=1"});
    words.push_back("hydra.sweep.dir=" + path().string());
    return StoredSweep::plan({}, words);
  }

  std::string refusal(const std::vector<std::string>& words) const {
    try {
      plan(words);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "accepted";
  }

  static std::vector<TableRow> run(const StoredSweep& sweep) {
    const Claim session = sweep.begin_session();
    Worker worker(sweep);
    while (worker.run_one()) {
    }
    return read_table(sweep);
  }

  TemporaryFolder folder_;
};

TEST_F(Sweeps, ArePlannedCompletelyBeforeAnyCellRuns) {
  const StoredSweep planned = plan({"selection.bound=0.1,0.2", "seed=3,4"});
  const StoredSweep sweep = StoredSweep::open(path());
  ASSERT_EQ(sweep.cells().size(), 4U);
  EXPECT_THAT(sweep.cells()[2].overrides, ElementsAre("model.checkpoint=sudoku4-uniform", "task.samples=2",
                                                      "threads=1", "selection.bound=0.2", "seed=3"));
  EXPECT_EQ(sweep.cells()[2].seed, 3U);
  for (const TableRow& row : read_table(sweep)) EXPECT_EQ(row.record.state, CellState::kWaiting);
  const config::Node config = config::read_yaml(path() / "2/.hydra/config.yaml");
  EXPECT_EQ(*config::select(config, "selection.bound"), config::Node(0.2));
  const config::Node hydra = config::read_yaml(path() / "2/.hydra/hydra.yaml");
  EXPECT_EQ(*config::select(hydra, "hydra.job.num"), config::Node(2));
  EXPECT_TRUE(std::filesystem::exists(path() / "multirun.yaml"));
}

TEST_F(Sweeps, WithAWrongCellLeaveNothingBehind) {
  EXPECT_THAT(refusal({"selection.bound=0.1,-1,-2"}),
              testing::AllOf(HasSubstr("selection.bound"), HasSubstr("-1"), HasSubstr("-2")));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_THAT(refusal({"selection=entropy_bound,entropy_bond"}), HasSubstr("entropy_bond"));
  EXPECT_THAT(refusal({"seed=1,2", "hydra/launcher=locale"}), HasSubstr("locale"));
  EXPECT_THAT(refusal({"seed=1,2", "hydra/launcher=local", "hydra.launcher.wokers=3"}),
              HasSubstr("did you mean 'workers'"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

// A folder that is refused keeps every file and folder that others put there.
TEST_F(Sweeps, TakeBackOnlyWhatTheyMade) {
  const auto mine = [&](const std::string& name) {
    std::filesystem::create_directories((path() / name).parent_path());
    std::ofstream(path() / name) << "mine";
  };
  const auto names = [&] {
    std::set<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path()))
      all.insert(entry.path().lexically_relative(path()).string());
    return all;
  };
  mine("0/mine.txt");
  mine("2");
  std::filesystem::create_directory(path() / "1");
  const std::set<std::string> before = names();
  EXPECT_THAT(refusal({"seed=1,2", "selection.bound=0.1,-1"}), HasSubstr("selection.bound"));
  EXPECT_EQ(names(), before);
  EXPECT_THAT(refusal({"seed=1,2,3"}), HasSubstr("sweep/2: cannot be created"));
  EXPECT_EQ(names(), before);
  std::ifstream file(path() / "0/mine.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "mine");
}

TEST_F(Sweeps, LeaveAnEmptyFolderAndTheRunOfAnother) {
  std::filesystem::create_directory(path());
  EXPECT_THAT(refusal({"selection.bound=0.1,-1"}), HasSubstr("selection.bound"));
  EXPECT_TRUE(std::filesystem::is_empty(path()));
  std::filesystem::create_directories(path() / "1/.hydra");
  EXPECT_THAT(refusal({"seed=1,2"}), HasSubstr("sweep/1 holds a run already"));
  EXPECT_TRUE(std::filesystem::exists(path() / "1/.hydra"));
  EXPECT_FALSE(std::filesystem::exists(path() / "0"));
  EXPECT_FALSE(std::filesystem::exists(path() / ".sweep"));
}

TEST_F(Sweeps, RefuseCellFoldersThatAreSharedOrOutside) {
  EXPECT_THAT(refusal({"seed=1,2", "hydra.sweep.subdir=same"}), HasSubstr("cells 0 and 1"));
  EXPECT_THAT(refusal({"seed=1,2", "hydra.sweep.subdir=../${hydra.job.num}"}), HasSubstr("no folder below"));
  EXPECT_FALSE(std::filesystem::exists(path()));
  EXPECT_EQ(refusal({"seed=1,2", "hydra.sweep.subdir='cell-${hydra.job.num}/seed'"}), "accepted");
  EXPECT_TRUE(std::filesystem::exists(path() / "cell-1/seed/.hydra"));
}

TEST_F(Sweeps, RefuseAFolderThatHoldsOneAndLeaveThatAlone) {
  plan({"seed=1,2"});
  EXPECT_THAT(refusal({"seed=1,2,3"}), HasSubstr("holds a sweep already"));
  EXPECT_EQ(StoredSweep::open(path()).cells().size(), 2U);
}

TEST_F(Sweeps, HaveOneSessionAtATime) {
  const StoredSweep sweep = plan({"seed=1,2"});
  std::optional<Claim> first = sweep.begin_session();
  EXPECT_EQ(sweep.session(), 1);
  EXPECT_THROW(StoredSweep::open(path()).begin_session(), ConfigurationError);
  first->release("ended");
  const Claim second = sweep.begin_session();
  EXPECT_EQ(sweep.session(), 2);
}

TEST_F(Sweeps, KeepTheirLauncherWhileASessionGoesOn) {
  const StoredSweep sweep = plan({"seed=1,2"});
  std::optional<Claim> session = sweep.begin_session();
  StoredSweep other = StoredSweep::open(path());
  other.choose_launcher({"hydra.launcher.stale_after=7"});
  EXPECT_THROW(other.begin_session(), ConfigurationError);
  EXPECT_EQ(StoredSweep::open(path()).launcher().policy().stale_after, 60);
  session->release("ended");
  const Claim next = other.begin_session();
  EXPECT_EQ(StoredSweep::open(path()).launcher().policy().stale_after, 7);
}

// One of another machine, which last gave a sign 20 seconds ago, is not over because another wants 1 second.
TEST_F(Sweeps, JudgeASessionByItsOwnLauncher) {
  plan({"seed=1,2"});
  const std::filesystem::path claim = path() / ".sweep/sessions/1.claim";
  std::filesystem::create_directory(claim.parent_path());
  std::ofstream(claim) << R"({"host": "elsewhere", "machine": "m", "process": 1, "start": 1, "session": 1})";
  const auto age = [&](int seconds) {
    std::filesystem::last_write_time(
        claim, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
  };
  StoredSweep other = StoredSweep::open(path());
  other.choose_launcher({"hydra.launcher.stale_after=2"});
  other.choose_launcher({"hydra.launcher.stale_after=1"});
  age(20);
  EXPECT_THROW(other.begin_session(), ConfigurationError);
  age(100);
  other.begin_session();
}

TEST_F(Sweeps, RememberTheLauncherAndItsSettings) {
  plan({"seed=1,2", "hydra/launcher=local", "hydra.launcher.on_failure=stop"});
  const auto chosen = [&](const std::vector<std::string>& words) {
    StoredSweep sweep = StoredSweep::open(path());
    sweep.choose_launcher(words);
    sweep.begin_session().release("ended");
    return config::read_yaml(path() / ".sweep/launcher.yaml");
  };
  const auto value = [](const config::Node& stored, const char* key) { return *config::select(stored, key); };
  config::Node stored = chosen({"hydra.launcher.workers=3"});
  EXPECT_EQ(value(stored, "launcher.name"), config::Node("local"));
  EXPECT_EQ(value(stored, "launcher.workers"), config::Node(3));
  EXPECT_EQ(value(stored, "launcher.on_failure"), config::Node("stop"));
  stored = chosen({"hydra.launcher.threads=2"});
  EXPECT_EQ(value(stored, "launcher.workers"), config::Node(3));
  EXPECT_EQ(value(stored, "launcher.threads"), config::Node(2));
  stored = chosen({"hydra.launcher.workers=4"});
  EXPECT_EQ(value(stored, "launcher.workers"), config::Node(4));
  stored = chosen({"hydra/launcher=slurm"});  // which knows neither workers nor threads
  EXPECT_EQ(value(stored, "launcher.name"), config::Node("slurm"));
  stored = chosen({"hydra.launcher.tasks=9"});
  EXPECT_EQ(value(stored, "launcher.name"), config::Node("slurm"));
  EXPECT_EQ(value(stored, "launcher.tasks"), config::Node(9));
  EXPECT_THROW(chosen({"hydra.launcher.workers=2"}), ConfigurationError);
  EXPECT_EQ(StoredSweep::open(path()).session(), 5) << "what was refused began a session";
}

TEST_F(Sweeps, ThatWereNotPlannedToTheEndAreRefused) {
  std::filesystem::create_directories(path() / ".sweep");
  try {
    StoredSweep::open(path());
    FAIL();
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds no sweep"));
  }
}

TEST_F(Sweeps, AnotherLauncherMayBeChosenAndNothingElse) {
  plan({"seed=1,2", "hydra.launcher.on_failure=stop"});
  StoredSweep sweep = StoredSweep::open(path());
  EXPECT_EQ(sweep.launcher().policy().on_failure, OnFailure::kStop);
  EXPECT_THROW(sweep.choose_launcher({"seed=5"}), ConfigurationError);
  sweep.choose_launcher({"hydra/launcher=local", "hydra.launcher.stale_after=7"});
  sweep.begin_session().release("ended");
  EXPECT_EQ(StoredSweep::open(path()).launcher().policy().stale_after, 7);
  EXPECT_EQ(StoredSweep::open(path()).launcher().policy().on_failure, OnFailure::kContinue);
}

// Every cell against the same run by itself, with a model and caches of its own. Two canvases, so that rows
// extend the caches that they share.
TEST_F(Sweeps, CellsGiveWhatRunsOfTheirOwnGive) {
  const StoredSweep sweep =
      plan({"selection.bound=0.02,3", "seed=1,2", "sampler.max_new_tokens=32", "sampler.steps=2"});
  std::set<std::uint64_t> digests;
  for (const TableRow& row : run(sweep)) {
    Session session(ConfigLocation{}, row.cell.overrides);
    session.load();
    const RunMetrics alone =
        SamplingRun(session).run({folder_ / std::to_string(row.cell.number), row.cell.overrides},
                                 std::make_unique<SampleObserver>(), nullptr);
    EXPECT_EQ(row.record.metrics, alone) << row.cell.number;
    digests.insert(alone.digest);
    const TraceContents shared = read_trace(path() / row.cell.folder);
    const TraceContents own = read_trace(folder_ / std::to_string(row.cell.number));
    ASSERT_EQ(shared.canvases.size(), own.canvases.size());
    for (size_t c = 0; c < own.canvases.size(); ++c) {
      ASSERT_EQ(shared.canvases[c].steps.size(), own.canvases[c].steps.size());
      for (size_t s = 0; s < own.canvases[c].steps.size(); ++s)
        EXPECT_EQ(shared.canvases[c].steps[s].prediction.entropy,
                  own.canvases[c].steps[s].prediction.entropy);
    }
  }
  EXPECT_GE(digests.size(), 3U) << "the cells hardly differ: nothing is shown";
}

// Cells that differ in the selection rule alone: the same prompts, the same noise, the same candidates.
TEST_F(Sweeps, CellsAreComparedInPairs) {
  const StoredSweep sweep = plan({"selection=entropy_bound,confidence_threshold", "seed=5"});
  run(sweep);
  const TraceContents a = read_trace(path() / "0"), b = read_trace(path() / "1");
  ASSERT_EQ(a.samples.size(), b.samples.size());
  int fresh_noise = 0, different = 0;
  for (const CanvasTrace& left : a.canvases) {
    const auto right = std::find_if(b.canvases.begin(), b.canvases.end(), [&](const CanvasTrace& canvas) {
      return canvas.sample == left.sample && canvas.index == left.index;
    });
    ASSERT_NE(right, b.canvases.end());
    const StepTrace &first = left.steps[0], &other = right->steps[0];
    EXPECT_EQ(first.canvas, other.canvas);
    EXPECT_EQ(first.prediction.argmax, other.prediction.argmax);
    EXPECT_EQ(first.prediction.sampled, other.prediction.sampled);
    if (left.steps.size() < 2 || right->steps.size() < 2) continue;
    for (size_t i = 0; i < first.decision.size(); ++i) {
      different += first.decision[i] != other.decision[i] ? 1 : 0;
      if (first.decision[i] != Decision::kRenoise || other.decision[i] != Decision::kRenoise) continue;
      EXPECT_EQ(left.steps[1].canvas[i], right->steps[1].canvas[i]);
      ++fresh_noise;
    }
  }
  EXPECT_GT(fresh_noise, 0);
  EXPECT_GT(different, 0) << "the rules decided alike: nothing is shown";
}

TEST_F(Sweeps, CellsOfOneModelLoadItOnce) {
  const StoredSweep sweep =
      plan({"model.checkpoint=sudoku4-uniform,sudoku4-masked", "seed=1,2", "model.precision=float32"});
  std::vector<int> models;
  for (const PlannedCell& cell : sweep.cells()) models.push_back(cell.model);
  EXPECT_THAT(models, ElementsAre(0, 0, 1, 1));
  ModelLibrary library(1 << 20);
  for (const PlannedCell& cell : sweep.cells()) {
    Session session(ConfigLocation{}, cell.overrides);
    session.load(&library);
  }
  EXPECT_EQ(library.loads(), 2);
}

// The grid's order would change models at every cell; a worker stays with the one that it has.
TEST_F(Sweeps, AWorkerStaysWithItsModel) {
  const StoredSweep sweep = plan({"seed=1,2", "model.precision=auto,float32"});
  const Claim session = sweep.begin_session();
  Worker worker(sweep);
  std::vector<int> order;
  while (worker.run_one()) {
    for (const TableRow& row : read_table(sweep)) {
      const bool known = std::find(order.begin(), order.end(), row.cell.number) != order.end();
      if (row.record.state == CellState::kFinished && !known) order.push_back(row.cell.number);
    }
  }
  EXPECT_THAT(order, ElementsAre(0, 2, 1, 3));
}

}  // namespace
}  // namespace canvaslab
