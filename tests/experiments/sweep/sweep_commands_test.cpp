// Sweeps and resumed runs as a person has them: the program as a process, what it prints and leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/experiments/sweep/program.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

class SweepCommands : public testing::Test {
 protected:
  Program start(std::vector<std::string> words) const { return Program(folder_.path(), std::move(words)); }

  std::vector<std::string> sweep(std::vector<std::string> more) const {
    std::vector<std::string> words{"run",
                                   "-m",
                                   "model.checkpoint=sudoku4-uniform",
                                   "task.samples=2",
                                   "threads=1",
                                   "hydra.sweep.dir=" + path().string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::vector<std::string> single(std::vector<std::string> more) const {
    std::vector<std::string> words{"run",
                                   "model.checkpoint=sudoku4-uniform",
                                   "task.samples=null",
                                   "threads=1",
                                   "stopping=max_steps",
                                   "sampler.batch=2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::filesystem::path path() const { return folder_ / "sweep"; }

  nlohmann::json cells() const {
    Program shown = start({"sweep", path().string(), "--json"});
    EXPECT_EQ(shown.wait(), 0) << shown.messages();
    return nlohmann::json::parse(shown.out()).at("cells");
  }

  // The one column of a query, as text.
  std::vector<std::string> query(const std::string& text) const {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open_v2((path() / "sweep.sqlite").c_str(), &database, SQLITE_OPEN_READONLY, nullptr),
              SQLITE_OK);
    std::vector<std::string> values;
    const int status = sqlite3_exec(
        database, text.c_str(),
        [](void* all, int, char** row, char**) {
          static_cast<std::vector<std::string>*>(all)->push_back(row[0] != nullptr ? row[0] : "NULL");
          return 0;
        },
        &values, nullptr);
    sqlite3_close(database);
    EXPECT_EQ(status, SQLITE_OK) << text;
    if (values.empty()) values.emplace_back("no row");
    return values;
  }

  bool some_cell_runs() const {
    for (const auto& cell : std::filesystem::directory_iterator(path())) {
      if (std::filesystem::exists(cell.path() / ".attempt-1/trace.lock")) return true;
    }
    return false;
  }

  TemporaryFolder folder_;
};

TEST_F(SweepCommands, ASweepBecomesATable) {
  Program process = start(sweep({"selection.bound=0.05,0.2", "seed=1,2"}));
  ASSERT_EQ(process.wait(), 0) << process.messages();
  EXPECT_THAT(process.messages(), HasSubstr("4/4 cells finished, 0 running, 0 failed"));
  EXPECT_THAT(process.out(), HasSubstr("selection.bound=0.05 seed=2  2 samples"));
  EXPECT_THAT(process.out(), HasSubstr("all: model.checkpoint=sudoku4-uniform task.samples=2 threads=1"));
  EXPECT_EQ(query("SELECT state FROM cells"), std::vector<std::string>(4, "finished"));
  EXPECT_EQ(query("SELECT json_extract(overrides, '$[3]') || seed FROM cells WHERE cell = 2"),
            std::vector<std::string>{"selection.bound=0.21"});
  EXPECT_EQ(query("SELECT trace FROM cells WHERE cell = 3"), std::vector<std::string>{"3/trace.h5"});
  EXPECT_EQ(query("SELECT error FROM cells WHERE cell = 0"), std::vector<std::string>{"NULL"});
  const nlohmann::json rows = cells();
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i]["metrics"]["samples"], 2);
    EXPECT_EQ(query(fmt::format("SELECT digest FROM cells WHERE cell = {}", i)).front(),
              rows[i]["metrics"]["digest"].get<std::string>());
    EXPECT_TRUE(std::filesystem::exists(path() / rows[i]["trace"].get<std::string>()));
  }
}

TEST_F(SweepCommands, ASweepEndsInAComparison) {
  Program process = start(sweep({"sampler.steps=1,8", "seed=1,2", "task.samples=16"}));
  ASSERT_EQ(process.wait(), 0) << process.messages();
  EXPECT_THAT(process.out(), HasSubstr("cell  sampler.steps  seed  right %"));
  EXPECT_THAT(process.out(), HasSubstr("baseline"));
  Program shown = start({"sweep", path().string(), "--json", "--baseline", "sampler.steps=8"});
  ASSERT_EQ(shown.wait(), 0) << shown.messages();
  const nlohmann::json rows = nlohmann::json::parse(shown.out()).at("cells");
  for (const nlohmann::json& row : rows) {
    const std::string grades = row.at("grades");
    EXPECT_EQ(grades.size(), 16U);
    EXPECT_EQ(std::count(grades.begin(), grades.end(), '1'), row.at("metrics").at("correct"));
    EXPECT_LE(row.at("quality").at("low"), row.at("metrics").at("accuracy"));
  }
  EXPECT_EQ(rows[0].at("baseline"), 2);
  EXPECT_EQ(rows[0].at("difference").at("pairs"), 16);
  EXPECT_FALSE(rows[2].contains("difference"));
  Program refused = start({"sweep", path().string(), "--baseline", "7"});
  EXPECT_EQ(refused.wait(), 2);
  EXPECT_THAT(refused.messages(), HasSubstr("--baseline 7: expected a cell, 0 to 3"));
}

