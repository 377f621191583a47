// One cell after the other, in this process.
#include <chrono>
#include <thread>

#include "core/registry.h"
#include "experiments/sweep/sweep_watch.h"
#include "experiments/sweep/worker.h"

namespace canvaslab {
namespace {

class BasicLauncher : public Launcher {
 public:
  struct Config {
    SweepPolicy policy;

    template <class Visitor>
    void fields(Visitor& visit) {
      policy.fields(visit);
    }
  };

  explicit BasicLauncher(const Config& config) : config_(config) {}

  const SweepPolicy& policy() const override { return config_.policy; }

  void launch(SweepWatch& watch) const override {
    const StoredSweep& sweep = watch.sweep();
    const int session = sweep.session();
    Worker worker(sweep);
    while (true) {
      while (worker.run_one()) watch.update();
      // Others may help with a sweep; a cell of theirs becomes open when they give it back or die, perhaps
      // after the look that run_one() took.
      watch.refresh();
      const bool nothing_open = watch.counts().waiting == 0 || sweep.stopped();
      const bool taken_over = sweep.session() != session;  // what is open now is another process's
      if (watch.counts().running == 0 && (nothing_open || taken_over)) return;
      watch.update();
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Launcher, BasicLauncher, "basic", "one cell after the other, in this process", "");

}  // namespace canvaslab
