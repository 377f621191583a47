// The tiled vocabulary pass against the same thing computed straight from the definitions with [N, V]
// tensors.
#include "models/vocabulary_head.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <random>

namespace canvaslab {
namespace {

struct Case {
  at::Tensor hidden, embedding;
  std::vector<float> temperature;
  std::vector<TokenId> current;
  std::vector<double> uniforms;
  std::vector<TokenId> suppressed;

  HeadQuery query(SelfConditioning conditioning = SelfConditioning::kTempered) const {
    return {temperature, current, uniforms, {}, suppressed, conditioning};
  }
};

Case random_case(std::int64_t positions, std::int64_t vocabulary, std::int64_t width, double sharpness,
                 unsigned seed) {
  at::manual_seed(seed);
  std::mt19937_64 engine(seed);
  Case c;
  c.hidden = at::randn({positions, width}) * sharpness;
  c.embedding = at::randn({vocabulary, width});
  for (std::int64_t i = 0; i < positions; ++i) {
    c.temperature.push_back(std::uniform_real_distribution<float>(0.3F, 1.5F)(engine));
    c.current.push_back(static_cast<TokenId>(engine() % static_cast<std::uint64_t>(vocabulary)));
    c.uniforms.push_back(std::uniform_real_distribution<double>(0, 1)(engine));
  }
  return c;
}

void expect_near(const std::vector<float>& mine, const std::vector<float>& expected, double tolerance,
                 const char* what) {
  ASSERT_EQ(mine.size(), expected.size()) << what;
  for (size_t i = 0; i < mine.size(); ++i)
    EXPECT_NEAR(mine[i], expected[i], tolerance) << what << " at " << i;
}

// Two results of one case. A token may differ only where rounding decides: an argmax between logits that are
// equal to 1e-4 of a probability, a draw whose u lies within 1e-4 of the edge between the two tokens; and
// only at few positions.
class SameResult {
 public:
  SameResult(const Case& c, const VocabularyHead& head) : case_(c) {
    at::Tensor logits = head.logits(c.hidden);
    for (const TokenId id : c.suppressed) logits.select(-1, id).fill_(-INFINITY);
    const at::Tensor t = at::tensor(c.temperature).unsqueeze(1);
    probabilities_ = at::softmax(logits.to(at::kDouble) / at::where(t == 0, at::ones_like(t), t), -1);
    cumulative_ = probabilities_.cumsum(-1);
  }

  // `most`: the share of positions where rounding may decide; larger where the cap makes many logits equal.
  void expect(const HeadResult& mine, const HeadResult& expected, double most = 0.01) {
    const Prediction &a = mine.prediction, &b = expected.prediction;
    size_t rounded = 0;
    for (int i = 0; i < a.length(); ++i) {
      if (a.argmax[i] != b.argmax[i]) {
        EXPECT_NEAR(p(i, a.argmax[i]), p(i, b.argmax[i]), 1e-4) << "argmax at " << i;
        ++rounded;
      }
      if (a.sampled[i] != b.sampled[i]) {
        const TokenId first = std::min(a.sampled[i], b.sampled[i]),
                      second = std::max(a.sampled[i], b.sampled[i]);
        EXPECT_NEAR(cumulative_[i][first].item<double>(), case_.uniforms[i], 1e-4) << "draw at " << i;
        EXPECT_NEAR(cumulative_[i][second].item<double>() - p(i, second), case_.uniforms[i], 1e-4)
            << "draw at " << i;
        ++rounded;
      } else {
        EXPECT_NEAR(a.sampled_probability[i], b.sampled_probability[i], 1e-5)
            << "sampled probability at " << i;
      }
    }
    EXPECT_LE(static_cast<double>(rounded), 1 + most * static_cast<double>(a.sampled.size()));
    expect_near(a.entropy, b.entropy, 5e-5, "entropy");
    expect_near(a.confidence, b.confidence, 1e-5, "confidence");
    expect_near(a.margin, b.margin, 1e-5, "margin");
    expect_near(a.current_probability, b.current_probability, 1e-5, "current probability");
    ASSERT_EQ(mine.soft_embedding.defined(), expected.soft_embedding.defined());
    if (!mine.soft_embedding.defined()) return;
    EXPECT_TRUE(at::allclose(mine.soft_embedding, expected.soft_embedding, 1e-4, 5e-5));
  }

