// Several processes train one model: the losses and weights of a single process with the same whole batch.
#include "experiments/training/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/error.h"
#include "models/checkpoint/safetensors.h"
#include "tests/complaint.h"
#include "tests/experiments/sweep/program.h"
#include "tests/experiments/training/small_training.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;
using Variables = std::vector<std::pair<std::string, std::string>>;

// Variables of the environment, until the scope ends.
class Environment {
 public:
  explicit Environment(Variables values) : values_(std::move(values)) {
    for (const auto& [name, value] : values_) setenv(name.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : values_) unsetenv(name.c_str());
  }

 private:
  Variables values_;
};

// A port that nobody listens on now.
int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  close(listener);
  return ntohs(address.sin_port);
}

// As torchrun sets them.
Variables torchrun(int rank, int count, int port) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(count)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", std::to_string(port)}};
}

// As srun sets them.
Variables slurm(int rank, int count, int port) {
  return {{"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_STEP_NUM_TASKS", std::to_string(count)},
          {"SLURM_LAUNCH_NODE_IPADDR", "127.0.0.1"},
          {"SLURM_JOB_ID", "7"},
          {"MASTER_PORT", std::to_string(port)}};
}

class TwoProcesses : public ::testing::Test {
 protected:
  using Team = std::vector<std::unique_ptr<Program>>;

  Team start(int count, const std::vector<std::string>& words,
             Variables (*variables)(int, int, int) = torchrun) {
    const int port = free_port();
    Team team;
    for (int rank = 0; rank < count; ++rank) {
      const Environment environment(count > 1 ? variables(rank, count, port) : Variables{});
      const std::filesystem::path own = folder_ / fmt::format("{}.{}", started_, rank);
      std::filesystem::create_directories(own);
      team.push_back(std::make_unique<Program>(own, words));
    }
    ++started_;
    return team;
  }

  std::vector<std::string> training(const std::string& name, const std::vector<std::string>& more) const {
    std::vector<std::string> words = small_training(more);
    words.insert(words.begin(), "train");
    words.push_back("hydra.run.dir=" + path(name).string());
    return words;
  }

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  TensorMap state(const std::string& name) const {
    return read_safetensors(path(name) / "state.safetensors");
  }

  void expect_success(const Team& team) {
    for (const auto& process : team) EXPECT_EQ(process->wait(120), 0) << process->messages();
  }

 private:
  TemporaryFolder folder_;
  int started_ = 0;
};

double largest_difference(const at::Tensor& one, const at::Tensor& two) {
  return (one - two).abs().max().item<double>();
}

TEST_F(TwoProcesses, TrainAsOneDoes) {
  int number = 0;
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"training.batch=8", "training.balance_weight=1"},
           {"training.micro_batch=2", "training.batch=8", "noise=masked", "training.balance_weight=0"},
           {"training.batch=6", "training.weighting=inverse_time"}}) {
    const std::string one = fmt::format("one{}", number), two = fmt::format("two{}", number);
    std::vector<std::string> alone = more, together = more;
    if (number == 1)
      alone[0] = "training.micro_batch=4";  // other rows are in memory together: their balance differs
    expect_success(start(1, training(one, alone)));
    expect_success(start(2, training(two, together), number == 2 ? slurm : torchrun));
    const TensorMap a = state(one), b = state(two);
    for (const std::string loss : {"loss", "denoising_loss", "causal_loss", "balance_loss"}) {
      if (number == 1 && loss == "balance_loss") continue;
      const std::string column = "log/training/" + loss;
      EXPECT_LE(largest_difference(a.at(column), b.at(column)), 1e-5) << loss;
    }
    for (const auto& [name, tensor] : a) {
      if (name.starts_with("parameter/")) {
        EXPECT_LE(largest_difference(tensor, b.at(name)), 2e-3) << name;
      }
    }
    ++number;
  }
}

TEST_F(TwoProcesses, ASignalToOneStopsBothAndResumingChangesNothing) {
  const std::vector<std::string> more{"training.batch=4", "training.steps=400", "training.save_every=20",
                                      "training.validate_every=150"};
  expect_success(start(2, training("whole", more)));
  Team team = start(2, training("stopped", more));
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(path("stopped") / "state.safetensors"); }));
  team[1]->send(SIGTERM);
  EXPECT_EQ(team[0]->wait(60), 143) << team[0]->messages();
  EXPECT_EQ(team[1]->wait(60), 143) << team[1]->messages();
  EXPECT_THAT(team[0]->messages(), HasSubstr("--resume"));
  expect_success(start(2, {"train", "--resume", path("stopped").string()}));
  const TensorMap a = state("whole"), b = state("stopped");
  for (const auto& [name, tensor] : a) {
    if (name.find("seconds") == std::string::npos && name.find("per_second") == std::string::npos) {
      EXPECT_TRUE(tensor.equal(b.at(name))) << name;
    }
  }
}

TEST_F(TwoProcesses, TheDeathOfOneEndsTheOther) {
  Team team = start(2, training("run", {"training.batch=4", "training.steps=100000"}));
  ASSERT_TRUE(soon([&] { return std::filesystem::exists(path("run") / "state.safetensors"); }));
  team[1]->send(SIGKILL);
  EXPECT_EQ(team[0]->wait(60), 1);
  EXPECT_THAT(team[0]->messages(), HasSubstr("another process of this training is gone"));
}

TEST_F(TwoProcesses, ABatchThatCannotBeSharedOutIsRefused) {
  const Team team = start(2, training("run", {"training.batch=5"}));
  for (const auto& process : team) {
    EXPECT_EQ(process->wait(60), 2);
    EXPECT_THAT(process->messages(),
                HasSubstr("training.batch: 5 examples cannot be shared out evenly to 2"));
  }
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

std::string complaint_about(const Variables& variables) {
  const Environment environment(variables);
  return complaint([] { Processes::from_environment(); });
}

TEST(ProcessesFromEnvironment, WrongVariablesAreRefused) {
  EXPECT_THAT(complaint_about({{"WORLD_SIZE", "2"}}), HasSubstr("RANK"));
  EXPECT_THAT(complaint_about({{"WORLD_SIZE", "2"}, {"RANK", "2"}}), HasSubstr("from 0 to 1"));
  EXPECT_THAT(complaint_about({{"WORLD_SIZE", "two"}}), HasSubstr("WORLD_SIZE=two"));
  EXPECT_THAT(complaint_about({{"WORLD_SIZE", "2"}, {"RANK", "0"}, {"MASTER_ADDR", "localhost"}}),
              HasSubstr("MASTER_PORT"));
}

TEST(ProcessesFromEnvironment, OneProcessNeedsNobody) {
  const Environment environment(Variables{{"WORLD_SIZE", "1"}});
  const auto processes = Processes::from_environment();
  EXPECT_EQ(processes->count(), 1);
  EXPECT_TRUE(processes->leads());
  at::Tensor value = at::ones({2});
  processes->sum(value);
  EXPECT_TRUE(value.equal(at::ones({2})));
}

}  // namespace
}  // namespace canvaslab