TEST_F(SweepCommands, AFailedCellDoesNotStopTheOthersAndIsTriedAgain) {
  const std::filesystem::path prompts = folder_ / "later.jsonl";
  std::ofstream(prompts) << "{}\n";
  Program process = start(sweep({"task.file=null," + prompts.string(), "seed=1,2"}));
  EXPECT_EQ(process.wait(), 1);
  EXPECT_THAT(process.messages(), HasSubstr("2 cells failed, 0 were not run"));
  EXPECT_EQ(query("SELECT state FROM cells"),
            (std::vector<std::string>{"finished", "finished", "failed", "failed"}));
  EXPECT_THAT(query("SELECT error FROM cells WHERE cell = 3").front(), HasSubstr("later.jsonl"));
  const std::string first = text_of(path() / "0/result.json");
  std::filesystem::copy_file(CANVASLAB_SOURCE_DIR "/models/pretrained/sudoku4-uniform/prompts.jsonl", prompts,
                             std::filesystem::copy_options::overwrite_existing);
  Program again = start({"run", "--resume", path().string()});
  EXPECT_EQ(again.wait(), 0) << again.messages();
  EXPECT_EQ(query("SELECT state || attempts FROM cells"),
            (std::vector<std::string>{"finished1", "finished1", "finished2", "finished2"}));
  EXPECT_EQ(text_of(path() / "0/result.json"), first);
}

TEST_F(SweepCommands, AFailedCellStopsTheOthersWherePolicySaysSo) {
  std::ofstream(folder_ / "broken.jsonl") << "{}\n";
  Program process =
      start(sweep({"task.file=null,broken.jsonl", "seed=1,2,3", "hydra.launcher.on_failure=stop"}));
  EXPECT_EQ(process.wait(), 1);
  EXPECT_THAT(process.messages(), HasSubstr("1 cells failed, 2 were not run"));
}

TEST_F(SweepCommands, ASecondProcessIsRefusedAndTheFirstUnharmed) {
  Program first =
      start(sweep({"seed=range(6)", "sampler.steps=40", "stopping=max_steps", "task.samples=16"}));
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(path() / "0/.attempt-1"); }));
  const TemporaryFolder other;
  Program planned(other.path(), sweep({"seed=1,2"}));
  EXPECT_EQ(planned.wait(), 2);
  EXPECT_THAT(planned.messages(), HasSubstr("holds a sweep already"));
  Program resumed(other.path(), {"run", "--resume", path().string()});
  EXPECT_EQ(resumed.wait(), 2);
  EXPECT_THAT(resumed.messages(), HasSubstr("is being run by process"));
  EXPECT_EQ(first.wait(), 0) << first.messages();
  EXPECT_EQ(query("SELECT state || attempts FROM cells"), std::vector<std::string>(6, "finished1"));
}

TEST_F(SweepCommands, ASignalKeepsWhatWasDoneAndSaysHowToGoOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string launcher = signal == SIGINT ? "basic" : "local";
    std::filesystem::remove_all(path());
    Program process = start(sweep({"seed=range(40)", "sampler.steps=40", "stopping=max_steps",
                                   "task.samples=8", "hydra/launcher=" + launcher}));
    ASSERT_TRUE(soon([&] { return std::filesystem::exists(path() / "0/result.json") && some_cell_runs(); }));
    process.send(signal);
    EXPECT_EQ(process.wait(), 128 + signal);
    EXPECT_THAT(process.messages(), HasSubstr("canvaslab run --resume " + path().string()));
    // Given back, not left to be found dead.
    int finished = 0, given_back = 0;
    for (int cell = 0; cell < 40; ++cell) {
      finished += std::filesystem::exists(path() / fmt::format("{}/result.json", cell)) ? 1 : 0;
      given_back += text_of(path() / fmt::format("{}/.cell/1.end", cell)) == "given back" ? 1 : 0;
    }
    EXPECT_GE(finished, 1);
    EXPECT_LT(finished, 40);
    EXPECT_GE(given_back, 1) << launcher;
    EXPECT_THAT(process.messages(), HasSubstr(fmt::format("{} of 40 cells are finished", finished)));
  }
}

