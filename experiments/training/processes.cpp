// Of gloo only the declarations are used (Debian's headers): the code is LibTorch's own.
#define USE_C10D_GLOO

#include "experiments/training/processes.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/error.h"

namespace canvaslab {
namespace {

constexpr int kFirstPort = 20000, kPorts = 20000;  // where a Slurm job's port is derived from its number

// Long, because the others wait while the first one validates; one that died is noticed at once.
constexpr std::chrono::milliseconds kPatience = std::chrono::hours(12);
constexpr std::chrono::milliseconds kStartPatience = std::chrono::minutes(5);

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

int number(const char* name, const std::string& text, int minimum, int maximum) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < minimum || value > maximum) {
    throw ConfigurationError(fmt::format("environment: {}={}: expected a whole number from {} to {}", name,
                                         text, minimum, maximum));
  }
  return value;
}

std::string required(const char* name, const char* because) {
  const std::optional<std::string> value = variable(name);
  if (!value) {
    throw ConfigurationError(
        fmt::format("environment: {} is set, so {} must be as well (torchrun sets both)", because, name));
  }
  return *value;
}

struct Meeting {
  int rank, count, port;
  std::string address;
};

std::optional<Meeting> torchrun_meeting() {
  const std::optional<std::string> size = variable("WORLD_SIZE");
  if (!size) return std::nullopt;
  Meeting meeting;
  meeting.count = number("WORLD_SIZE", *size, 1, 65536);
  if (meeting.count == 1) return std::nullopt;
  meeting.rank = number("RANK", required("RANK", "WORLD_SIZE"), 0, meeting.count - 1);
  meeting.address = required("MASTER_ADDR", "WORLD_SIZE");
  meeting.port = number("MASTER_PORT", required("MASTER_PORT", "WORLD_SIZE"), 1, 65535);
  return meeting;
}

// A job of several tasks; a step that srun did not start has no task number.
std::optional<Meeting> slurm_meeting() {
  const std::optional<std::string> rank = variable("SLURM_PROCID"), size = variable("SLURM_STEP_NUM_TASKS"),
                                   address = variable("SLURM_LAUNCH_NODE_IPADDR"),
                                   job = variable("SLURM_JOB_ID");
  if (!rank || !size || !address || !job) return std::nullopt;
  Meeting meeting;
  meeting.count = number("SLURM_STEP_NUM_TASKS", *size, 1, 65536);
  if (meeting.count == 1) return std::nullopt;
  meeting.rank = number("SLURM_PROCID", *rank, 0, meeting.count - 1);
  meeting.address = *address;
  const std::optional<std::string> port = variable("MASTER_PORT");
  meeting.port = port ? number("MASTER_PORT", *port, 1, 65535)
                      : kFirstPort + number("SLURM_JOB_ID", *job, 0, 2'000'000'000) % kPorts;
  return meeting;
}

class SingleProcess : public Processes {
 public:
  int count() const override { return 1; }
  int rank() const override { return 0; }
  void sum(at::Tensor& /*tensor*/) const override {}
};

std::shared_ptr<gloo::transport::Device> network(const std::string& address) {
  if (const auto interface = variable("GLOO_SOCKET_IFNAME"))
    return c10d::ProcessGroupGloo::createDeviceForInterface(*interface);
  if (address == "localhost" || address.starts_with("127."))
    return c10d::ProcessGroupGloo::createDeviceForHostname(address);
  return c10d::ProcessGroupGloo::createDefaultDevice();
}

class GlooProcesses : public Processes {
 public:
  explicit GlooProcesses(const Meeting& meeting) : meeting_(meeting) {
    try {
      c10d::TCPStoreOptions options;
      options.port = static_cast<std::uint16_t>(meeting.port);
      options.isServer = meeting.rank == 0;
      options.numWorkers = static_cast<std::size_t>(meeting.count);
      options.timeout = kStartPatience;
      const auto store = c10::make_intrusive<c10d::TCPStore>(meeting.address, options);
      const auto gloo = c10d::ProcessGroupGloo::Options::create(kPatience);
      gloo->devices.push_back(network(meeting.address));
      group_ = c10::make_intrusive<c10d::ProcessGroupGloo>(store, meeting.rank, meeting.count, gloo);
    } catch (const std::exception& error) {
      throw ConfigurationError(
          fmt::format("the {} processes of this training did not meet at {}:{} (rank {}): {}", meeting.count,
                      meeting.address, meeting.port, meeting.rank, first_line(error)));
    }
  }

  int count() const override { return meeting_.count; }
  int rank() const override { return meeting_.rank; }

  void sum(at::Tensor& tensor) const override {
    try {
      std::vector<at::Tensor> all{tensor};
      group_->allreduce(all, {})->wait();
    } catch (const std::exception& error) {
      throw Error(fmt::format("another process of this training is gone: {}", first_line(error)));
    }
  }

 private:
  static std::string first_line(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
  }

  Meeting meeting_;
  c10::intrusive_ptr<c10d::Backend> group_;
};

}  // namespace

const Processes& Processes::single() {
  static const SingleProcess process;
  return process;
}

std::unique_ptr<Processes> Processes::from_environment() {
  std::optional<Meeting> meeting = torchrun_meeting();
  if (!meeting) meeting = slurm_meeting();
  if (!meeting) return std::make_unique<SingleProcess>();
  return std::make_unique<GlooProcesses>(*meeting);
}

}  // namespace canvaslab
