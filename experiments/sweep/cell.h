// One cell of a sweep on the disk: who works on it, and what came out.
//
// CELL/.hydra/        how it is composed; written when the sweep is planned
// CELL/.cell/         claims (experiments/sweep/claim.h)
// CELL/.attempt-2/    what attempt 2 writes while it runs: a run folder
// CELL/canvaslab.log  what was told of it, attempt after attempt
// CELL/resolved.yaml, trace.h5    put there when an attempt has finished
// CELL/result.json    the metrics; written aside and renamed. The cell is done exactly if it can be read;
//                     what is left of a damaged one is replaced by the next attempt's
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "experiments/run_metrics.h"
#include "experiments/sweep/claim.h"

namespace canvaslab {

enum class CellState : std::uint8_t {
  kWaiting,   // nobody works on it: never begun, given back, or its process is gone
  kRunning,   //
  kFinished,  //
  kFailed,    // tried in this session; a later session tries again
  kDamaged,   // finished once, but its result cannot be read: open
  kMissing    // its folder was deleted: open
};
const char* cell_state_name(CellState state);

// Whether somebody may take the cell, as far as its state tells.
inline bool is_open(CellState state) {
  return state == CellState::kWaiting || state == CellState::kDamaged || state == CellState::kMissing;
}

struct CellRecord {
  CellState state = CellState::kWaiting;
  int attempts = 0;
  int session = 0;             // of the last attempt
  std::string host;            // of the last attempt
  std::int64_t process = 0;    // of the last attempt, on that host
  std::string started, ended;  // UTC, ISO 8601; of a finished cell
  double seconds = 0;          // that the finished attempt took
  std::string error;           // of a cell that failed or is damaged; what is missing of another
  std::optional<RunMetrics> metrics;
  std::filesystem::path trace;  // relative to the cell's folder; empty: none
};

class CellFolder {
 public:
  CellFolder(std::filesystem::path folder, std::chrono::duration<double> stale_after)
      : folder_(std::move(folder)), claims_(folder_ / ".cell", stale_after) {}

  // Error when its claims cannot be read.
  CellRecord record() const;

  // Whether its result is there and can be read.
  bool finished() const;

  // An attempt, when nobody works on the cell and it is neither finished nor failed in this session.
  std::optional<Claim> take(int session) const;

  // A fresh, empty folder for what an attempt writes; what earlier attempts left is removed.
  std::filesystem::path begin(const Claim& claim) const;

  // Puts a finished attempt's files in place, then its result, and gives the claim up. False, leaving the
  // cell alone, when another process took the cell over or finished it meanwhile.
  bool finish(Claim& claim, const RunMetrics& metrics, std::chrono::system_clock::time_point started) const;

  void fail(Claim& claim, const std::string& error) const;
  void give_back(Claim& claim) const;

  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path attempt_folder(int attempt) const;
  void remove_attempts_before(int attempt) const;

  std::filesystem::path folder_;
  ClaimFolder claims_;
};

}  // namespace canvaslab
