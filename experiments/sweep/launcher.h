// The config group `hydra/launcher`: who runs a sweep's cells.
#pragma once

#include <optional>
#include <string>

#include "core/config/fields.h"

namespace canvaslab {

class SweepWatch;

enum class OnFailure { kContinue, kStop };

// What every launcher lets one choose.
struct SweepPolicy {
  OnFailure on_failure = OnFailure::kContinue;
  double stale_after = 60;
  double prompt_memory = 1;

  template <class Visitor>
  void fields(Visitor& visit) {
    visit.choice("on_failure", on_failure, {{"continue", OnFailure::kContinue}, {"stop", OnFailure::kStop}},
                 {.meaning = "whether a failed cell keeps further ones from being started"});
    visit("stale_after", stale_after,
          {.unit = "seconds",
           .meaning = "a process on another machine that gave no sign for so long is taken for dead",
           .minimum = 1,
           .maximum = 86400});
    visit("prompt_memory", prompt_memory,
          {.unit = "GiB",
           .meaning = "what a process may keep of prompts that it has read, for the cells that share them",
           .minimum = 0,
           .maximum = 1e6});
  }
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Runs the cells that are open and returns when nobody works on any of them any more, or the sweep was told
  // to stop. What became of them stands in their folders. `watch` is updated as it goes.
  // Interrupted when a signal came; Error when nothing can be started.
  virtual void launch(SweepWatch& watch) const = 0;

  virtual const SweepPolicy& policy() const = 0;
};

}  // namespace canvaslab
