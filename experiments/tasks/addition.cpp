// Sums of two numbers: the prompt is "a+b=", the answer the sum, both zero-padded ("007+042=" and "0049"), so
// that each digit has its place on the canvas. The order of the summands does not matter, so the splits share
// out unordered pairs.
#include <fmt/format.h>

#include <algorithm>

#include "core/registry.h"
#include "experiments/tasks/answer_metrics.h"
#include "experiments/tasks/example_random.h"
#include "experiments/tasks/task.h"

namespace canvaslab {
namespace {

struct Sum {
  std::string text;
  int longest_carry;  // places in a row that hand a carry on
};

// Of two numbers with as many digits each.
Sum add(const std::string& a, const std::string& b) {
  Sum sum{std::string(a.size() + 1, '0'), 0};
  int carry = 0, run = 0;
  for (size_t place = a.size(); place > 0; --place) {
    const int total = a[place - 1] - '0' + b[place - 1] - '0' + carry;
    sum.text[place] = static_cast<char>('0' + total % 10);
    carry = total / 10;
    run = carry ? run + 1 : 0;
    sum.longest_carry = std::max(sum.longest_carry, run);
  }
  sum.text[0] = static_cast<char>('0' + carry);
  return sum;
}

class Addition : public Task {
 public:
  struct Config {
    int digits = 3;
    Split split = Split::kTest;
    std::uint64_t seed = 1;
    int samples = 64;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit("digits", digits,
            {.unit = "digits", .meaning = "of each number, zeros in front", .minimum = 1, .maximum = 100});
      visit_split(visit, split);
      visit("seed", seed, {.meaning = "which sums are drawn", .minimum = 0});
      visit("samples", samples, {.unit = "prompts", .meaning = "how many of them to take", .minimum = 1});
    }
  };

  explicit Addition(const Config& config) : config_(config) {}

  std::vector<TaskItem> items(const std::filesystem::path& /*model_folder*/) const override {
    return first_examples(*this, config_.split, config_.samples);
  }

  std::optional<TaskItem> example(Split split, std::uint64_t index) const override {
    ExampleRandom random(config_.seed, split, index);
    std::string a, b;
    do {
      a = draw(random), b = draw(random);
    } while (split_of("addition", fmt::format("{}+{}", std::min(a, b), std::max(a, b))) != split);
    const Sum sum = add(a, b);
    return TaskItem{fmt::format("{}-{}", split_name(split), index), fmt::format("{}+{}=", a, b), sum.text,
                    static_cast<double>(sum.longest_carry)};
  }

  std::optional<bool> grade(const TaskItem& item, const std::string& answer) const override {
    return answer == item.target;
  }

  std::string difficulty_unit() const override { return "carries in a row"; }

  std::vector<std::string> symbols() const override {
    return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "+", "="};
  }

  std::optional<std::int64_t> canvas_length() const override { return config_.digits + 1; }
  std::optional<std::int64_t> longest_prompt() const override { return 2 * config_.digits + 2; }

 private:
  std::string draw(ExampleRandom& random) const {
    std::string number;
    for (int i = 0; i < config_.digits; ++i) number += static_cast<char>('0' + random.below(10));
    return number;
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(Task, Addition, "addition", "sums of two numbers; right when every digit is", "");

}  // namespace canvaslab
