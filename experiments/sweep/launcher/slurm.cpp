// A job array on a Slurm cluster: every array task is a worker that takes cells until none is open. A task
// that is preempted or requeued gives its cell back (SIGTERM) or leaves it to be taken again (SIGKILL).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "core/error.h"
#include "core/registry.h"
#include "core/standard_streams.h"
#include "experiments/interruption.h"
#include "experiments/sweep/child_process.h"
#include "experiments/sweep/sweep_watch.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string trimmed(const std::string& text) {
  const size_t end = text.find_last_not_of(" \n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

class SlurmLauncher : public Launcher {
 public:
  struct Config {
    int tasks = 4;
    std::optional<int> parallel;
    std::optional<std::string> partition, account;
    std::optional<int> time;
    std::optional<double> memory;
    std::optional<int> gpus;
    int cpus = 1;
    bool requeue = true;
    std::vector<std::string> options;
    double poll = 5;
    SweepPolicy policy;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("tasks", tasks,
            {.unit = "array tasks", .meaning = "how many workers", .minimum = 1, .maximum = 100000});
      visit("parallel", parallel,
            {.unit = "array tasks", .meaning = "how many may run at a time; null: all", .minimum = 1});
      visit("partition", partition, {.meaning = "Slurm partition; null: the cluster's default"});
      visit("account", account, {.meaning = "account that is charged; null: the user's default"});
      visit("time", time,
            {.unit = "minutes", .meaning = "limit of a task; null: the partition's", .minimum = 1});
      visit("memory", memory, {.unit = "GiB", .meaning = "of a task; null: the partition's", .above = 0});
      visit("gpus", gpus, {.unit = "GPUs", .meaning = "of a task; null: none asked for", .minimum = 1});
      visit("cpus", cpus,
            {.unit = "CPUs",
             .meaning = "of a task, and the threads of cells that leave them open",
             .minimum = 1,
             .maximum = 4096});
      visit("requeue", requeue,
            {.meaning = "whether a task that is preempted or loses its node is queued again"});
      visit("options", options, {.meaning = "further words for sbatch"});
      visit("poll", poll,
            {.unit = "seconds",
             .meaning = "between two looks at Slurm's queue",
             .minimum = 0.1,
             .maximum = 3600});
      policy.fields(visit);
    }
  };

  explicit SlurmLauncher(const Config& config) : config_(config) {}

  const SweepPolicy& policy() const override { return config_.policy; }

  void launch(SweepWatch& watch) const override {
    watch.refresh();
    if (watch.counts().waiting == 0 && watch.counts().running == 0) return;
    const std::string job = submit(watch);
    tell(fmt::format("Slurm job {}\n", job));
    while (queued(job)) {
      const auto next = std::chrono::steady_clock::now() + std::chrono::duration<double>(config_.poll);
      while (std::chrono::steady_clock::now() < next) {
        stop_if_interrupted(job);
        watch.update();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      watch.refresh();
      if (watch.counts().waiting == 0 && watch.counts().running == 0) return;
    }
  }

 private:
  // Slurm goes on without this process.
  static void stop_if_interrupted(const std::string& job) {
    if (interruption() == 0) return;
    throw Interrupted(interruption(),
                      fmt::format("stopped by {}; Slurm job {} goes on (scancel {} ends it, canvaslab sweep "
                                  "shows how far it is)",
                                  signal_name(interruption()), job, job));
  }

  std::string submit(const SweepWatch& watch) const {
    const std::string folder = watch.sweep().folder().string();
    const std::string script = fmt::format("{}/.sweep/slurm-{}.sh", folder, watch.sweep().session());
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    AtomicFile file(script);
    file.write(fmt::format("#!/bin/sh\nexec {} sweep {} --work --threads {}\n", quoted(program),
                           quoted(folder), config_.cpus));
    file.commit();
    const Finished sbatch = run_child(sbatch_words(watch, script));
    if (sbatch.status == 127)
      throw Error(
          "hydra/launcher=slurm: there is no program sbatch: this machine belongs to no Slurm cluster");
    if (sbatch.status != 0)
      throw Error(fmt::format("sbatch failed: {}", trimmed(sbatch.errors + sbatch.output)));
    if (!sbatch.errors.empty()) tell(trimmed(sbatch.errors) + "\n");
    return job_of(trimmed(sbatch.output));
  }

  // "42", or "42;cluster".
  static std::string job_of(const std::string& said) {
    const std::string job = said.substr(0, said.find(';'));
    if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos)
      throw Error(fmt::format("sbatch --parsable: expected the job's number, found '{}'", said));
    return job;
  }

  std::vector<std::string> sbatch_words(const SweepWatch& watch, const std::string& script) const {
    const int tasks = std::min(config_.tasks, std::max(1, watch.counts().waiting));
    const std::string limit = config_.parallel ? fmt::format("%{}", *config_.parallel) : "";
    std::vector<std::string> words{
        "sbatch",
        "--parsable",
        "--job-name=canvaslab",
        "--open-mode=append",
        fmt::format("--array=0-{}{}", tasks - 1, limit),
        fmt::format("--output={}/.sweep/slurm-%A_%a.log", watch.sweep().folder().string()),
        fmt::format("--cpus-per-task={}", config_.cpus),
        config_.requeue ? "--requeue" : "--no-requeue"};
    if (config_.partition) words.push_back(fmt::format("--partition={}", *config_.partition));
    if (config_.account) words.push_back(fmt::format("--account={}", *config_.account));
    if (config_.time) words.push_back(fmt::format("--time={}", *config_.time));
    if (config_.memory) words.push_back(fmt::format("--mem={:.0f}M", *config_.memory * 1024));
    if (config_.gpus) words.push_back(fmt::format("--gpus={}", *config_.gpus));
    words.insert(words.end(), config_.options.begin(), config_.options.end());
    words.push_back(script);
    return words;
  }

  // Whether any task of the job waits or runs. Slurm forgets a job some minutes after its end.
  static bool queued(const std::string& job) {
    const Finished squeue =
        run_child({"squeue", "--noheader", "--array", "--format=%t", fmt::format("--jobs={}", job)});
    if (squeue.status == 0) return !trimmed(squeue.output).empty();
    return squeue.errors.find("Invalid job id") == std::string::npos;  // else the controller did not answer
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Launcher, SlurmLauncher, "slurm", "a job array on a Slurm cluster", "");

}  // namespace canvaslab