 private:
  double p(int position, TokenId token) const { return probabilities_[position][token].item<double>(); }

  const Case& case_;
  at::Tensor probabilities_, cumulative_;  // float64 [N, V]
};

TEST(VocabularyHead, AgreesWithTheDefinitionsAtOddSizesAndTiles) {
  unsigned seed = 1;
  for (const std::int64_t vocabulary : {1, 2, 3, 11, 16, 17, 255, 1000, 4097}) {
    for (const std::int64_t tile : {1, 3, 16, 64, 4096}) {
      if (vocabulary / tile > 300) continue;
      for (const std::optional<double> cap : {std::optional<double>(30.0), std::optional<double>()}) {
        const Case c = random_case(7, vocabulary, 12, 0.8, ++seed);
        const VocabularyHead head(c.embedding, 3.5, cap, tile);
        SCOPED_TRACE(testing::Message()
                     << "V " << vocabulary << ", tile " << tile << ", cap " << cap.has_value());
        SameResult(c, head).expect(head(c.hidden, c.query()), head.reference(c.hidden, c.query()));
      }
    }
  }
}

TEST(VocabularyHead, AgreesForManyPositionsAndSharpDistributions) {
  for (const double sharpness : {0.01, 1.0, 3.0, 30.0}) {
    const Case c = random_case(1100, 700, 16, sharpness, 99);  // more positions than one block holds
    const VocabularyHead head(c.embedding, 4, 30.0, 128);
    SCOPED_TRACE(sharpness);
    SameResult(c, head).expect(head(c.hidden, c.query()), head.reference(c.hidden, c.query()),
                               sharpness > 10 ? 0.1 : 0.01);
  }
}

// What the special queries mean, from the softmax's definition in float64.
class SpecialQueries : public testing::Test {
 protected:
  at::Tensor p(double temperature) const { return at::softmax(logits() / temperature, -1); }
  at::Tensor logits() const { return head.logits(c.hidden).to(at::kDouble); }

