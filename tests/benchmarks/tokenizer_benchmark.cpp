// The tokenizer at real size: loading, encoding of mixed text and of one endless word, decoding.
#include <benchmark/benchmark.h>

#include <random>

#include "tests/tokenizer/tokenizer_files.h"

namespace canvaslab {
namespace {

std::string mixed_text() {
  std::string text;
  for (const nlohmann::json& line : testing::json_lines("golden/tokenizer/encode.jsonl")) {
    text += line["text"].get<std::string>() + "\n";
  }
  while (text.size() < 1'000'000) text += std::string(text);
  return text;
}

std::string endless_word() {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 1'000'000) text += static_cast<char>('a' + random() % 26);
  return text;
}

void report_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
}

void load_real_tokenizer(benchmark::State& state) {
  std::filesystem::path file = testing::real_tokenizer_file("gemma3");
  for (auto _ : state) benchmark::DoNotOptimize(Tokenizer::load(file));
}
BENCHMARK(load_real_tokenizer)->Unit(benchmark::kMillisecond);

void encode(benchmark::State& state, const std::string& text) {
  const Tokenizer& tokenizer = testing::gemma3();
  for (auto _ : state) benchmark::DoNotOptimize(tokenizer.encode(text, true));
  report_bytes(state, text.size());
}
BENCHMARK_CAPTURE(encode, mixed_text, mixed_text())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, endless_word, endless_word())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, same_letter, std::string(1'000'000, 'a'))->Unit(benchmark::kMillisecond);

void decode(benchmark::State& state) {
  std::string text = mixed_text();
  std::vector<TokenId> ids = testing::gemma3().encode(text, true);
  for (auto _ : state) benchmark::DoNotOptimize(testing::gemma3().decode(ids, true));
  report_bytes(state, text.size());
}
BENCHMARK(decode)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace canvaslab
