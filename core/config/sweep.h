// Sweeps as Hydra plans them: from the words of a --multirun command line, and `hydra.sweeper.params` before
// them, to keys with the values that each runs over; from those, for a grid, to one list of words a job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/compose.h"

namespace canvaslab::config {

// interval(low, high): low <= value < high.
struct SweepInterval {
  double low = 0, high = 0;
  bool is_integer = false;      // int(interval(...))
  bool is_logarithmic = false;  // tag(log, interval(...)): to be drawn evenly in the logarithm
};

// One key and what it runs over. A key that is not swept has one value.
struct SweepKey {
  std::string key;                        // with its mark: "selection.bound", "+a", "~b", "noise@src"
  std::vector<std::string> values;        // as they stand behind '='; empty for an interval
  std::optional<SweepInterval> interval;  // instead of values
  std::string word;                       // as it was given, for messages

  bool is_swept() const { return interval || values.size() != 1; }
};

struct SweepPlan {
  ComposeRequest request;  // the folders, and the words that set hydra's own values
  Composition
      composition;  // of the sweep: swept keys left out. hydra.sweep.dir, hydra.sweeper ... stand here
  std::vector<SweepKey> keys;

  // What composes a job: its number becomes hydra.job.num and hydra.job.id; `words` hold one "key=value" for
  // each key.
  ComposeRequest job(const std::vector<std::string>& words, int number) const;
};

// Plans the sweep of a request's words. The same request gives the same plan, shuffled values included.
// ConfigurationError: anything that composing refuses; a sweep over hydra's own keys; a sweep that has no
// value, or more than 100,000.
SweepPlan plan_sweep(const ComposeRequest& request);

// Every combination, the last key fastest: what Hydra's basic sweeper runs. Jobs are made when asked for.
class SweepGrid {
 public:
  // ConfigurationError: an interval, which a grid cannot enumerate, or more than a million jobs.
  explicit SweepGrid(const SweepPlan& plan);

  std::size_t size() const { return size_; }
  // The words of job `index`, which is below size().
  std::vector<std::string> words(std::size_t index) const;

 private:
  std::vector<SweepKey> keys_;
  std::size_t size_ = 1;
};

}  // namespace canvaslab::config
