// The sequence against PyTorch's, recorded.
#include "experiments/sweep/sobol_sequence.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/test_data.h"

namespace canvaslab {
namespace {

TEST(SobolSequence, IsPyTorchs) {
  const nlohmann::json recorded = read_json(test_data("sobol_points.json"));
  const SobolSequence sequence(SobolSequence::kMostDimensions);
  ASSERT_GE(recorded.at("index").size(), 20U);
  for (size_t i = 0; i < recorded.at("index").size(); ++i) {
    const auto index = recorded["index"][i].get<std::uint32_t>();
    std::vector<std::uint32_t> expected;  // recorded with 30 bits
    for (const nlohmann::json& value : recorded["points"][i])
      expected.push_back(value.get<std::uint32_t>() << 2);
    EXPECT_EQ(sequence.point(index), expected) << "point " << index;
  }
}

// Every dimension takes each of 256 equal cells once in 256 points: what the direction numbers are for.
TEST(SobolSequence, FillsEveryDimensionEvenly) {
  const SobolSequence sequence(SobolSequence::kMostDimensions);
  for (int d = 0; d < SobolSequence::kMostDimensions; ++d) {
    std::vector<int> hits(256, 0);
    for (std::uint32_t i = 256; i < 512; ++i) ++hits[sequence.point(i)[d] >> 24];
    EXPECT_EQ(hits, std::vector<int>(256, 1)) << "dimension " << d;
  }
}

TEST(SobolSequence, RefusesMoreDimensionsThanItsTableHas) {
  EXPECT_THROW(SobolSequence(SobolSequence::kMostDimensions + 1), ConfigurationError);
}

}  // namespace
}  // namespace canvaslab
