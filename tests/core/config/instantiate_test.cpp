// Building objects from `_target_` nodes, against calls recorded from hydra-core's instantiate (the cases of
// kind `instantiate` in tests/data/hydra_cases): toy options note how they were built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/config/targets.h"
#include "core/config/yaml.h"
#include "core/registry.h"

namespace canvaslab::config {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Targets in the order in which they were built.
std::vector<std::string>& built() {
  static std::vector<std::string> all;
  return all;
}

class Toy {
 public:
  virtual ~Toy() = default;
  Json call() const { return {{"target", target_}, {"args", Json::array()}, {"kwargs", keywords_}}; }

 protected:
  Toy(const char* target, Json keywords) : target_(target), keywords_(std::move(keywords)) {
    built().emplace_back(target);
  }

 private:
  const char* target_;
  Json keywords_;
};

struct ToyMasked : Toy {
  struct Config {
    int mask_id = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("mask_id", mask_id, {.minimum = 0});
    }
  };
  explicit ToyMasked(const Config& config) : Toy("toy.Masked", {{"mask_id", config.mask_id}}) {}
};
CANVASLAB_REGISTER(Toy, ToyMasked, "toy.Masked", "a toy");

struct ToyMaxSteps : Toy {
  struct Config {
    int n = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("n", n);
    }
  };
  explicit ToyMaxSteps(const Config& config) : Toy("toy.MaxSteps", {{"n", config.n}}) {}
};
CANVASLAB_REGISTER(Toy, ToyMaxSteps, "toy.MaxSteps", "a toy");

struct ToyStable : Toy {
  struct Config {
    int window = 0;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("window", window);
    }
  };
  explicit ToyStable(const Config& config) : Toy("toy.Stable", {{"window", config.window}}) {}
};
CANVASLAB_REGISTER(Toy, ToyStable, "toy.Stable", "a toy");

struct ToySampler : Toy {
  struct Config {
    int steps = 0;
    std::unique_ptr<Toy> noise;
    std::vector<std::unique_ptr<Toy>> stop;
    template <class Visitor>
    void fields(Visitor& visit) {
      visit("steps", steps);
      visit("noise", noise);
      visit("stop", stop);
    }
  };
  explicit ToySampler(const Config& config) : Toy("toy.Sampler", keywords(config)) {}

  static Json keywords(const Config& config) {
    Json result{{"steps", config.steps}, {"noise", config.noise->call()}, {"stop", Json::array()}};
    for (const auto& toy : config.stop) result["stop"].push_back(toy->call());
    return result;
  }
};
CANVASLAB_REGISTER(Toy, ToySampler, "toy.Sampler", "a toy");

std::unique_ptr<Toy> instantiate(const std::string& yaml) {
  Node node = parse_yaml(yaml, "toy.yaml");
  Errors errors;
  name_targets(node, errors);
  std::unique_ptr<Toy> toy = errors.empty() ? Registry<Toy>::build(node, errors) : nullptr;
  errors.throw_if_any();
  return toy;
}

std::string error_of(const std::string& yaml) {
  try {
    instantiate(yaml);
  } catch (const ConfigurationError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Instantiate, AgreesWithTheRecordings) {
  std::ifstream file(CANVASLAB_TEST_DATA "/hydra_cases/cases.json");
  const Json all = Json::parse(file).at("cases");
  int cases = 0;
  for (const Json& item : all) {
    if (item.at("kind") != "instantiate") continue;
    EXPECT_EQ(instantiate(item.at("config"))->call(), item.at("expect").at("call")) << item.at("rule");
    ++cases;
  }
  EXPECT_EQ(cases, 1);
}

TEST(Instantiate, BuildsChildrenFirst) {
  built().clear();
  instantiate("{_target_: toy.Sampler, noise: {_target_: toy.Masked}, stop: [{_target_: toy.Stable}]}");
  EXPECT_THAT(built(), ElementsAre("toy.Masked", "toy.Stable", "toy.Sampler"));
}

TEST(Instantiate, RefusesWhatIsNotRegistered) {
  EXPECT_THAT(error_of("_target_: toy.Sampler\nnoise: {_target_: os.system}\n"),
              AllOf(HasSubstr("toy.yaml:2"), HasSubstr("noise.name"), HasSubstr("unknown option 'os.system'"),
                    HasSubstr("toy.Masked")));
  EXPECT_THAT(error_of("_target_: toy.Maskd\n"), HasSubstr("did you mean 'toy.Masked'?"));
}

TEST(Instantiate, RefusesWhatAnOptionCannotTake) {
  EXPECT_THAT(
      error_of("_target_: toy.Masked\n_args_: [1]\n_partial_: true\n"),
      AllOf(HasSubstr("2 errors"), HasSubstr("toy.yaml:2: _args_"), HasSubstr("toy.yaml:3: _partial_")));
  EXPECT_THAT(error_of("_target_: toy.Masked\nname: toy.Stable\n"), HasSubstr("keep one of the two"));
  EXPECT_THAT(error_of("_target_: toy.Masked\nmask_di: 1\n"), HasSubstr("did you mean 'mask_id'?"));
  EXPECT_THAT(error_of("_target_: toy.Masked\nmask_id: -1\n"), HasSubstr("expected an integer >= 0"));
}

}  // namespace
}  // namespace canvaslab::config
