// Worker processes on this machine, which take cells until none is open. A worker that dies is replaced and
// its cell is taken again, unless that cell has ended several workers.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <thread>

#include "core/error.h"
#include "core/registry.h"
#include "core/standard_streams.h"
#include "experiments/core_count.h"
#include "experiments/interruption.h"
#include "experiments/sweep/child_process.h"
#include "experiments/sweep/sweep_watch.h"

namespace canvaslab {
namespace {

constexpr int kMostDeaths = 3;  // of workers, at one cell or before their first

// The workers of one launch.
class Crew {
 public:
  Crew(SweepWatch& watch, int size, int threads) : watch_(watch), size_(size), threads_(threads) {}
  ~Crew() { dismiss(); }

  void work() {
    while (true) {
      reap();
      if (interruption() != 0) {
        dismiss();
        throw Interrupted(interruption(), fmt::format("stopped by {}", signal_name(interruption())));
      }
      watch_.update();
      if (hire_or_finish()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

 private:
  // Keeps as many workers as there is work for. True when nobody works any more.
  bool hire_or_finish() {
    if (!workers_.empty() && !short_of_workers_) return false;
    watch_.refresh();
    const bool stopped = watch_.sweep().stopped();
    const auto open = static_cast<size_t>(stopped ? 0 : watch_.counts().waiting);
    const size_t wanted = std::min(static_cast<size_t>(size_), workers_.size() + open);
    while (workers_.size() < wanted) hire();
    short_of_workers_ = false;
    return workers_.empty() && watch_.counts().running == 0;
  }

  void hire() {
    workers_.insert(start_child({"/proc/self/exe", "sweep", watch_.sweep().folder().string(), "--work",
                                 "--threads", std::to_string(threads_)}));
  }

  void reap() {
    for (auto worker = workers_.begin(); worker != workers_.end();) {
      int status = 0;
      const pid_t process = *worker;
      if (waitpid(process, &status, WNOHANG) != process) {
        ++worker;
        continue;
      }
      worker = workers_.erase(worker);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) note_death(process, how_it_ended(status));
    }
  }

  void note_death(pid_t process, const std::string& how) {
    short_of_workers_ = true;
    watch_.refresh();
    const auto row = std::find_if(watch_.rows().begin(), watch_.rows().end(), [&](const TableRow& candidate) {
      return is_open(candidate.record.state) && candidate.record.process == process &&
             candidate.record.attempts > 0;
    });
    const std::string cell = row == watch_.rows().end() ? "" : fmt::format(" at cell {}", row->cell.number);
    tell(fmt::format("warning: worker process {} {}{}\n", process, how, cell));
    if (row == watch_.rows().end()) {
      if (++idle_deaths_ >= kMostDeaths)
        throw Error(fmt::format("workers end without running a cell: the last one {}", how));
      return;
    }
    if (++deaths_[row->cell.number] < kMostDeaths) return;
    const CellFolder folder = watch_.sweep().cell(row->cell);
    std::optional<Claim> claim = folder.take(watch_.sweep().session());
    if (!claim) return;
    folder.fail(*claim, fmt::format("{} processes died of it; the last one {}", kMostDeaths, how));
    watch_.sweep().stop_after_failure();
  }

  // They give their cells back and end.
  void dismiss() {
    for (const pid_t worker : workers_) kill(worker, SIGTERM);
    for (const pid_t worker : workers_) waitpid(worker, nullptr, 0);
    workers_.clear();
  }

  SweepWatch& watch_;
  int size_, threads_;
  std::set<pid_t> workers_;
  bool short_of_workers_ = false;
  std::map<int, int> deaths_;  // by cell
  int idle_deaths_ = 0;
};

class LocalLauncher : public Launcher {
 public:
  struct Config {
    int workers = 2;
    std::optional<int> threads;
    SweepPolicy policy;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("workers", workers, {.unit = "processes", .meaning = "how many", .minimum = 1, .maximum = 1024});
      visit(
          "threads", threads,
          {.unit = "threads",
           .meaning = "CPU threads of a worker whose cells leave it open; null: an equal share of the cores",
           .minimum = 1,
           .maximum = 4096});
      policy.fields(visit);
    }
  };

  explicit LocalLauncher(const Config& config) : config_(config) {}

  const SweepPolicy& policy() const override { return config_.policy; }

  void launch(SweepWatch& watch) const override {
    const int cores = core_count();
    Crew(watch, config_.workers, config_.threads.value_or(std::max(1, cores / config_.workers))).work();
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Launcher, LocalLauncher, "local", "worker processes on this machine", "");

}  // namespace canvaslab
