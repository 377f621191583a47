// Philox4x32-10 against the known-answer vectors of its authors' library, Random123.
#include "core/random/philox.h"

#include <gtest/gtest.h>

#include <cmath>

namespace canvaslab {
namespace {

TEST(Philox, KnownAnswers) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(UnitInterval, IsExactAtItsEnds) {
  EXPECT_EQ(unit_interval(0, 0), 0.0);
  EXPECT_EQ(unit_interval(0xffffffff, 0xffffffff), 1 - 0x1.0p-53);  // never 1
  EXPECT_EQ(unit_interval(0x80000000, 0), 0.5);
}

// 53 bits: 32 of the first word and the upper 21 of the second.
TEST(UnitInterval, EveryBitOfTheFractionIsDrawn) {
  for (int bit = 0; bit < 32; ++bit) EXPECT_EQ(unit_interval(1U << bit, 0), std::ldexp(1.0, bit - 32));
  for (int bit = 11; bit < 32; ++bit) EXPECT_EQ(unit_interval(0, 1U << bit), std::ldexp(1.0, bit - 64));
  for (int bit = 0; bit < 11; ++bit) EXPECT_EQ(unit_interval(0, 1U << bit), 0.0);
}

}  // namespace
}  // namespace canvaslab
