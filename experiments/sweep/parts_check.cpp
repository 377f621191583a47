#include "experiments/sweep/parts_check.h"

#include "core/error.h"
#include "experiments/sampling_run.h"

namespace canvaslab {
namespace {

// Adds what a look complains of.
template <class Look>
void note(std::vector<std::string>& complaints, Look look) {
  try {
    look();
  } catch (const ConfigurationError& error) {
    complaints.emplace_back(error.what());
  }
}

}  // namespace

const PartsCheck::Seen& PartsCheck::model_of(const Session& cell) {
  const auto [found, fresh] = models_.try_emplace(cell.model_name());
  Seen& seen = found->second;
  if (!fresh) return seen;
  try {
    const Model model = cell.config().model->inspect();
    needed_tokenizer(model);
    seen.vocabulary = model.vocabulary;
    seen.folder = model.folder;
  } catch (const ConfigurationError& error) {
    seen.refusal = error.what();
  }
  return seen;
}

std::vector<std::string> PartsCheck::complaints(const Session& cell) {
  const RunConfig& config = cell.config();
  const Seen& seen = model_of(cell);
  std::vector<std::string> all;
  if (seen.refusal.empty()) {
    note(all, [&] { config.noise->check(seen.vocabulary); });
  } else {
    all.push_back(seen.refusal);
  }
  note(all, [&] { config.task->check_files(seen.folder); });
  note(all, [&] { config.random->make(config.seed); });
  return all;
}

}  // namespace canvaslab
