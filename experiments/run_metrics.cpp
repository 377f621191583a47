#include "experiments/run_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace canvaslab {
namespace {

// FNV-1a, 64 bits.
class Digest {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte, value >>= 8) hash_ = (hash_ ^ (value & 0xFF)) * 0x100000001B3;
  }
  void add(std::string_view text) {
    for (const char byte : text) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325;
};

double ratio(std::int64_t a, std::int64_t b) {
  return b > 0 ? static_cast<double>(a) / static_cast<double>(b) : std::nan("");
}

}  // namespace

void RunMetrics::add(const SampleCounts& sample) {
  samples += 1;
  graded += sample.correct >= 0 ? 1 : 0;
  correct += sample.correct > 0 ? 1 : 0;
  canvases += sample.canvases, passes += sample.passes, tokens += sample.generated;
  steps.add(sample.passes, sample.canvases), speed.add(sample.generated, sample.passes);
  Digest one;
  one.add(sample.sample);
  for (const TokenId token : sample.tokens) one.add(static_cast<std::uint64_t>(token));
  digest += one.value();  // a sum, so that the order in which samples finish does not matter
  grades.resize(std::max<size_t>(grades.size(), sample.sample + 1), '.');
  grades[sample.sample] = sample.correct < 0 ? '.' : sample.correct > 0 ? '1' : '0';
  Digest asked;
  asked.add(sample.sample);
  asked.add(sample.prompt);
  prompts += asked.value();
}

double RunMetrics::accuracy() const {
  return ratio(correct, graded);
}
double RunMetrics::steps_per_canvas() const {
  return ratio(passes, canvases);
}
double RunMetrics::tokens_per_pass() const {
  return ratio(tokens, passes);
}

std::vector<std::pair<const char*, MetricValue>> named_values(const RunMetrics& metrics) {
  return {{"samples", metrics.samples},
          {"graded", metrics.graded},
          {"correct", metrics.correct},
          {"accuracy", metrics.accuracy()},
          {"canvases", metrics.canvases},
          {"passes", metrics.passes},
          {"tokens", metrics.tokens},
          {"steps_per_canvas", metrics.steps_per_canvas()},
          {"tokens_per_pass", metrics.tokens_per_pass()},
          {"digest", fmt::format("{:016x}", metrics.digest)}};
}

nlohmann::json to_json(const RunMetrics& metrics) {
  nlohmann::json json = {
      {"samples", metrics.samples},      {"graded", metrics.graded},       {"correct", metrics.correct},
      {"canvases", metrics.canvases},    {"passes", metrics.passes},       {"tokens", metrics.tokens},
      {"digest", metrics.digest},        {"grades", metrics.grades},       {"prompts", metrics.prompts},
      {"steps", to_json(metrics.steps)}, {"speed", to_json(metrics.speed)}};
  for (const MetricSummary& measure : metrics.measures) {
    json["measures"].push_back({{"name", measure.name},
                                {"mean", measure.mean},  // infinite: null
                                {"low", measure.interval.low},
                                {"high", measure.interval.high},
                                {"count", measure.count}});
  }
  return json;
}

RunMetrics metrics_of(const nlohmann::json& json) {
  RunMetrics metrics;
  json.at("samples").get_to(metrics.samples);
  json.at("graded").get_to(metrics.graded);
  json.at("correct").get_to(metrics.correct);
  json.at("canvases").get_to(metrics.canvases);
  json.at("passes").get_to(metrics.passes);
  json.at("tokens").get_to(metrics.tokens);
  json.at("digest").get_to(metrics.digest);
  metrics.grades = json.value("grades", std::string());
  metrics.prompts = json.value("prompts", std::uint64_t{0});
  if (json.contains("steps")) metrics.steps = ratio_sums_of(json.at("steps"));
  if (json.contains("speed")) metrics.speed = ratio_sums_of(json.at("speed"));
  const auto number = [](const nlohmann::json& value) {
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
  };
  for (const nlohmann::json& measure : json.value("measures", nlohmann::json::array())) {
    metrics.measures.push_back({measure.at("name"),
                                number(measure.at("mean")),
                                {number(measure.at("low")), number(measure.at("high"))},
                                measure.at("count")});
  }
  return metrics;
}

}  // namespace canvaslab
