// What planning a sweep says of the models and files that its cells name.
#include "experiments/sweep/parts_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/project.h"
#include "experiments/sweep/stored_sweep.h"
#include "tests/complaint.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PlannedParts : public testing::Test {
 protected:
  std::string refusal(std::vector<std::string> words) const {
    words.push_back("hydra.sweep.dir=" + (folder_ / "sweep").string());
    const std::string said = complaint([&] { StoredSweep::plan({}, words); });
    EXPECT_EQ(fs::exists(folder_ / "sweep"), said == "accepted");
    return said;
  }

  // A copy of a shipped checkpoint, and the word that names it.
  fs::path copy(const std::string& name) const {
    const fs::path to = folder_ / name;
    fs::create_directory(to);
    for (const auto& entry :
         fs::directory_iterator(project_root() / "models" / "pretrained" / "sudoku4-uniform"))
      fs::copy_file(entry.path(), to / entry.path().filename());
    return to;
  }
  static std::string named(const fs::path& checkpoint) { return "model.checkpoint=" + checkpoint.string(); }

  TemporaryFolder folder_;
};

TEST_F(PlannedParts, EachWrongOneIsNamedOnceWithACellThatHasIt) {
  const std::string said = refusal({"model.checkpoint=sudoku4-uniform,sudoku4-unifrom,nowhere/",
                                    "task.file=null,absent.jsonl", "seed=1,2"});
  EXPECT_THAT(said, AllOf(HasSubstr("did you mean 'sudoku4-uniform'"),
                          HasSubstr("nowhere/: expected a checkpoint folder, found nothing"),
                          HasSubstr("absent.jsonl: the file of prompts cannot be read: No such file"),
                          HasSubstr("in cell 2: model.checkpoint=sudoku4-uniform task.file=absent.jsonl "
                                    "seed=1; and 5 further cells"),
                          HasSubstr("in cell 8: model.checkpoint=nowhere/ task.file=null seed=1; and 3")));
  EXPECT_EQ(said.find("absent.jsonl: "), said.rfind("absent.jsonl: "));
  EXPECT_EQ(said.find("nowhere/: "), said.rfind("nowhere/: "));
}

TEST_F(PlannedParts, ACheckpointIsReadAsFarAsItsHeaders) {
  const fs::path fine = copy("fine"), truncated = copy("truncated"), config = copy("config"),
                 weights = copy("weights"), tokenizer = copy("tokenizer"), prompts = copy("prompts");
  fs::resize_file(truncated / "model.safetensors", fs::file_size(truncated / "model.safetensors") - 100);
  std::ofstream(config / "config.json") << "{";
  fs::remove(weights / "model.safetensors");
  fs::remove(tokenizer / "tokenizer.json");
  fs::remove(prompts / "prompts.jsonl");
  EXPECT_EQ(refusal({named(fine), "seed=1,2"}), "accepted");
  fs::remove_all(folder_ / "sweep");
  EXPECT_THAT(refusal({named(truncated)}), HasSubstr("truncated/model.safetensors"));
  EXPECT_THAT(refusal({named(config)}), HasSubstr("config/config.json: expected valid JSON"));
  EXPECT_THAT(refusal({named(weights)}), HasSubstr("expected model.safetensors"));
  EXPECT_THAT(refusal({named(tokenizer)}), HasSubstr("run needs a tokenizer.json"));
  EXPECT_THAT(refusal({named(prompts)}), HasSubstr("prompts/prompts.jsonl: the file of prompts"));
  EXPECT_EQ(refusal({named(prompts), "task.side=4"}), "accepted") << "generated puzzles need no file";
}

TEST_F(PlannedParts, FilesOfEveryKindAreLookedFor) {
  std::ofstream(folder_ / "here") << "x";
  const std::string here = (folder_ / "here").string(), model = "model.checkpoint=sudoku4-uniform";
  EXPECT_THAT(refusal({model, "task=jsonl", "task.file=" + folder_.path().string()}),
              HasSubstr("cannot be read: Is a directory"));
  EXPECT_THAT(refusal({model, "task=prompts", "task.file=" + (folder_ / "hera").string()}),
              HasSubstr("No such file or directory; did you mean 'here'?"));
  EXPECT_THAT(refusal({model, "task=text", "task.file=absent.txt"}), HasSubstr("absent.txt: the text"));
  EXPECT_THAT(refusal({model, "task=text", "task.file=" + here, "task.tokenizer=absent.json"}),
              AllOf(HasSubstr("absent.json: the tokenizer"), Not(HasSubstr("the text"))));
  EXPECT_THAT(refusal({model, "random=replay", "random.file=absent.safetensors"}),
              HasSubstr("absent.safetensors"));
  EXPECT_THAT(refusal({model, "noise=masked", "model.mask_token=999"}), HasSubstr("model.mask_token"));
}

// A folder that holds a run would lose its log and its configuration's meaning.
TEST_F(PlannedParts, ASweepKeepsOutOfARunsFolder) {
  fs::create_directories(folder_ / "run/.hydra");
  EXPECT_THAT(complaint([&] {
                StoredSweep::plan({}, {"seed=1,2", "hydra.sweep.dir=" + (folder_ / "run").string()});
              }),
              HasSubstr("run holds a run already; choose another hydra.sweep.dir"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "run"), {}), 1);
  EXPECT_TRUE(fs::exists(folder_ / "run/.hydra"));
}

}  // namespace
}  // namespace canvaslab
