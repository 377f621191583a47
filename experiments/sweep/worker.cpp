#include "experiments/sweep/worker.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/standard_streams.h"
#include "experiments/interruption.h"
#include "experiments/output_folder.h"
#include "experiments/sampling_run.h"

namespace canvaslab {
namespace {

constexpr double kGibibyte = 1073741824;

// The what() of LibTorch's errors carries a stack trace.
std::string message_of(const std::exception& error) {
  if (const auto* torch = dynamic_cast<const c10::Error*>(&error)) return torch->what_without_backtrace();
  return error.what();
}

void refuse_to_go_on_when_interrupted() {
  if (interruption() != 0)
    throw Interrupted(interruption(), fmt::format("stopped by {}", signal_name(interruption())));
}

}  // namespace

Worker::Worker(const StoredSweep& sweep, std::optional<int> threads)
    : sweep_(sweep),
      session_(sweep.session()),
      threads_(threads),
      models_(static_cast<size_t>(sweep.launcher().policy().prompt_memory * kGibibyte)),
      done_(sweep.cells().size(), false) {}

bool Worker::run_one() {
  refuse_to_go_on_when_interrupted();
  if (sweep_.stopped()) return false;
  return try_cells(/*of_loaded_model=*/true) || try_cells(/*of_loaded_model=*/false);
}

bool Worker::try_cells(bool of_loaded_model) {
  for (size_t i = 0; i < done_.size(); ++i) {
    const PlannedCell& planned = sweep_.cells()[i];
    if (done_[i] || (planned.model == loaded_) != of_loaded_model) continue;
    const CellFolder folder = sweep_.cell(planned);
    std::optional<Claim> claim = folder.take(session_);
    if (claim) {
      done_[i] = run(planned, folder, *claim);
      return true;
    }
    done_[i] = folder.finished();
  }
  return false;
}

// False when another process took the cell over meanwhile: it may become open again.
bool Worker::run(const PlannedCell& planned, const CellFolder& folder, Claim& claim) {
  std::optional<LogScope> log;
  try {
    if (!holds_composition(folder.path())) sweep_.restore(planned);
    const StoredRun stored = read_output_folder(folder.path());
    const LogPlace place = log_place(folder.path(), stored.composition);
    log.emplace(place.file, place.name);
    note(fmt::format("cell {}, attempt {}, by process {} on {}: {}\n", planned.number, claim.attempt(),
                     this_process().process, this_process().host, fmt::join(planned.overrides, " ")));
    const bool finished = sample(stored, planned, folder, claim);
    note(finished ? "finished\n"
                  : "warning: another process took the cell over; what this one did is lost\n");
    return finished;
  } catch (const Interrupted& interrupted) {
    note(fmt::format("{}: given back\n", interrupted.what()));
    folder.give_back(claim);
    throw;
  } catch (const std::exception& error) {
    const bool held = claim.still_held();
    note(fmt::format("failed: {}\n", message_of(error)));
    folder.fail(claim, message_of(error));
    sweep_.stop_after_failure();
    return held;
  }
}

// False as above.
bool Worker::sample(const StoredRun& stored, const PlannedCell& planned, const CellFolder& folder,
                    Claim& claim) {
  const auto started = std::chrono::system_clock::now();
  const std::filesystem::path attempt = folder.begin(claim);
  loaded_ = planned.model;
  Session session(stored.composition);
  session.load(&models_, threads_);
  const SamplingRun run(session);
  write_resolved(attempt, session.effective());
  const RunMetrics metrics =
      run.run({attempt, stored.overrides}, std::make_unique<SampleObserver>(), /*out=*/nullptr);
  return folder.finish(claim, metrics, started);
}

}  // namespace canvaslab
