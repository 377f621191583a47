// Nothing is asked: so many samples without a prompt, of a model that needs none. Nothing is right or wrong;
// where the model is exact, a run says how far its samples are from the truth.
#include "core/registry.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

class Unconditional : public Task {
 public:
  struct Config {
    int samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("samples", samples, {.unit = "samples", .meaning = "how many", .minimum = 1});
    }
  };

  explicit Unconditional(const Config& config) : config_(config) {}

  std::vector<TaskItem> items(const std::filesystem::path& /*model_folder*/) const override {
    std::vector<TaskItem> all;
    for (int i = 0; i < config_.samples; ++i) all.push_back({std::to_string(i), "", ""});
    return all;
  }

  std::optional<bool> grade(const TaskItem& /*item*/, const std::string& /*answer*/) const override {
    return std::nullopt;
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Unconditional, "unconditional", "nothing is asked: samples without a prompt", "");

}  // namespace canvaslab
