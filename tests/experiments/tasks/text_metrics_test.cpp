// Metrics of texts by hand; the n-gram model against its definition with plain strings.
#include "experiments/tasks/text_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/error.h"
#include "experiments/tasks/answer_metrics.h"
#include "experiments/tasks/ngram_model.h"

namespace canvaslab {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::map<std::string, double> measured(const std::string& answer) {
  std::map<std::string, double> values;
  for (const Metric& metric : text_metrics(answer, {"the", "dog", "größe"}))
    values[metric.name] = metric.value;
  return values;
}

TEST(TextMetrics, WordsAreRunsOfLetters) {
  EXPECT_THAT(words("The dog's größe, 42!"), ElementsAre("The", "dog", "s", "größe", "42"));
  EXPECT_TRUE(words(" ,.").empty());
}

TEST(TextMetrics, WordsThatTheCanvasMayHaveCutDoNotCount) {
  EXPECT_DOUBLE_EQ(measured(" the cat dog größe ")["dictionary_words"], 0.75);
  EXPECT_DOUBLE_EQ(measured("xx the cat yy")["dictionary_words"], 0.5);
  EXPECT_EQ(measured("the dog").count("dictionary_words"), 0U);
}

TEST(TextMetrics, EntropyIsOfCharacters) {
  EXPECT_NEAR(measured("abcd")["entropy"], std::log(4), 1e-12);
  EXPECT_EQ(measured("aaaa")["entropy"], 0);
  EXPECT_NEAR(measured("ééa")["entropy"], std::log(3) - 2.0 / 3 * std::log(2), 1e-12);
}

TEST(TextMetrics, DistinctCountsSequencesOfWords) {
  const auto values = measured("a b a b c");
  EXPECT_DOUBLE_EQ(values.at("distinct_1"), 3.0 / 5);
  EXPECT_DOUBLE_EQ(values.at("distinct_2"), 3.0 / 4);  // ab ba ab bc
  EXPECT_DOUBLE_EQ(values.at("distinct_3"), 1);
  EXPECT_EQ(measured("a b").count("distinct_3"), 0U);
  EXPECT_TRUE(measured("").empty());
}

TEST(TextMetrics, DistinctOfSeveralTextsDoesNotReachFromOneIntoTheNext) {
  const Metrics metrics = distinct_words({"a b", "a b", "c"}, "d{}");
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].name, "d1");
  EXPECT_DOUBLE_EQ(metrics[0].value, 3.0 / 5);
  EXPECT_EQ(metrics[1].name, "d2");
  EXPECT_DOUBLE_EQ(metrics[1].value, 1.0 / 2);
  EXPECT_TRUE(distinct_words({}, "d{}").empty());
}

TEST(TextMetrics, RepeatsCountFourCharacters) {
  EXPECT_DOUBLE_EQ(measured("abcdabcd")["repeats"], 1.0 / 5);
  EXPECT_DOUBLE_EQ(measured("aaaaaaa")["repeats"], 3.0 / 4);
  EXPECT_EQ(measured("abc").count("repeats"), 0U);
}

TEST(AnswerMetrics, TokenAccuracyComparesPlaceByPlace) {
  EXPECT_EQ(token_accuracy("abcd", "abcd").value, 1);
  EXPECT_EQ(token_accuracy("abcd", "bcd").value, 0);
  EXPECT_EQ(token_accuracy("abcd", "abxx").value, 0.5);
  EXPECT_EQ(token_accuracy("abcd", "").value, 0);
  EXPECT_EQ(token_accuracy("abcd", "abcdefgh").value, 1);
  EXPECT_DOUBLE_EQ(token_accuracy("aéb", "aàb").value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(token_accuracy("aéb", "aeb").value, 2.0 / 3);
}

// The definition, with strings.
class PlainNgrams {
 public:
  PlainNgrams(int order, const std::vector<std::string>& texts) : order_(order) {
    for (const std::string& text : texts)
      for (size_t at = 0; at < text.size(); ++at) {
        characters_.insert(text[at]);
        for (size_t length = 0; length < static_cast<size_t>(order) && length <= at; ++length)
          ++followers_[text.substr(at - length, length)][text[at]];
      }
  }

  double probability(std::string context, char next) const {
    if (context.size() >= static_cast<size_t>(order_))
      context = context.substr(context.size() - static_cast<size_t>(order_) + 1);
    return interpolated(context, next);
  }

 private:
  double interpolated(const std::string& context, char next) const {
    const double shorter = context.empty() ? 1.0 / (static_cast<double>(characters_.size()) + 1)
                                           : interpolated(context.substr(1), next);
    const auto found = followers_.find(context);
    if (found == followers_.end()) return shorter;
    double total = 0;
    for (const auto& [character, count] : found->second) total += count;
    const double kinds = static_cast<double>(found->second.size());
    const auto count = found->second.find(next);
    return ((count == found->second.end() ? 0 : count->second) + kinds * shorter) / (total + kinds);
  }

  int order_;
  std::set<char> characters_;
  std::map<std::string, std::map<char, int>> followers_;
};

const std::vector<std::string> kTexts{"abracadabra", "cadabraab", "the barber"};

TEST(NgramModel, IsItsDefinition) {
  for (const int order : {1, 2, 3, 5}) {
    const PlainNgrams plain(order, kTexts);
    const NgramModel model(order, {kTexts.begin(), kTexts.end()});
    for (const std::string text : {"a", "abra", "barbara", "zebra", "zzz", "the"}) {
      for (const std::string before : {"", "a", "cad", "xyz", "abracadabr"}) {
        double nats = 0;
        for (size_t at = 0; at < text.size(); ++at)
          nats -= std::log(plain.probability(before + text.substr(0, at), text[at]));
        EXPECT_NEAR(model.nats_per_character(before, text), nats / static_cast<double>(text.size()), 1e-12)
            << order << " " << before << "|" << text;
      }
    }
  }
}

TEST(NgramModel, ProbabilitiesSumToOne) {
  const NgramModel model(4, {kTexts.begin(), kTexts.end()});
  for (const std::string before : {"", "ab", "abr", "the bar", "zz"}) {
    double sum = 0;
    for (const char next : std::string("abcdehrt ?"))  // its nine characters, and one for all others
      sum += std::exp(-model.nats_per_character(before, std::string(1, next)));
    EXPECT_NEAR(sum, 1, 1e-12) << before;
  }
}

TEST(NgramModel, CountsCharactersOfSeveralBytes) {
  const NgramModel model(2, {"éàéà"});
  EXPECT_LT(model.nats_per_character("é", "à"), model.nats_per_character("é", "é"));
  EXPECT_EQ(model.nats_per_character("", "€"), model.nats_per_character("", "😀"));
}

TEST(NgramModel, RefusesAnOrderItCannotCount) {
  EXPECT_NO_THROW(NgramModel(15, {kTexts.begin(), kTexts.end()}));  // nine characters: four bits
  try {
    NgramModel(16, {kTexts.begin(), kTexts.end()});
    FAIL() << "accepted";
  } catch (const ConfigurationError& error) {
    EXPECT_THAT(error.what(), HasSubstr("expected at most 15 for a text of 9 different characters, got 16"));
  }
}

}  // namespace
}  // namespace canvaslab
