#include "experiments/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>

#include "core/standard_streams.h"

namespace canvaslab {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Counts what is done; both displays show it.
struct Tally {
  size_t samples = 0, total = 0;
  long canvases = 0, steps = 0;
  Clock::time_point start = Clock::now();

  std::string line() const {
    const double elapsed = seconds_between(start, Clock::now());
    const double rate = static_cast<double>(samples) / std::max(elapsed, 1e-9);
    std::string text = fmt::format("{}/{} samples, {:.1f} a second", samples, total, rate);
    if (canvases > 0)
      text +=
          fmt::format(", {:.1f} steps a canvas", static_cast<double>(steps) / static_cast<double>(canvases));
    if (samples > 0 && samples < total)
      text += fmt::format(", {:.0f} s left", static_cast<double>(total - samples) / rate);
    return text;
  }
};

// One line a second.
class ProgressLine : public SampleObserver {
 public:
  explicit ProgressLine(size_t samples) { tally_.total = samples; }

  void canvas(const CanvasResult& result) override { ++tally_.canvases, tally_.steps += result.steps; }

  void sample(const SampleResult& /*result*/) override {
    ++tally_.samples;
    if (seconds_between(last_, Clock::now()) < 1 && tally_.samples < tally_.total) return;
    last_ = Clock::now();
    tell(tally_.line() + "\n");
  }

 private:
  Tally tally_;
  Clock::time_point last_ = Clock::now();
};

// The first few canvases at work, redrawn in place. Green: just committed; plain: kept; dim: noise.
class CanvasDisplay : public SampleObserver {
 public:
  CanvasDisplay(size_t samples, int most_steps, const Tokenizer* tokenizer)
      : most_steps_(most_steps), tokenizer_(tokenizer) {
    tally_.total = samples;
  }

  ~CanvasDisplay() override { erase(); }

  void step(const StreamKey& key, const StepRecord& record, const StopSignal& /*signal*/, float /*slack*/,
            double /*seconds*/) override {
    if (!shown_.contains(key.sample) && shown_.size() >= kRows) return;
    const std::string start = header(key, record);
    shown_[key.sample] = start + tokens(record, start.size());
    if (seconds_between(last_, Clock::now()) > 0.04) draw();
  }

  void canvas(const CanvasResult& result) override { ++tally_.canvases, tally_.steps += result.steps; }

  void sample(const SampleResult& result) override {
    ++tally_.samples;
    if (shown_.contains(result.sample)) draw();
    shown_.erase(result.sample);
  }

 private:
  static constexpr size_t kRows = 8;
  static constexpr size_t kNarrowest = 60;  // columns; a narrower terminal shows the tally alone

  std::string header(const StreamKey& key, const StepRecord& record) const {
    return fmt::format("{:>5} canvas {} step {:>2}/{} {:6.3f} nats  ", key.sample, key.canvas + 1,
                       key.step + 1, most_steps_, record.mean_entropy);
  }

  // As many tokens as fit on the line behind its first `width` columns.
  std::string tokens(const StepRecord& record, size_t width) const {
    std::string text;
    for (size_t i = 0; i < record.next_canvas.size(); ++i) {
      const std::string piece = piece_of(record.next_canvas[i]);
      width += piece.size();
      if (width >= columns_) break;
      const char* colour = record.decision[i] == Decision::kRenoise ? "\x1b[2m"
                           : record.decision[i] == Decision::kKeep  ? ""
                                                                    : "\x1b[32m";
      text += fmt::format("{}{}\x1b[0m", colour, piece);
    }
    return text;
  }

  std::string piece_of(TokenId token) const {
    if (tokenizer_ == nullptr) return fmt::format("{} ", token);
    std::string text = tokenizer_->decode({&token, 1}, /*skip_special_tokens=*/false);
    for (char& c : text) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
        c = ' ';  // no control character reaches the terminal
    }
    return text;
  }

  void erase() {
    if (lines_ > 0) canvaslab::draw(fmt::format("\x1b[{}F\x1b[J", lines_));
    lines_ = 0;
  }

  void draw() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns_ = size.ws_col;
    erase();
    lines_ = 1;
    if (columns_ >= kNarrowest) {
      for (const auto& [sample, line] : shown_) canvaslab::draw(line + "\n");
      lines_ += shown_.size();
    }
    canvaslab::draw(tally_.line().substr(0, columns_ - 1) + "\n");  // a line that wraps could not be erased
    std::fflush(stderr);
    last_ = Clock::now();
  }

  Tally tally_;
  int most_steps_;
  const Tokenizer* tokenizer_;
  std::map<std::uint64_t, std::string> shown_;
  size_t lines_ = 0, columns_ = 80;
  Clock::time_point last_ = Clock::now();
};

}  // namespace

std::unique_ptr<SampleObserver> make_progress(size_t samples, int most_steps, const Tokenizer* tokenizer) {
  if (isatty(STDERR_FILENO) != 0) return std::make_unique<CanvasDisplay>(samples, most_steps, tokenizer);
  return std::make_unique<ProgressLine>(samples);
}

}  // namespace canvaslab
