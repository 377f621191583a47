#include "experiments/sweep/cell.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "experiments/output_folder.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

constexpr const char* kFailed = "failed: ";
constexpr const char* kGivenBack = "given back";
constexpr const char* kFinished = "finished";

std::string iso_time(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

// A cell's result: whole, damaged (then `damage` says how), or not there.
struct Result {
  std::optional<CellRecord> record;
  std::string damage;
};

Result read_result(const fs::path& file) {
  std::error_code unknown;
  if (!fs::exists(file, unknown)) return {};
  try {
    const nlohmann::json result = nlohmann::json::parse(std::ifstream(file));
    CellRecord record;
    record.state = CellState::kFinished;
    record.metrics = metrics_of(result.at("metrics"));
    result.at("attempt").get_to(record.attempts);
    result.at("host").get_to(record.host);
    result.at("started").get_to(record.started);
    result.at("ended").get_to(record.ended);
    result.at("seconds").get_to(record.seconds);
    record.trace = result.at("trace").get<std::string>();
    return {record, ""};
  } catch (const nlohmann::json::exception& error) {
    return {std::nullopt, fmt::format("{} cannot be read: {}", file.string(), error.what())};
  }
}

// Where a run folder's trace is: finished, in parts, or nowhere.
fs::path trace_in(const fs::path& folder) {
  if (fs::exists(folder / "trace.h5")) return "trace.h5";
  return fs::exists(folder / "trace") ? "trace" : "";
}

}  // namespace

const char* cell_state_name(CellState state) {
  switch (state) {
    case CellState::kWaiting:
      return "waiting";
    case CellState::kRunning:
      return "running";
    case CellState::kFinished:
      return "finished";
    case CellState::kFailed:
      return "failed";
    case CellState::kDamaged:
      return "damaged";
    case CellState::kMissing:
      return "missing";
  }
  return "";
}

bool CellFolder::finished() const {
  return read_result(folder_ / "result.json").record.has_value();
}

CellRecord CellFolder::record() const {
  Result result = read_result(folder_ / "result.json");
  if (result.record) {
    CellRecord& finished = *result.record;
    if (!finished.trace.empty() && !fs::exists(folder_ / finished.trace)) {
      finished.error = fmt::format("{} was deleted", (folder_ / finished.trace).string());
      finished.trace.clear();
    }
    return finished;
  }
  CellRecord record;
  const ClaimState claim = claims_.state();
  record.attempts = claim.attempt;
  record.session = claim.session;
  record.host = claim.holder.host;
  record.process = claim.holder.process;
  if (claim.kind == ClaimState::Kind::kHeld) {
    record.state = CellState::kRunning;
  } else if (claim.end.starts_with(kFailed)) {
    record.state = CellState::kFailed;
    record.error = claim.end.substr(std::string_view(kFailed).size());
  } else if (!result.damage.empty()) {
    record.state = CellState::kDamaged;
    record.error = result.damage;
  } else if (!holds_composition(folder_)) {
    record.state = CellState::kMissing;
    record.error = fmt::format("{} was deleted", folder_.string());
  }
  const fs::path attempt = attempt_folder(claim.attempt), trace = trace_in(attempt);
  if (!trace.empty()) record.trace = attempt.filename() / trace;
  return record;
}

std::optional<Claim> CellFolder::take(int session) const {
  if (finished()) return std::nullopt;
  const ClaimState state = claims_.state();
  const bool failed_now = state.end.starts_with(kFailed) && state.session >= session;
  if (!state.free() || failed_now) return std::nullopt;
  std::optional<Claim> claim = claims_.take(state, session);
  // The attempt before may have finished between the two looks.
  if (claim && finished()) {
    give_back(*claim);
    return std::nullopt;
  }
  return claim;
}

fs::path CellFolder::attempt_folder(int attempt) const {
  return folder_ / fmt::format(".attempt-{}", attempt);
}

// A process that was taken over although it lives may write into its folder at this moment: what it leaves is
// removed by the next one.
void CellFolder::remove_attempts_before(int attempt) const {
  std::error_code ignored;
  for (int earlier = 1; earlier < attempt; ++earlier) fs::remove_all(attempt_folder(earlier), ignored);
}

fs::path CellFolder::begin(const Claim& claim) const {
  remove_attempts_before(claim.attempt());
  const fs::path folder = attempt_folder(claim.attempt());
  fs::create_directory(folder);
  return folder;
}

bool CellFolder::finish(Claim& claim, const RunMetrics& metrics,
                        std::chrono::system_clock::time_point started) const {
  if (!claim.still_held() || finished()) return false;
  const fs::path attempt = attempt_folder(claim.attempt());
  const auto ended = std::chrono::system_clock::now();
  const nlohmann::json result = {{"metrics", to_json(metrics)},
                                 {"attempt", claim.attempt()},
                                 {"host", this_process().host},
                                 {"started", iso_time(started)},
                                 {"ended", iso_time(ended)},
                                 {"seconds", std::chrono::duration<double>(ended - started).count()},
                                 {"trace", trace_in(attempt).string()}};
  for (const auto& entry : fs::directory_iterator(attempt))
    fs::rename(entry.path(), folder_ / entry.path().filename());
  AtomicFile file(folder_ / "result.json");
  file.write(result.dump(1) + "\n");
  file.commit();
  remove_attempts_before(claim.attempt() + 1);
  claim.release(kFinished, Durability::kWhenever);
  return true;
}

void CellFolder::fail(Claim& claim, const std::string& error) const {
  claim.release(kFailed + error);
}

void CellFolder::give_back(Claim& claim) const {
  claim.release(kGivenBack);
}

}  // namespace canvaslab
