// The recorded values of sampling rules (tests/data/golden/README.md, section sampling_rules), and what the
// tests that compare with them share.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/checkpoint/safetensors.h"
#include "models/vocabulary_head.h"
#include "samplers/selection/selection_rule.h"
#include "tests/options.h"
#include "tests/test_data.h"

namespace canvaslab::recorded {

inline constexpr double kEntropyTolerance = 5e-6;  // nats
inline constexpr double kProbabilityTolerance = 2e-6;

inline const std::filesystem::path kFolder = test_data("golden/sampling_rules");

inline const TensorMap& inputs() {
  static const TensorMap all = read_safetensors(kFolder / "inputs.safetensors");
  return all;
}

inline const TensorMap& expected() {
  static const TensorMap all = read_safetensors(kFolder / "expected.safetensors");
  return all;
}

inline const TensorMap& diffusers() {
  static const TensorMap all = read_safetensors(kFolder / "diffusers.safetensors");
  return all;
}

inline const nlohmann::json& settings() {
  static const nlohmann::json all = read_json(kFolder / "cases.json");
  return all;
}

inline std::vector<TokenId> ids(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.reshape({-1}).to(at::kInt).contiguous();
  return {flat.const_data_ptr<TokenId>(), flat.const_data_ptr<TokenId>() + flat.numel()};
}

inline at::Tensor as_tensor(const std::vector<float>& values, at::IntArrayRef shape) {
  return at::tensor(values).reshape(shape);
}

// What a call of the head asks for besides the tokens.
struct HeadSettings {
  float temperature = 1;
  VocabularyFilter filter = {};
  bool raw_probability = false;
  float current_shift = 0;
};

// Logits [B,L,V] go through the vocabulary head as hidden states with the identity as embedding: B
// predictions [L]. No `given`: greedy.
inline std::vector<Prediction> predict(const at::Tensor& logits, const std::vector<TokenId>& current,
                                       const HeadSettings& settings, const std::vector<TokenId>& given) {
  const std::int64_t rows = logits.size(0), length = logits.size(1), vocabulary = logits.size(2);
  const VocabularyHead head(at::eye(vocabulary), 1.0, std::nullopt);
  const auto positions = static_cast<size_t>(rows * length);
  const std::vector<float> temperatures(positions, settings.temperature),
      shifts(positions, settings.current_shift);
  const std::vector<double> unused(positions, 0.5);  // greedy: no draw is made
  HeadQuery query{.temperature = temperatures,
                  .current = current,
                  .uniforms = unused,
                  .given = given,
                  .suppressed = {},
                  .filter = settings.filter,
                  .raw_probability = settings.raw_probability};
  if (settings.current_shift != 0) query.current_shift = shifts;
  return split(head(logits.reshape({rows * length, vocabulary}), query).prediction,
               std::vector<std::int64_t>(static_cast<size_t>(rows), length));
}

// A statistic of all rows as a tensor [B,L].
template <typename T>
at::Tensor stacked(const std::vector<Prediction>& rows, std::vector<T> Prediction::*statistic) {
  std::vector<at::Tensor> all;
  for (const Prediction& row : rows) all.push_back(at::tensor(row.*statistic));
  return at::stack(all);
}

inline void expect_equal(const at::Tensor& mine, const at::Tensor& theirs, const std::string& name) {
  ASSERT_EQ(mine.sizes(), theirs.sizes()) << name;
  EXPECT_TRUE((mine == theirs).all().item<bool>()) << name;
}

inline double expect_close(const at::Tensor& mine, const at::Tensor& theirs, double tolerance,
                           const std::string& name) {
  EXPECT_EQ(mine.sizes(), theirs.sizes()) << name;
  if (mine.sizes() != theirs.sizes()) return 0;
  const double difference = (mine - theirs).abs().max().item<double>();
  EXPECT_LE(difference, tolerance) << name;
  return difference;
}

}  // namespace canvaslab::recorded
