// Sweeps: the values of a key, the jobs of a grid, and the words that a job is given. Values were recorded
// from hydra-core 1.3.8 (BasicSweeper.split_arguments over the same words).
#include "core/config/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/core/config/temporary_folder.h"

namespace canvaslab::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

class SweepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("config.yaml",
                  "defaults:\n- _self_\n- noise: masked\n- must: ???\na: 1\nb: 2\nc: {d: 3, l: [1, 2]}\n");
    for (const char* name : {"masked", "uniform", "hybrid"})
      folder_.write(std::string("noise/") + name + ".yaml", "k: 1\n");
    folder_.write("must/x.yaml", "k: 1\n");
  }

  SweepPlan plan(const Words& words) const {
    return plan_sweep({.config_folders = {folder_.path()}, .overrides = words});
  }

  // The values of one key.
  Words values(const std::string& sweep) const { return plan({"a=" + sweep}).keys.at(0).values; }

  std::string error_of(const Words& words) const {
    try {
      const SweepGrid grid(plan(words));
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryFolder folder_;
};

TEST_F(SweepTest, RunsTheLastKeyFastest) {
  const SweepGrid grid(plan({"a=1,2", "b=x", "+c.e=3,4"}));
  ASSERT_EQ(grid.size(), 4u);
  EXPECT_THAT(grid.words(0), ElementsAre("a=1", "b=x", "+c.e=3"));
  EXPECT_THAT(grid.words(1), ElementsAre("a=1", "b=x", "+c.e=4"));
  EXPECT_THAT(grid.words(2), ElementsAre("a=2", "b=x", "+c.e=3"));
  EXPECT_THAT(grid.words(3), ElementsAre("a=2", "b=x", "+c.e=4"));
}

TEST_F(SweepTest, TheLastOfEqualKeysCountsAtTheFirstPlace) {
  const SweepPlan sweep = plan({"a=1,2", "b=3", "a=5"});
  ASSERT_EQ(sweep.keys.size(), 2u);
  EXPECT_THAT(sweep.keys[0].values, ElementsAre("5"));
  EXPECT_FALSE(sweep.keys[0].is_swept());
}

TEST_F(SweepTest, WritesValuesAsHydraDoes) {
  EXPECT_THAT(values("1_000,1e-3,TRUE,null,.5"), ElementsAre("1000", "0.001", "True", "null", "0.5"));
  EXPECT_THAT(values("'x,y',\"a'b\",z"), ElementsAre("'x,y'", "\"a'b\"", "z"));
  EXPECT_THAT(values("choice('x,y',a b)"), ElementsAre("x\\,y", "a\\ b"));
  EXPECT_THAT(values("[1,'a b'],{k:[x,2.0]},[]"), ElementsAre("[1,'a b']", "{k:[x,2.0]}", "[]"));
  EXPECT_THAT(values("${b},c:d"), ElementsAre("$\\{b\\}", "c\\:d"));
  EXPECT_THAT(values("str(1,true)"), ElementsAre("1", "true"));
  EXPECT_THAT(values("int(1.5,'2')"), ElementsAre("1", "2"));
  const SweepGrid single(plan({"~c.d", "~noise", "+t='a b'", "b=", "a=1,2"}));
  EXPECT_THAT(single.words(0), ElementsAre("~c.d=null", "~noise=null", "+t='a b'", "b=", "a=1"));
}

TEST_F(SweepTest, RangesAreHydras) {
  EXPECT_THAT(values("range(3)"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(values("range(5,1,-2)"), ElementsAre("5", "3"));
  EXPECT_THAT(values("range(1,stop=3)"), ElementsAre("1", "2"));
  EXPECT_THAT(values("range(0,1,0.1)"), ElementsAre("0.0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6",
                                                    "0.7000000000000001", "0.8", "0.9"));
  EXPECT_THAT(values("range(1,0,-0.3)"),
              ElementsAre("1.0", "0.7000000000000001", "0.4", "0.10000000000000003"));
  EXPECT_THAT(values("range(0,1e-5,3e-6)"), ElementsAre("0.0", "3e-06", "6e-06", "9e-06"));
  EXPECT_THAT(values("float(range(1,3))"), ElementsAre("1.0", "2.0"));
  EXPECT_THAT(values("int(range(0.5,3.5,1.9))"), ElementsAre("0", "1", "2"));
}

TEST_F(SweepTest, SortsAndShuffles) {
  EXPECT_THAT(values("sort(3,1,2)"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(values("sort(3,1,2,reverse=true)"), ElementsAre("3", "2", "1"));
  EXPECT_THAT(values("sort(choice(b,'a',C))"), ElementsAre("C", "a", "b"));
  EXPECT_THAT(values("sort(range(10,5,-2))"), ElementsAre("7", "9", "11"));  // as Hydra has it
  EXPECT_THAT(values("sort(range(1,4),reverse=true)"), ElementsAre("3", "2", "1"));
  const Words shuffled = values("shuffle(range(20))");
  EXPECT_NE(shuffled, values("range(20)"));
  EXPECT_THAT(shuffled, ::testing::UnorderedElementsAreArray(values("range(20)")));
  EXPECT_EQ(shuffled, values("shuffle(range(20))")) << "a resumed sweep must meet the same order";
  EXPECT_THAT(plan({"a=sort([3,1])", "b=1,2"}).keys[0].values, ElementsAre("[1,3]"));
}

TEST_F(SweepTest, GlobsOverTheGroupsOptions) {
  EXPECT_THAT(plan({"noise=glob(*)"}).keys[0].values, ElementsAre("hybrid", "masked", "uniform"));
  EXPECT_THAT(plan({"noise=glob([m*,u*],exclude=unif?rm)"}).keys[0].values, ElementsAre("masked"));
  EXPECT_THAT(error_of({"noise=glob(z*)"}), HasSubstr("without any value"));
}

TEST_F(SweepTest, IntervalsAreForOtherSweepers) {
  const SweepPlan sweep =
      plan({"a=interval(1,10)", "b=int(interval(1,10))", "c.d=tag(log,interval(1e-3,1))"});
  EXPECT_EQ(sweep.keys[0].interval->low, 1.0);
  EXPECT_EQ(sweep.keys[0].interval->high, 10.0);
  EXPECT_FALSE(sweep.keys[0].interval->is_integer);
  EXPECT_TRUE(sweep.keys[1].interval->is_integer);
  EXPECT_TRUE(sweep.keys[2].interval->is_logarithmic);
  EXPECT_TRUE(sweep.keys[2].is_swept());
  EXPECT_THAT(error_of({"a=interval(1,10)"}), HasSubstr("does not support sweep type : INTERVAL_SWEEP"));
  EXPECT_THAT(error_of({"a=interval(10,1)"}), HasSubstr("to a larger one"));
  EXPECT_THAT(error_of({"a=tag(log,interval(0,1))"}), HasSubstr("starts above 0"));
}

TEST_F(SweepTest, JobsKnowTheirNumberAndWords) {
  const SweepPlan sweep = plan({"must=x", "a=1,2", "hydra.sweep.dir=s"});
  EXPECT_EQ(select(sweep.composition.hydra, "sweep.dir")->as_string(), "s");
  const Composition job = compose_all(sweep.job(SweepGrid(sweep).words(1), 1));
  EXPECT_EQ(job.config.find("a")->as_integer(), 2);
  EXPECT_EQ(*select(job.hydra, "job.num"), Node(1));
  EXPECT_EQ(*select(job.hydra, "job.id"), Node("1"));
  EXPECT_EQ(*select(job.hydra, "job.override_dirname"), Node("a=2,must=x"));
  EXPECT_EQ(*select(job.hydra, "overrides.task"), Node(Node::List{Node("must=x"), Node("a=2")}));
  EXPECT_EQ(*select(job.hydra, "overrides.hydra"), Node(Node::List{Node("hydra.sweep.dir=s")}));
}

TEST_F(SweepTest, ACommonPartMayLackAChoice) {
  EXPECT_EQ(plan({"must=x,x"}).keys[0].values.size(), 2u);
}

TEST_F(SweepTest, RefusesAllThatIsWrongAtOnce) {
  const std::string text = error_of({"a=range(0,1,0)", "b=range(0,inf)", "a=range(1,1000000000)"});
  EXPECT_THAT(text, HasSubstr("3 errors"));
  EXPECT_THAT(text, HasSubstr("Invalid range values (start:0, stop:1, step:0)"));
  EXPECT_THAT(text, HasSubstr("more than 100000 values"));
  EXPECT_THAT(error_of({"a=range(5,1)"}), HasSubstr("without any value"));
  EXPECT_THAT(error_of({"hydra.job.name=a,b"}),
              HasSubstr("Sweeping over Hydra's configuration is not supported"));
  EXPECT_THAT(error_of({"a=range(100000)", "b=range(100000)"}), HasSubstr("more than 1000000 jobs"));
  EXPECT_THAT(error_of({"hydra.sweeper.params={a:[1,2]}"}),
              HasSubstr("hydra.sweeper.params.a: expected a sweep"));
  EXPECT_THAT(error_of({"hydra.sweeper.params={a:\"1,\"}"}), HasSubstr("cannot be parsed"));
}

}  // namespace
}  // namespace canvaslab::config
