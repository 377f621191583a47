// Follows a sweep that is being run: keeps its table up to date, and shows how far it is on stderr.
#pragma once

#include <chrono>
#include <vector>

#include "experiments/sweep/sweep_table.h"

namespace canvaslab {

class SweepWatch {
 public:
  explicit SweepWatch(const StoredSweep& sweep);

  // Brings counts, display and table up to date; at most once a second, so that calling it often costs
  // little.
  void update();

  // Brings the counts up to date, now.
  void refresh();

  // Brings everything up to date, now; the display ends.
  void finish();

  struct Counts {
    int finished = 0, running = 0, failed = 0, waiting = 0;
  };
  // `failed`: in this session.
  const Counts& counts() const { return counts_; }

  const StoredSweep& sweep() const { return sweep_; }
  const std::vector<TableRow>& rows() const { return rows_; }

 private:
  using Clock = std::chrono::steady_clock;
  static void note_change(const TableRow& row);  // in the sweep's log
  void show(bool last);
  std::string line() const;

  const StoredSweep& sweep_;
  std::vector<TableRow> rows_;
  Counts counts_;
  int finished_before_ = 0;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point updated_;
  std::string last_line_;
};

}  // namespace canvaslab
