#include "experiments/sweep/sweep_commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "core/standard_streams.h"
#include "experiments/interruption.h"
#include "experiments/output_folder.h"
#include "experiments/run.h"
#include "experiments/sweep/comparison.h"
#include "experiments/sweep/measures.h"
#include "experiments/sweep/sweep_watch.h"
#include "experiments/sweep/worker.h"

namespace canvaslab {
namespace {

std::string how_to_go_on(const SweepWatch& watch) {
  const std::string folder = watch.sweep().folder().string();
  return fmt::format("{} of {} cells are finished, in {}. To finish the others: canvaslab run --resume {}",
                     watch.counts().finished, watch.rows().size(), folder, folder);
}

int conduct(const StoredSweep& sweep, std::ostream& out) {
  Claim session = sweep.begin_session();
  sweep.open_log();
  watch_for_interruption();
  const std::string folder = sweep.folder().string();
  tell(fmt::format("{} cells: {}\n", sweep.cells().size(), folder));
  SweepWatch watch(sweep);
  try {
    sweep.launcher().launch(watch);
    watch.finish();
    session.release("ended");
  } catch (const Interrupted& interrupted) {
    watch.finish();
    session.release("interrupted");
    throw Interrupted(interrupted.signal, fmt::format("{}; {}", interrupted.what(), how_to_go_on(watch)));
  } catch (const std::exception&) {
    tell(how_to_go_on(watch) + "\n");
    throw;
  }
  print_text(watch.rows(), out);
  print_comparison(compare(watch.rows(), /*baseline=*/""), out);
  print_measures(watch.rows(), out);
  fmt::print(out, "everything about it: {} (table: {}/sweep.sqlite)\n", folder, folder);
  if (watch.counts().finished == static_cast<int>(watch.rows().size())) return 0;
  tell(fmt::format("{} cells failed, {} were not run. To try them again: canvaslab run --resume {}\n",
                   watch.counts().failed, watch.counts().waiting + watch.counts().running, folder));
  return 1;
}

void refuse_cell(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  for (std::filesystem::path above = whole.parent_path(); above.has_relative_path();
       above = above.parent_path()) {
    if (!is_sweep(above)) continue;
    throw ConfigurationError(fmt::format("{} is a cell of a sweep. To finish that: canvaslab run --resume {}",
                                         folder.string(), above.string()));
  }
}

}  // namespace

int run_sweep(const ConfigLocation& location, const std::vector<std::string>& overrides, std::ostream& out) {
  return conduct(StoredSweep::plan(location, overrides), out);
}

int resume(const std::filesystem::path& folder, const std::vector<std::string>& words, std::ostream& out) {
  if (!is_sweep(folder)) {
    refuse_cell(folder);
    if (words.empty()) return resume_run(folder, out);
    throw ConfigurationError(fmt::format(
        "command line '{}': a run is resumed with the configuration it was started with", words.front()));
  }
  StoredSweep sweep = StoredSweep::open(folder);
  if (!words.empty()) sweep.choose_launcher(words);
  sweep.enter_working_folder();
  return conduct(sweep, out);
}

int show_sweep(const std::filesystem::path& folder, bool json, const std::string& baseline,
               std::ostream& out) {
  const StoredSweep sweep = StoredSweep::open(folder);
  const std::vector<TableRow> rows = read_table(sweep);
  const Comparison comparison = compare(rows, baseline);
  try {
    write_sqlite(sweep, rows);
  } catch (const Error& error) {  // whoever may only read the folder can still look at it
    tell(fmt::format("warning: the table's file stays as it was: {}\n", error.what()));
  }
  if (json) {
    print_json(sweep, rows, comparison, out);
  } else {
    print_text(rows, out);
    print_comparison(comparison, out);
    print_measures(rows, out);
  }
  return 0;
}

int work_on_sweep(const std::filesystem::path& folder, std::optional<int> threads) {
  const StoredSweep sweep = StoredSweep::open(folder);
  sweep.enter_working_folder();
  sweep.open_worker_log();
  note(fmt::format("works on {}\n", sweep.folder().string()));
  watch_for_interruption();
  Worker worker(sweep, threads);
  while (worker.run_one()) {
  }
  note("no cell is open any more\n");
  return 0;
}

}  // namespace canvaslab