  Case c = random_case(40, 60, 8, 0.6, 11);
  VocabularyHead head{c.embedding, 2, 30.0, 16};
};

TEST_F(SpecialQueries, TopKKeepsTheKMostProbable) {
  HeadQuery query = c.query();
  query.filter.top_k = 3;
  const Prediction out = head(c.hidden, query).prediction;
  for (std::int64_t i = 0; i < 40; ++i) {
    const at::Tensor q = at::softmax(logits()[i] / c.temperature[static_cast<size_t>(i)], -1);
    const auto [top, order] = at::topk(q, 3);
    const double mass = top.sum().item<double>();
    EXPECT_TRUE((order == out.sampled[static_cast<size_t>(i)]).any().item<bool>()) << i;
    EXPECT_NEAR(out.confidence[static_cast<size_t>(i)], top[0].item<double>() / mass, 1e-6) << i;
    EXPECT_NEAR(out.entropy[static_cast<size_t>(i)], at::special_entr(top / mass).sum().item<double>(), 1e-5);
  }
}

TEST_F(SpecialQueries, TopPKeepsTheTokenThatCrosses) {
  HeadQuery query = c.query();
  query.filter.top_p = 0.7;
  const Prediction out = head(c.hidden, query).prediction;
  for (std::int64_t i = 0; i < 40; ++i) {
    const at::Tensor q = at::softmax(logits()[i] / c.temperature[static_cast<size_t>(i)], -1);
    const at::Tensor sorted = std::get<0>(at::sort(q, -1, true));
    double mass = 0;
    std::int64_t kept = 0;
    while (mass <= 0.7) mass += sorted[kept++].item<double>();
    EXPECT_NEAR(out.confidence[static_cast<size_t>(i)], sorted[0].item<double>() / mass, 1e-6) << i;
    EXPECT_GE(q[out.sampled[static_cast<size_t>(i)]].item<double>(),
              sorted[kept - 1].item<double>() * (1 - 1e-6));
  }
}

TEST_F(SpecialQueries, AFilterThatKeepsAllChangesNothing) {
  HeadQuery query = c.query();
  query.filter = {.top_k = 60, .top_p = 1.0};
  SameResult(c, head).expect(head(c.hidden, query), head(c.hidden, c.query()));
}

TEST_F(SpecialQueries, FilterOneIsGreedy) {
  for (const VocabularyFilter& filter :
       {VocabularyFilter{.top_k = 1, .top_p = {}}, VocabularyFilter{.top_k = {}, .top_p = 0.0}}) {
    HeadQuery query = c.query();
    query.filter = filter;
    const Prediction out = head(c.hidden, query).prediction;
    EXPECT_EQ(out.sampled, out.argmax);
    for (const float confidence : out.confidence) EXPECT_EQ(confidence, 1);
  }
}

TEST_F(SpecialQueries, SelfConditioningDoesNotSeeFilterOrShift) {
  HeadQuery query = c.query();
  const std::vector<float> shift(40, -2.5F);
  query.filter.top_k = 2, query.current_shift = shift;
  EXPECT_TRUE(at::allclose(head(c.hidden, query).soft_embedding, head(c.hidden, c.query()).soft_embedding,
                           1e-4, 5e-5));
}

TEST_F(SpecialQueries, TheShiftIsAddedBeforeTheTemperature) {
  HeadQuery query = c.query();
  std::vector<float> shift;
  for (int i = 0; i < 40; ++i) shift.push_back(static_cast<float>(i) / 10 - 2);
  query.current_shift = shift;
  const Prediction out = head(c.hidden, query).prediction;
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto at = static_cast<size_t>(i);
    at::Tensor z = logits()[i].clone();
    z[c.current[at]] += shift[at];
    const at::Tensor q = at::softmax(z / c.temperature[at], -1);
    EXPECT_NEAR(out.current_probability[at], q[c.current[at]].item<double>(), 1e-6) << i;
    EXPECT_EQ(out.argmax[at], q.argmax().item<std::int64_t>()) << i;
  }
}

TEST_F(SpecialQueries, TheRawProbabilityIgnoresTemperatureAndFilter) {
  c.temperature[3] = 0;
  HeadQuery query = c.query();
  query.raw_probability = true, query.filter.top_k = 4;
  const Prediction out = head(c.hidden, query).prediction;
  for (std::int64_t i = 0; i < 40; ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT_NEAR(out.raw_sampled_probability[at], p(1)[i][out.sampled[at]].item<double>(), 1e-6) << i;
  }
  EXPECT_TRUE(head(c.hidden, c.query()).prediction.raw_sampled_probability.empty());
}

TEST(VocabularyHead, SpecialQueriesGoThroughLargeVocabulariesInBlocks) {
  const Case c = random_case(150, 140000, 4, 0.5, 21);  // more than one block of positions
  const VocabularyHead head(c.embedding, 2, 30.0);
  HeadQuery query = c.query(SelfConditioning::kOff);
  query.raw_probability = true;
  SameResult(c, head).expect(head(c.hidden, query), head(c.hidden, c.query(SelfConditioning::kOff)));
}

TEST(VocabularyHead, ConditionsOnTheRawDistributionOrOnNothing) {
  const Case c = random_case(9, 333, 8, 1.0, 5);
  const VocabularyHead head(c.embedding, 2, 30.0, 50);
  SameResult(c, head).expect(head(c.hidden, c.query(SelfConditioning::kRaw)),
                             head.reference(c.hidden, c.query(SelfConditioning::kRaw)));
  EXPECT_FALSE(head(c.hidden, c.query(SelfConditioning::kOff)).soft_embedding.defined());
  const at::Tensor tempered = head(c.hidden, c.query()).soft_embedding;
  const at::Tensor raw = head(c.hidden, c.query(SelfConditioning::kRaw)).soft_embedding;
  EXPECT_FALSE(at::allclose(tempered, raw));
}

// Untied weights: logits come from the output projection, the soft embedding from the embedding.
TEST(VocabularyHead, AnOutputOfItsOwnMakesTheLogits) {
  const Case c = random_case(40, 333, 8, 1.0, 15);
  const at::Tensor output = at::randn({333, 8});
  const VocabularyHead head(c.embedding, 2, 30.0, 50, output);
  const at::Tensor expected = at::tanh(at::matmul(c.hidden, output.t()) / 30) * 30;
  EXPECT_TRUE(at::allclose(head.logits(c.hidden), expected, 1e-5, 1e-5));
  const HeadResult result = head(c.hidden, c.query());
  SameResult(c, head).expect(result, head.reference(c.hidden, c.query()));
  const at::Tensor p = at::softmax(expected / at::tensor(c.temperature).unsqueeze(1), -1);
  EXPECT_TRUE(at::allclose(result.soft_embedding, at::matmul(p, c.embedding) * 2, 1e-4, 5e-5));
}

TEST(VocabularyHead, SuppressedTokensHaveNoMass) {
  Case c = random_case(40, 90, 8, 1.0, 6);
  const VocabularyHead head(c.embedding, 2, 30.0, 7);
  const std::vector<TokenId> best = head(c.hidden, c.query()).prediction.argmax;
  c.suppressed = {best[0], best[1], best[2], 0, 1, 2, 3, 4, 5, 6};  // the whole first tile too
  c.current.assign(40, best[0]);
  const HeadResult result = head(c.hidden, c.query());
  SameResult(c, head).expect(result, head.reference(c.hidden, c.query()));
  for (size_t i = 0; i < 40; ++i) {
    for (const TokenId id : c.suppressed) {
      EXPECT_NE(result.prediction.sampled[i], id);
      EXPECT_NE(result.prediction.argmax[i], id);
    }
    EXPECT_EQ(result.prediction.current_probability[i], 0);
  }
}

// Two equal finite logits, all others minus infinity: the entropy is ln 2, not NaN.
TEST(VocabularyHead, EntropyWithImpossibleTokensIsFinite) {
  Case c = random_case(1, 6, 6, 1, 7);
  c.embedding = at::eye(6);
  c.hidden = at::tensor({2.F, 1.F, 2.F, 0.F, 5.F, 9.F}).unsqueeze(0);
  c.suppressed = {1, 3, 4, 5};
  c.temperature = {0.5F};
  const VocabularyHead head(c.embedding, 1, std::nullopt, 4);
  const Prediction p = head(c.hidden, c.query()).prediction;
  EXPECT_NEAR(p.entropy[0], std::numbers::ln2, 1e-6);
  EXPECT_NEAR(p.confidence[0], 0.5, 1e-6);
  EXPECT_NEAR(p.margin[0], 0, 1e-6);
  EXPECT_EQ(p.argmax[0], 0) << "the first among equals";
}

TEST(VocabularyHead, TemperatureZeroIsGreedyAndTinyOnesAreItsLimit) {
  Case c = random_case(50, 500, 16, 1.0, 8);
  const VocabularyHead head(c.embedding, 4, 30.0, 64);
  c.temperature.assign(50, 0);
  const HeadResult greedy = head(c.hidden, c.query());
  EXPECT_EQ(greedy.prediction.sampled, greedy.prediction.argmax);
  for (size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(greedy.prediction.entropy[i], 0);
    EXPECT_EQ(greedy.prediction.confidence[i], 1);
  }
  const at::Tensor rows =
      c.embedding.index_select(0, at::tensor(greedy.prediction.argmax).to(at::kLong)) * 4.0;
  EXPECT_TRUE(at::allclose(greedy.soft_embedding, rows));
  for (const float tiny : {1e-4F, 1e-6F, 1e-20F, 1e-36F}) {
    c.temperature.assign(50, tiny);
    const HeadResult result = head(c.hidden, c.query());
    EXPECT_EQ(result.prediction.sampled, greedy.prediction.argmax) << tiny;
    for (const float entropy : result.prediction.entropy) EXPECT_LT(entropy, 0.7F) << tiny;
    EXPECT_TRUE(at::isfinite(result.soft_embedding).all().item<bool>()) << tiny;
  }
}

TEST(VocabularyHead, GivenDrawsAreTakenAndTheirProbabilityLookedUp) {
  const Case c = random_case(30, 200, 8, 1.0, 9);
  const VocabularyHead head(c.embedding, 4, 30.0, 32);
  HeadQuery query = c.query();
  query.given = c.current;
  const Prediction p = head(c.hidden, query).prediction;
  EXPECT_EQ(p.sampled, c.current);
  EXPECT_EQ(p.sampled_probability, p.current_probability);
}

TEST(VocabularyHead, ExtremeUniformsDrawATokenWithMass) {
  Case c = random_case(64, 300, 8, 4.0, 10);
  const VocabularyHead head(c.embedding, 4, 30.0, 32);
  for (const double u : {0.0, 1.0 - 0x1.0p-53}) {
    c.uniforms.assign(64, u);
    const Prediction p = head(c.hidden, c.query()).prediction;
    for (size_t i = 0; i < 64; ++i) EXPECT_GT(p.sampled_probability[i], 0) << u;
  }
}

// Frequencies of 200,000 draws against the probabilities: chi-square with 7 degrees of freedom, 1 in 10^6.
TEST(VocabularyHead, DrawsFollowTheDistribution) {
  Case c = random_case(200000, 8, 4, 0.5, 11);
  c.hidden = c.hidden[0].unsqueeze(0).repeat({200000, 1}).contiguous();
  c.temperature.assign(200000, 0.7F);
  const VocabularyHead head(c.embedding, 4, 30.0, 3);
  const Prediction p = head(c.hidden, c.query(SelfConditioning::kOff)).prediction;
  const at::Tensor expected =
      at::softmax(head.logits(c.hidden.narrow(0, 0, 1)) / 0.7, -1)[0].to(at::kDouble) * 200000.0;
  std::vector<double> counts(8, 0);
  for (const TokenId id : p.sampled) ++counts[id];
  double chi_square = 0;
  for (int v = 0; v < 8; ++v)
    chi_square += std::pow(counts[v] - expected[v].item<double>(), 2) / expected[v].item<double>();
  EXPECT_LT(chi_square, 40.5);
}

TEST(VocabularyHead, ANonFiniteLogitIsFoundAndPlaced) {
  for (const float bad : {NAN, INFINITY}) {
    Case c = random_case(20, 100, 8, 1.0, 12);
    c.hidden[13].fill_(bad);
    c.hidden[17].fill_(bad);
    const VocabularyHead head(c.embedding, 4, 30.0, 16);
    try {
      head(c.hidden, c.query());
      FAIL() << "not noticed";
    } catch (const NonFiniteLogit& found) {
      EXPECT_EQ(found.position, 13);
    }
  }
}

TEST(VocabularyHead, TheNumberOfThreadsChangesNothing) {
  const Case c = random_case(300, 900, 16, 1.0, 13);
  const VocabularyHead head(c.embedding, 4, 30.0, 128);
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const HeadResult one = head(c.hidden, c.query());
  at::set_num_threads(4);
  const HeadResult four = head(c.hidden, c.query());
  at::set_num_threads(before);
  SameResult(c, head).expect(four, one);
}

std::int64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

// A real vocabulary: 1,024 positions x 262,144 entries are 1.07 GB of logits. The pass must not hold them.
TEST(VocabularyHead, MemoryDoesNotGrowWithVocabularyTimesCanvas) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep freed memory";
#endif
  // Large buffers are mapped and given back one by one, so that the peak is of what lives at the same time,
  // not of what earlier tests left of the heap.
  ASSERT_EQ(mallopt(M_MMAP_THRESHOLD, 1 << 17), 1);
  const Case c = random_case(1024, 262144, 8, 1.0, 14);
  const VocabularyHead head(c.embedding, 4, 30.0);
  const auto growth = [](const auto& work) {
    std::ofstream("/proc/self/clear_refs") << "5";  // resets the peak
    const std::int64_t before = peak_resident_bytes();
    work();
    return peak_resident_bytes() - before;
  };
  ASSERT_GT(growth([&] { head.logits(c.hidden.narrow(0, 0, 200)); }), 150'000'000)
      << "the measurement sees nothing";
  const std::int64_t grown = growth([&] { head(c.hidden, c.query()); });
  std::cout << "  grew by " << grown / 1000000 << " MB\n";
  EXPECT_LT(grown, 120'000'000);
}

}  // namespace
}  // namespace canvaslab
