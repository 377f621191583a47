#include "experiments/run.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/standard_streams.h"
#include "core/trace/trace_folder.h"
#include "experiments/interruption.h"
#include "experiments/output_folder.h"
#include "experiments/progress.h"
#include "experiments/sampling_run.h"

namespace canvaslab {
namespace {

int run_in(const Session& session, const SamplingRun& run, const SamplingRun::Place& place,
           std::ostream& out) {
  watch_for_interruption();
  try {
    const int most_steps = session.config().sampler->most_steps(session.model().denoiser->canvas_length());
    run.run(place, make_progress(run.samples(), most_steps, &*session.model().tokenizer), &out);
  } catch (const Interrupted& interrupted) {
    throw Interrupted(
        interrupted.signal,
        fmt::format("{}; what was done until then is in {}. To finish it: canvaslab run --resume {}",
                    interrupted.what(), place.folder.string(), place.folder.string()));
  } catch (const std::exception&) {
    tell(fmt::format("what was done until then is in {}. To finish it: canvaslab run --resume {}\n",
                     place.folder.string(), place.folder.string()));
    throw;
  }
  fmt::print(out, "everything about it: {}\n", place.folder.string());
  return 0;
}

}  // namespace

int run(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out) {
  Session session(location, overrides);
  session.load();
  const SamplingRun run(session);
  const std::filesystem::path folder =
      make_output_folder(session.composition(), session.effective(), overrides);
  return run_in(session, run, {folder, overrides}, out);
}

int resume_run(const std::filesystem::path& given, std::ostream& out) {
  const std::filesystem::path folder = std::filesystem::absolute(given);
  const StoredRun stored = read_output_folder(folder);
  if (stored.composition.config.find("training") != nullptr) {
    throw ConfigurationError(
        fmt::format("{} holds a training: canvaslab train --resume {}", folder.string(), folder.string()));
  }
  take_up(stored, folder);
  if (std::filesystem::exists(TraceFolder{folder}.whole())) {
    fmt::print(out, "{} is complete: nothing is left to do\n", folder.string());
    return 0;
  }
  Session session(stored.composition);
  session.load();
  const SamplingRun run(session);
  return run_in(session, run, {folder, stored.overrides, TraceStart::kResume}, out);
}

}  // namespace canvaslab
