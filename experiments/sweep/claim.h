// Who works on what, without locks: files that are created exclusively and never change their meaning, so
// that it holds on a network file system too.
//
// FOLDER/1.claim   attempt 1: created with O_EXCL, names its process; its modification time is the heartbeat
// FOLDER/1.end     attempt 1 is over although its process may live: it finished, gave up or failed
// FOLDER/2.claim   attempt 2, taken when 1 was over: the highest number holds
//
// Whoever found attempt k over creates claim k + 1 exclusively, so of two takers one wins, and one that
// judged k long ago cannot take what somebody else holds by now.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "experiments/sweep/process_identity.h"

namespace canvaslab {

// What the claims of a folder say at the moment.
struct ClaimState {
  enum class Kind {
    kNever,    // nobody ever had it
    kHeld,     // somebody works on it
    kStale,    // its process is gone: dead on this machine, or without a heartbeat for too long
    kReleased  // its process gave it back
  };
  Kind kind = Kind::kNever;
  int attempt = 0;         // the highest; 0: none
  int session = 0;         // as its taker gave it
  ProcessIdentity holder;  // of that attempt
  std::string end;         // what its process said when it released it, "" otherwise

  bool free() const { return kind != Kind::kHeld; }
};

// kWhenever: lost in a power cut, perhaps, which ends the process as well.
enum class Durability { kNow, kWhenever };

// An attempt that this process holds. A thread renews the heartbeat until it is destroyed or released.
class Claim {
 public:
  ~Claim();
  Claim(Claim&&) noexcept;
  Claim& operator=(Claim&&) noexcept;

  int attempt() const;

  // False once another process took over, on another machine, having found the heartbeat too old.
  bool still_held() const;

  // Gives it back; `end` is what state() tells then.
  void release(const std::string& end, Durability durability = Durability::kNow);

 private:
  friend class ClaimFolder;
  struct Held;
  explicit Claim(std::unique_ptr<Held> held);
  std::unique_ptr<Held> held_;
};

class ClaimFolder {
 public:
  // A heartbeat of another machine that is older than `stale_after` means that its process is gone. Ages are
  // measured by the file system's clock, so the machines' clocks may differ.
  ClaimFolder(std::filesystem::path folder, std::chrono::duration<double> stale_after)
      : folder_(std::move(folder)), stale_after_(stale_after) {}

  // Whoever cannot write into the folder, and so cannot measure an age there, is told kHeld. Error when what
  // is there cannot be read.
  ClaimState state() const;

  // The next attempt, following `seen` (what state() gave). Empty when another process was quicker.
  // Error when the file system refuses.
  std::optional<Claim> take(const ClaimState& seen, int session) const;

 private:
  std::filesystem::path folder_;
  std::chrono::duration<double> stale_after_;
};

}  // namespace canvaslab
