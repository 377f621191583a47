#include "experiments/sweep/claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using Kind = ClaimState::Kind;
using std::chrono::seconds;

class Claims : public testing::Test {
 protected:
  // A process of another machine took attempt 1, and gave its last sign so many seconds ago.
  void claim_of_another_machine(int seconds_ago) const {
    std::filesystem::create_directories(path());
    const nlohmann::json claim = {
        {"host", "elsewhere"}, {"machine", "another boot"}, {"process", 1}, {"start", 1}, {"session", 3}};
    std::ofstream(path() / "1.claim") << claim.dump();
    std::filesystem::last_write_time(path() / "1.claim", std::filesystem::file_time_type::clock::now() -
                                                             std::chrono::seconds(seconds_ago));
  }

  // A process of this machine takes the next attempt and dies of `kill`.
  void claim_of_a_killed_process() const {
    const pid_t child = fork();
    if (child == 0) {
      const std::optional<Claim> claim = claims().take(claims().state(), 1);
      kill(getpid(), SIGKILL);
    }
    waitpid(child, nullptr, 0);
  }

  std::filesystem::path path() const { return folder_ / "claims"; }
  ClaimFolder claims(double stale_after = 60) const {
    return ClaimFolder(path(), std::chrono::duration<double>(stale_after));
  }

  TemporaryFolder folder_;
};

TEST_F(Claims, AFolderThatNobodyEverHadIsFree) {
  EXPECT_EQ(claims().state().kind, Kind::kNever);
  EXPECT_EQ(claims().state().attempt, 0);
}

TEST_F(Claims, WhatIsHeldCannotBeTaken) {
  const ClaimState before = claims().state();
  const std::optional<Claim> claim = claims().take(before, 7);
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->attempt(), 1);
  EXPECT_TRUE(claim->still_held());
  const ClaimState state = claims().state();
  EXPECT_EQ(state.kind, Kind::kHeld);
  EXPECT_EQ(state.session, 7);
  EXPECT_EQ(state.holder, this_process());
  EXPECT_FALSE(claims().take(before, 7));
}

TEST_F(Claims, WhatWasReleasedTellsWhyAndCanBeTaken) {
  std::optional<Claim> claim = claims().take(claims().state(), 1);
  claim->release("enough");
  EXPECT_EQ(claims().state().kind, Kind::kReleased);
  EXPECT_EQ(claims().state().end, "enough");
  const std::optional<Claim> next = claims().take(claims().state(), 1);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->attempt(), 2);
}

TEST_F(Claims, ADeadProcessOfThisMachineHoldsNothing) {
  claim_of_a_killed_process();
  EXPECT_EQ(claims(1e9).state().kind, Kind::kStale);
  EXPECT_TRUE(claims(1e9).take(claims(1e9).state(), 1));
}

TEST_F(Claims, AProcessOfAnotherMachineIsJudgedByItsHeartbeat) {
  claim_of_another_machine(/*seconds_ago=*/20);
  EXPECT_EQ(claims(60).state().kind, Kind::kHeld);
  EXPECT_EQ(claims(10).state().kind, Kind::kStale);
  EXPECT_EQ(claims(60).state().holder.host, "elsewhere");
}

// It was stopped, or its machine was asleep; its heartbeat says nothing.
TEST_F(Claims, ALivingProcessOfThisMachineHoldsHoweverOldItsHeartbeat) {
  const std::optional<Claim> claim = claims(/*stale_after=*/1e6).take(claims().state(), 1);
  std::filesystem::last_write_time(path() / "1.claim",
                                   std::filesystem::file_time_type::clock::now() - seconds(1000));
  const auto before = std::filesystem::last_write_time(path());
  EXPECT_EQ(claims(1).state().kind, Kind::kHeld);
  EXPECT_EQ(std::filesystem::last_write_time(path()), before) << "looking left traces in the folder";
}

// Whoever may look at a folder but not write into it cannot measure a heartbeat's age there.
TEST_F(Claims, AReaderTakesAnotherMachinesClaimForHeld) {
  claim_of_another_machine(/*seconds_ago=*/100);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
  std::filesystem::permissions(path(), std::filesystem::perms{0555});
  const pid_t reader = fork();
  if (reader == 0) {
    if (geteuid() == 0 && setuid(65534) != 0) _exit(100);  // who may write anywhere becomes nobody
    try {
      _exit(static_cast<int>(claims(10).state().kind));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(101);
    }
  }
  int status = 0;
  waitpid(reader, &status, 0);
  std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(Kind::kHeld));
  EXPECT_EQ(claims(10).state().kind, Kind::kStale);  // to one who may write
}

TEST_F(Claims, AClaimWithoutAHolderIsJudgedByItsHeartbeat) {
  claim_of_another_machine(20);
  std::ofstream(path() / "1.claim") << "{\"ho";  // killed while it wrote
  EXPECT_EQ(claims(60).state().kind, Kind::kHeld);
  std::filesystem::last_write_time(path() / "1.claim",
                                   std::filesystem::file_time_type::clock::now() - seconds(100));
  EXPECT_EQ(claims(60).state().kind, Kind::kStale);
}

TEST_F(Claims, AHolderGivesSignsOfLife) {
  const std::optional<Claim> claim = claims(/*stale_after=*/0.8).take(claims().state(), 1);
  const auto first = std::filesystem::last_write_time(path() / "1.claim");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_GT(std::filesystem::last_write_time(path() / "1.claim"), first + std::chrono::milliseconds(200));
}

// One that judged an attempt over long ago must not take what somebody else holds by now.
TEST_F(Claims, ATakerThatIsLateGetsNothing) {
  claim_of_a_killed_process();
  const ClaimState seen = claims().state();
  const std::optional<Claim> quick = claims().take(claims().state(), 1);
  ASSERT_TRUE(quick);
  EXPECT_FALSE(claims().take(seen, 1));
  EXPECT_TRUE(quick->still_held());
}

TEST_F(Claims, AHolderLearnsThatItWasTakenOver) {
  const std::optional<Claim> stalled = claims().take(claims().state(), 1);
  const std::optional<Claim> other = claims().take(claims().state(), 1);  // as if the heartbeat were too old
  ASSERT_TRUE(other);
  EXPECT_FALSE(stalled->still_held());
  EXPECT_TRUE(other->still_held());
}

// Eight processes see the same dead holder and take at the same moment, 40 times over.
TEST_F(Claims, OfManyTakersOneWins) {
  constexpr int kTakers = 8;
  for (int round = 1; round <= 40; ++round) {
    claim_of_a_killed_process();
    std::array<int, 2> gate{};
    ASSERT_EQ(pipe(gate.data()), 0);
    std::vector<pid_t> takers;
    for (int i = 0; i < kTakers; ++i) {
      takers.push_back(fork());
      if (takers.back() != 0) continue;
      const ClaimState seen = claims().state();
      char byte = 0;
      close(gate[1]);
      if (read(gate[0], &byte, 1) != 0) _exit(2);  // until every writer has closed the gate
      const std::optional<Claim> claim = claims().take(seen, 1);
      _exit(claim ? 1 : 0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    close(gate[0]), close(gate[1]);
    int winners = 0;
    for (const pid_t taker : takers) {
      int status = 0;
      waitpid(taker, &status, 0);
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << "a taker failed";
      winners += WEXITSTATUS(status);
    }
    EXPECT_EQ(winners, 1) << "round " << round;
  }
}

}  // namespace
}  // namespace canvaslab
