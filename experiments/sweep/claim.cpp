#include "experiments/sweep/claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/error.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

using Seconds = std::chrono::duration<double>;

[[noreturn]] void fail(const char* action, const fs::path& path) {
  const int reason = errno;
  throw Error(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(reason)));
}

fs::path claim_file(const fs::path& folder, int attempt) {
  return folder / fmt::format("{}.claim", attempt);
}

fs::path end_file(const fs::path& folder, int attempt) {
  return folder / fmt::format("{}.end", attempt);
}

// The highest attempt in the folder; 0 when there is none.
int last_attempt(const fs::path& folder) {
  int last = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (problem == std::errc() && std::string_view(end) == ".claim") last = std::max(last, number);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(fmt::format("cannot list {}: {}", folder.string(), error.message()));
  return last;
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Seconds by the clock of the file system that the folder lies on, from a file that is made for it. Empty
// when none can be made: whoever may only read the folder cannot tell.
std::optional<double> file_system_now(const fs::path& folder) {
  std::string name = (folder / ".clock-XXXXXX").string();
  const int file = mkstemp(name.data());
  if (file < 0) return std::nullopt;
  struct stat status {};
  const bool known = fstat(file, &status) == 0;
  ::close(file);
  ::unlink(name.c_str());
  if (!known) fail("read", name);
  return seconds_of(status.st_mtim);
}

// Opening the file first makes a network file system look at the server's copy. Empty when somebody deleted
// it meanwhile.
std::optional<double> heartbeat_of(const fs::path& claim) {
  const int file = ::open(claim.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return std::nullopt;
  if (file < 0) fail("read", claim);
  struct stat status {};
  const bool known = fstat(file, &status) == 0;
  ::close(file);
  if (!known) fail("read", claim);
  return seconds_of(status.st_mtim);
}

// Where the process can be looked for, that decides, not its heartbeat: one that was suspended together with
// its machine lives.
bool is_over(const fs::path& folder, const fs::path& claim, const ProcessIdentity& holder,
             Seconds stale_after) {
  if (holder.process != 0 && known_alive(holder)) return false;
  if (holder.process != 0 && known_dead(holder)) return true;
  const std::optional<double> heartbeat = heartbeat_of(claim);
  if (!heartbeat) return true;
  const std::optional<double> now = file_system_now(folder);
  return now && *now - *heartbeat > stale_after.count();
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

nlohmann::json json_of(const ProcessIdentity& process, int session) {
  return {{"host", process.host},
          {"machine", process.machine},
          {"process", process.process},
          {"start", process.start},
          {"session", session}};
}

// A claim whose process died before it wrote its name stays without a holder: its heartbeat decides.
void read_holder(const fs::path& file, ClaimState& state) {
  const nlohmann::json claim = nlohmann::json::parse(text_of(file), nullptr, /*allow_exceptions=*/false);
  if (!claim.is_object()) return;
  state.holder.host = claim.value("host", "");
  state.holder.machine = claim.value("machine", "");
  state.holder.process = claim.value("process", std::int64_t{0});
  state.holder.start = claim.value("start", std::uint64_t{0});
  state.session = claim.value("session", 0);
}

}  // namespace

struct Claim::Held {
  fs::path folder;
  int attempt = 0;
  Seconds spacing{};
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread thread;

  void beat() {
    std::unique_lock lock(mutex);
    while (!changed.wait_for(lock, spacing, [this] { return over; })) {
      // When this fails (a full disk, a lost server) the heartbeat grows old, which is what it is for.
      utimensat(AT_FDCWD, claim_file(folder, attempt).c_str(), nullptr, 0);
    }
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex);
      over = true;
    }
    changed.notify_all();
    if (thread.joinable()) thread.join();
  }

  ~Held() { stop(); }
};

Claim::Claim(std::unique_ptr<Held> held) : held_(std::move(held)) {}
Claim::~Claim() = default;
Claim::Claim(Claim&&) noexcept = default;
Claim& Claim::operator=(Claim&&) noexcept = default;

int Claim::attempt() const {
  return held_->attempt;
}

bool Claim::still_held() const {
  return last_attempt(held_->folder) == held_->attempt;
}

void Claim::release(const std::string& end, Durability durability) {
  const fs::path file = end_file(held_->folder, held_->attempt);
  if (durability == Durability::kNow) {
    write_atomically(file, end);
  } else {
    std::ofstream(file, std::ios::binary) << end;
  }
  held_->stop();
}

ClaimState ClaimFolder::state() const {
  ClaimState state;
  state.attempt = last_attempt(folder_);
  if (state.attempt == 0) return state;
  const fs::path claim = claim_file(folder_, state.attempt), end = end_file(folder_, state.attempt);
  read_holder(claim, state);
  if (fs::exists(end)) {
    state.kind = ClaimState::Kind::kReleased;
    state.end = text_of(end);
    return state;
  }
  state.kind = is_over(folder_, claim, state.holder, stale_after_) ? ClaimState::Kind::kStale
                                                                   : ClaimState::Kind::kHeld;
  return state;
}

std::optional<Claim> ClaimFolder::take(const ClaimState& seen, int session) const {
  fs::create_directories(folder_);
  const int attempt = seen.attempt + 1;
  const fs::path path = claim_file(folder_, attempt);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) return std::nullopt;
  if (file < 0) fail("create", path);
  const std::string text = json_of(this_process(), session).dump();
  // Not fsynced: a claim that a power cut takes back had a holder that the power cut ended.
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (::close(file) != 0 || !written) fail("write", path);
  auto held = std::make_unique<Claim::Held>();
  held->folder = folder_;
  held->attempt = attempt;
  held->spacing = stale_after_ / 8;
  held->thread = std::thread([state = held.get()] { state->beat(); });
  return Claim(std::move(held));
}

}  // namespace canvaslab
