#include "experiments/sweep/cell.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

RunMetrics some_metrics(std::int64_t correct) {
  RunMetrics metrics;
  metrics.samples = 3, metrics.graded = 3, metrics.correct = correct;
  metrics.canvases = 3, metrics.passes = 17, metrics.tokens = 48, metrics.digest = 0xFEDCBA9876543210;
  return metrics;
}

class Cells : public testing::Test {
 protected:
  Cells() {
    std::filesystem::create_directories(path() / ".hydra");
    for (const char* name : {"config.yaml", "hydra.yaml", "overrides.yaml"})
      std::ofstream(path() / ".hydra" / name) << "{}\n";
  }
  std::filesystem::path path() const { return folder_ / "0"; }
  CellFolder cell() const { return CellFolder(path(), std::chrono::seconds(60)); }
  // What a run leaves in an attempt's folder.
  static void work_in(const std::filesystem::path& attempt, const std::string& trace) {
    std::ofstream(attempt / "trace.h5") << trace;
    std::ofstream(attempt / "resolved.yaml") << "a: 1\n";
  }
  std::string trace() const {
    std::string text;
    std::getline(std::ifstream(path() / "trace.h5"), text);
    return text;
  }
  const std::chrono::system_clock::time_point now_ = std::chrono::system_clock::now();
  TemporaryFolder folder_;
};

TEST_F(Cells, GoThroughTheirStates) {
  EXPECT_EQ(cell().record().state, CellState::kWaiting);
  std::optional<Claim> claim = cell().take(1);
  ASSERT_TRUE(claim);
  EXPECT_EQ(cell().record().state, CellState::kRunning);
  EXPECT_EQ(cell().record().process, getpid());
  EXPECT_FALSE(cell().take(1));
  work_in(cell().begin(*claim), "data");
  EXPECT_EQ(cell().record().trace, ".attempt-1/trace.h5");
  EXPECT_FALSE(cell().finished());
  EXPECT_TRUE(cell().finish(*claim, some_metrics(2), now_));
  const CellRecord record = cell().record();
  EXPECT_EQ(record.state, CellState::kFinished);
  EXPECT_EQ(record.metrics, some_metrics(2));
  EXPECT_EQ(record.trace, "trace.h5");
  EXPECT_EQ(trace(), "data");
  EXPECT_TRUE(std::filesystem::exists(path() / "resolved.yaml"));
  EXPECT_FALSE(std::filesystem::exists(path() / ".attempt-1"));
  EXPECT_FALSE(cell().take(1));
  EXPECT_FALSE(cell().take(2));
}

TEST_F(Cells, ThatFailedAreTriedAgainInTheNextSession) {
  std::optional<Claim> claim = cell().take(1);
  cell().fail(*claim, "the disk is full");
  EXPECT_EQ(cell().record().state, CellState::kFailed);
  EXPECT_EQ(cell().record().error, "the disk is full");
  EXPECT_FALSE(cell().take(1));
  EXPECT_TRUE(cell().take(2));
  EXPECT_EQ(cell().record().attempts, 2);
}

TEST_F(Cells, ThatWereGivenBackAreOpen) {
  std::optional<Claim> claim = cell().take(1);
  cell().give_back(*claim);
  EXPECT_EQ(cell().record().state, CellState::kWaiting);
  EXPECT_TRUE(cell().take(1));
}

TEST_F(Cells, AnAttemptStartsWithAnEmptyFolderAndWithoutTheEarlierOne) {
  std::optional<Claim> first = cell().take(1);
  work_in(cell().begin(*first), "half");
  cell().give_back(*first);
  std::optional<Claim> second = cell().take(1);
  const std::filesystem::path attempt = cell().begin(*second);
  EXPECT_TRUE(std::filesystem::is_empty(attempt));
  EXPECT_FALSE(std::filesystem::exists(path() / ".attempt-1"));
}

// A process that was stalled for long and wakes up when another one has its cell changes nothing.
TEST_F(Cells, WhoWasTakenOverPublishesNothing) {
  std::optional<Claim> stalled = cell().take(1);
  work_in(cell().begin(*stalled), "old");
  const ClaimFolder claims(path() / ".cell", std::chrono::seconds(60));
  std::optional<Claim> other = claims.take(claims.state(), 1);
  EXPECT_FALSE(cell().finish(*stalled, some_metrics(0), now_));
  EXPECT_FALSE(cell().finished());
  work_in(cell().begin(*other), "new");
  EXPECT_TRUE(cell().finish(*other, some_metrics(3), now_));
  EXPECT_EQ(cell().record().metrics->correct, 3);
  EXPECT_EQ(trace(), "new");
}

// Killed between putting the files in place and the result: the next attempt replaces them.
TEST_F(Cells, HalfAPublicationIsReplaced) {
  work_in(path(), "of an attempt that was killed");
  std::optional<Claim> claim = cell().take(1);
  work_in(cell().begin(*claim), "whole");
  EXPECT_TRUE(cell().finish(*claim, some_metrics(1), now_));
  EXPECT_EQ(trace(), "whole");
}

TEST_F(Cells, AResultThatCannotBeReadIsNamedAndReplaced) {
  std::optional<Claim> first = cell().take(1);
  work_in(cell().begin(*first), "old");
  EXPECT_TRUE(cell().finish(*first, some_metrics(1), now_));
  std::string whole;
  std::getline(std::ifstream(path() / "result.json"), whole, '\0');
  const auto changed = [&](const std::string& from, const std::string& to) {
    return std::string(whole).replace(whole.find(from), from.size(), to);
  };
  for (const std::string& text :
       {std::string(), whole.substr(0, whole.size() - 3), std::string("no JSON"), std::string("[]"),
        changed("\"metrics\"", "\"nothing\""), changed("\"attempt\": 1", "\"attempt\": \"1\""),
        changed("\"trace\": \"trace.h5\"", "\"trace\": 7"), changed("\"samples\": 3", "\"samples\": null")}) {
    std::ofstream(path() / "result.json") << text;
    EXPECT_EQ(cell().record().state, CellState::kDamaged) << text;
    EXPECT_NE(cell().record().error.find("result.json"), std::string::npos) << cell().record().error;
    EXPECT_FALSE(cell().record().metrics || cell().finished());
  }
  std::optional<Claim> second = cell().take(1);  // although the process that finished it lives
  ASSERT_TRUE(second);
  EXPECT_EQ(cell().record().state, CellState::kRunning);
  work_in(cell().begin(*second), "new");
  EXPECT_TRUE(cell().finish(*second, some_metrics(2), now_));
  EXPECT_EQ(cell().record().metrics, some_metrics(2));
  EXPECT_EQ(trace(), "new");
}

TEST_F(Cells, ThatLostTheirFilesSayWhich) {
  std::filesystem::remove_all(path() / ".hydra");
  EXPECT_EQ(cell().record().state, CellState::kMissing);
  std::optional<Claim> claim = cell().take(1);
  work_in(cell().begin(*claim), "data");
  EXPECT_TRUE(cell().finish(*claim, some_metrics(1), now_));
  EXPECT_EQ(cell().record().state, CellState::kFinished) << "a result needs no configuration";
  EXPECT_EQ(cell().record().error, "");
  std::filesystem::remove(path() / "trace.h5");
  EXPECT_EQ(cell().record().state, CellState::kFinished);
  EXPECT_EQ(cell().record().trace, "");
  EXPECT_NE(cell().record().error.find("trace.h5 was deleted"), std::string::npos) << cell().record().error;
}

}  // namespace
}  // namespace canvaslab
