// Prompts of one's own, from the configuration or a file; right when the answer equals the target, if there
// is one.
#include "core/error.h"
#include "core/registry.h"
#include "experiments/tasks/prompt_file.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

class Prompts : public Task {
 public:
  struct Config {
    std::vector<std::string> texts;
    std::optional<std::string> file;
    std::optional<int> samples;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("texts", texts, {.meaning = "prompts, written out"});
      visit("file", file, {.meaning = "JSON lines with \"prompt\" and optionally \"target\" and \"id\""});
      visit("samples", samples,
            {.unit = "prompts", .meaning = "how many of them to take; null: all", .minimum = 1});
    }
  };

  explicit Prompts(const Config& config) : config_(config) {
    if (config.texts.empty() == !config.file.has_value()) {
      throw ConfigurationError("task: prompts takes either task.texts or task.file");
    }
  }

  std::vector<TaskItem> items(const std::filesystem::path& /*model_folder*/) const override {
    std::vector<TaskItem> all;
    if (config_.file) {
      all = read_prompts(*config_.file);
    } else {
      for (const std::string& text : config_.texts) all.push_back({std::to_string(all.size()), text, ""});
    }
    return first_of(std::move(all), config_.samples);
  }

  void check_files(const std::filesystem::path& /*model_folder*/) const override {
    if (config_.file) check_prompt_file(*config_.file);
  }

  std::optional<bool> grade(const TaskItem& item, const std::string& answer) const override {
    if (item.target.empty()) return std::nullopt;
    return answer == item.target;
  }

 private:
  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Prompts, "prompts",
                   "prompts of one's own, graded against targets where there are any", "");

}  // namespace canvaslab
