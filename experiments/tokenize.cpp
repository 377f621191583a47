// Both commands are one loop over lines; what differs is what a line must hold.
#include "experiments/tokenize.h"

#include <fmt/format.h>

#include <cstdint>
#include <istream>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "core/error.h"
#include "models/tokenizer/tokenizer.h"

namespace canvaslab {

namespace {

using nlohmann::json;

Error bad_line(std::size_t number, std::string_view expected, const std::string& found) {
  std::string shown = found.size() > 60 ? found.substr(0, 57) + "..." : found;
  return Error(fmt::format("input line {}: expected {}, found {}", number, expected, shown));
}

// Calls `answer` with the value of each line and writes what it returns.
template <typename Answer>
int answer_lines(std::istream& input, std::ostream& output, std::string_view expected, const Answer& answer) {
  std::string line;
  for (std::size_t number = 1; std::getline(input, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    json value = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (value.is_discarded()) throw bad_line(number, expected, line);
    output << answer(value, number).dump() << '\n';
  }
  output.flush();
  if (input.bad() || !output) throw Error("reading the input or writing the output failed");
  return 0;
}

}  // namespace

int tokenize(const std::filesystem::path& tokenizer, bool special_tokens, std::istream& input,
             std::ostream& output) {
  constexpr std::string_view kExpected = "one JSON string, such as \"some text\"";
  Tokenizer loaded = Tokenizer::load(tokenizer);
  return answer_lines(input, output, kExpected, [&](const json& value, std::size_t number) {
    if (!value.is_string()) throw bad_line(number, kExpected, value.dump());
    return json(loaded.encode(value.get_ref<const std::string&>(), special_tokens));
  });
}

int detokenize(const std::filesystem::path& tokenizer, bool skip_special_tokens, std::istream& input,
               std::ostream& output) {
  constexpr std::string_view kExpected = "one JSON list of token ids, such as [2, 105]";
  Tokenizer loaded = Tokenizer::load(tokenizer);
  return answer_lines(input, output, kExpected, [&](const json& value, std::size_t number) {
    if (!value.is_array()) throw bad_line(number, kExpected, value.dump());
    std::vector<TokenId> ids;
    for (const json& id : value) {
      bool fits = id.is_number_unsigned() && id.get<std::uint64_t>() <= std::numeric_limits<TokenId>::max();
      if (!fits) throw bad_line(number, kExpected, id.dump() + " in the list");
      ids.push_back(id.get<TokenId>());
    }
    return json(loaded.decode(ids, skip_special_tokens));
  });
}

}  // namespace canvaslab
