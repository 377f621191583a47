// How many positions the rules with a quota commit at a step, so that a canvas of L positions is done after
// its N steps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "samplers/selection/selection_rule.h"

namespace canvaslab {

inline bool is_last(const StepTime& time) {
  return time.index + 1 >= time.count;
}

// The positions that must be decided in all after this step when they are shared out evenly: (i + 1) L / N,
// rounded up.
inline int even_total(int length, const StepTime& time) {
  const std::int64_t done = std::min(time.index + 1, time.count);
  return static_cast<int>((done * length + time.count - 1) / time.count);
}

// Whether a position that takes a predicted token may be decided again at the next step, as under uniform
// noise. There a quota of each step would never get further than its own size.
inline bool commits_stay_open(const SelectionInput& input) {
  for (size_t i = 0; i < input.undecided.size(); ++i) {
    if (input.undecided[i] != 0) return input.noise->undecided(input.prediction.argmax[i], *input.vocabulary);
  }
  return false;
}

// How many of the `open` undecided positions to commit: `of_step`; where commits stay open, what is missing
// to `in_all` decided positions, those counted that are given or locked; in the last step all.
inline int quota(const SelectionInput& input, int open, std::int64_t of_step, std::int64_t in_all) {
  if (is_last(input.time)) return open;
  const std::int64_t decided = static_cast<std::int64_t>(input.undecided.size()) - open;
  const std::int64_t commits = commits_stay_open(input) ? in_all - decided : of_step;
  return static_cast<int>(std::clamp<std::int64_t>(commits, 0, open));
}

// The even split of the undecided positions over the steps that are left, the remainder first: from a canvas
// of L masks, L / N a step and one more in the first L mod N. Where commits stay open: ceil((i + 1) L / N)
// positions in all after step i = 0 .. N - 1.
inline int even_quota(const SelectionInput& input, int open) {
  const int left = std::max(input.time.count - input.time.index, 1);
  return quota(input, open, (open + left - 1) / left,
               even_total(static_cast<int>(input.undecided.size()), input.time));
}

}  // namespace canvaslab