TEST_F(SweepCommands, APlanThatWasCutShortIsNoSweep) {
  std::filesystem::create_directories(path() / ".sweep");
  Program process = start({"run", "--resume", path().string()});
  EXPECT_EQ(process.wait(), 2);
  EXPECT_THAT(process.messages(), HasSubstr("holds no sweep"));
}

// A worker that dies takes nothing with it: its cell is taken again by another.
TEST_F(SweepCommands, HelpersMayJoinAndDie) {
  Program process =
      start(sweep({"seed=range(10)", "sampler.steps=40", "stopping=max_steps", "task.samples=8"}));
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(path() / "0/.attempt-1"); }));
  const TemporaryFolder other;
  std::string taken;
  {
    Program helper(other.path(), {"sweep", path().string(), "--work", "--threads", "1"});
    ASSERT_TRUE(soon([&] { return some_cell_runs() && std::filesystem::exists(path() / "1/.attempt-1"); }));
  }
  EXPECT_EQ(process.wait(), 0) << process.messages();
  EXPECT_EQ(query("SELECT state FROM cells"), std::vector<std::string>(10, "finished"));
}

TEST_F(SweepCommands, AKilledRunIsFinishedByResume) {
  const std::filesystem::path whole = folder_ / "whole", killed = folder_ / "killed";
  Program uninterrupted =
      start(single({"hydra.run.dir=" + whole.string(), "task.samples=30", "sampler.steps=30"}));
  ASSERT_EQ(uninterrupted.wait(), 0) << uninterrupted.messages();
  const std::string expected = uninterrupted.out();
  {
    Program process =
        start(single({"hydra.run.dir=" + killed.string(), "task.samples=30", "sampler.steps=30"}));
    ASSERT_TRUE(soon([&] { return std::filesystem::exists(killed / "trace/part-00002.h5"); }));
  }
  Program resumed = start({"run", "--resume", killed.string()});
  ASSERT_EQ(resumed.wait(), 0) << resumed.messages();
  // Line by line: id, text, verdict and steps; the times differ.
  std::istringstream left(expected), right(resumed.out());
  int compared = 0;
  for (std::string a, b; std::getline(left, a) && std::getline(right, b);) {
    if (a.find(" tokens a pass ") == std::string::npos) break;
    EXPECT_EQ(a.substr(0, a.find(" tokens a pass")), b.substr(0, b.find(" tokens a pass")));
    ++compared;
  }
  EXPECT_EQ(compared, 30);
  EXPECT_FALSE(std::filesystem::exists(killed / "trace"));
  Program again = start({"run", "--resume", killed.string()});
  EXPECT_EQ(again.wait(), 0);
  EXPECT_THAT(again.out(), HasSubstr("is complete"));
}

TEST_F(SweepCommands, ASignalEndsARunKindly) {
  const std::filesystem::path run = folder_ / "run";
  Program process = start(single({"hydra.run.dir=" + run.string()}));
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(run / "trace/part-00001.h5"); }));
  const TemporaryFolder other;
  Program second(other.path(), {"run", "--resume", run.string()});
  EXPECT_EQ(second.wait(), 2);  // the first one is at it
  process.send(SIGTERM);
  EXPECT_EQ(process.wait(), 143);
  EXPECT_THAT(process.messages(), HasSubstr("canvaslab run --resume " + run.string()));
  EXPECT_FALSE(std::filesystem::exists(run / "trace.h5"));
}

TEST_F(SweepCommands, ARunIsRefusedAFolderThatHasOne) {
  const std::string folder = "hydra.run.dir=" + (folder_ / "run").string();
  Program first = start(single({folder, "task.samples=1"}));
  ASSERT_EQ(first.wait(), 0) << first.messages();
  const std::string before = text_of(folder_ / "run/trace.h5");
  Program second = start(single({folder, "task.samples=1"}));
  EXPECT_EQ(second.wait(), 2);
  EXPECT_THAT(second.messages(), HasSubstr("holds a run already"));
  EXPECT_EQ(text_of(folder_ / "run/trace.h5"), before);
}

TEST_F(SweepCommands, ResumeTakesALauncherForASweepAndNothingForARun) {
  Program first = start(sweep({"seed=1,2"}));
  ASSERT_EQ(first.wait(), 0);
  Program other = start({"run", "--resume", path().string(), "seed=3"});
  EXPECT_EQ(other.wait(), 2);
  EXPECT_THAT(other.messages(), HasSubstr("only its launcher may change"));
  Program cell = start({"run", "--resume", (path() / "1").string()});
  EXPECT_EQ(cell.wait(), 2);
  EXPECT_THAT(cell.messages(), HasSubstr("is a cell of a sweep"));
  Program none = start({"run", "--resume", (folder_ / "nowhere").string()});
  EXPECT_EQ(none.wait(), 2);
  EXPECT_THAT(none.messages(), HasSubstr("holds no run"));
}

}  // namespace
}  // namespace canvaslab
