#include "experiments/sweep/sweep_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include "core/standard_streams.h"

namespace canvaslab {
namespace {

constexpr std::chrono::seconds kBetweenUpdates{1};
constexpr int kBarWidth = 24;

std::string bar(int done, int all) {
  const int filled = all > 0 ? kBarWidth * done / all : 0;
  return fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", kBarWidth - filled);
}

}  // namespace

SweepWatch::SweepWatch(const StoredSweep& sweep) : sweep_(sweep), rows_(read_table(sweep)) {
  refresh();
  finished_before_ = counts_.finished;
}

void SweepWatch::refresh() {
  const int session = sweep_.session();
  counts_ = {};
  for (TableRow& row : rows_) {
    const CellFolder folder = sweep_.cell(row.cell);
    if (row.record.state != CellState::kFinished) {
      const CellState before = row.record.state;
      row.record = folder.record();
      if (row.record.state != before) note_change(row);
    }
    const CellState state = row.record.state;
    const bool again = state == CellState::kFailed && row.record.session < session;
    if (again || is_open(state)) ++counts_.waiting;
    if (state == CellState::kRunning) ++counts_.running;
    if (state == CellState::kFinished) ++counts_.finished;
    if (state == CellState::kFailed && !again) ++counts_.failed;
  }
}

void SweepWatch::note_change(const TableRow& row) {
  const CellRecord& record = row.record;
  if (record.state == CellState::kFinished)
    note(fmt::format("cell {} finished in {:.2f} s\n", row.cell.number, record.seconds));
  if (record.state == CellState::kFailed)
    note(fmt::format("failed: cell {}: {}\n", row.cell.number, record.error));
}

void SweepWatch::update() {
  if (Clock::now() - updated_ < kBetweenUpdates) return;
  refresh();
  write_sqlite(sweep_, rows_);
  show(/*last=*/false);
  updated_ = Clock::now();
}

void SweepWatch::finish() {
  refresh();
  write_sqlite(sweep_, rows_);
  show(/*last=*/true);
}

std::string SweepWatch::line() const {
  const int all = static_cast<int>(rows_.size()), done = counts_.finished - finished_before_;
  std::string text = fmt::format("{}/{} cells finished, {} running, {} failed", counts_.finished, all,
                                 counts_.running, counts_.failed);
  const int left = counts_.waiting + counts_.running;
  if (done > 0 && left > 0) {
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    text += fmt::format(", {:.0f} s left", elapsed / done * left);
  }
  return text;
}

// On a terminal one line is redrawn, elsewhere a line is written when it says something new.
void SweepWatch::show(bool last) {
  const std::string text = line();
  if (isatty(STDERR_FILENO) != 0) {
    draw(fmt::format("\r\x1b[K{}{}{}", bar(counts_.finished, static_cast<int>(rows_.size())), text,
                     last ? "\n" : ""));
    if (last) note(text + "\n");
  } else if (text != last_line_) {
    tell(text + "\n");
  }
  last_line_ = text;
}

}  // namespace canvaslab
