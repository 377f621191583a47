// The task `prompts`: where prompts come from, what grading says, and the effect of each setting.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "experiments/tasks/task.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<TaskItem> items(const std::string& settings) {
  return build<Task>("{name: prompts, " + settings + "}")->items({});
}

std::vector<std::string> prompts(const std::string& settings) {
  std::vector<std::string> texts;
  for (const TaskItem& item : items(settings)) texts.push_back(item.prompt);
  return texts;
}

class PromptsTest : public testing::Test {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(folder_ / "prompts.jsonl") << text;
    return fmt::format("file: '{}'", (folder_ / "prompts.jsonl").string());
  }

  // What the file is refused for.
  std::string complaint(const std::string& text) {
    try {
      items(file(text));
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "accepted";
  }

  TemporaryFolder folder_;
};

TEST_F(PromptsTest, TextsAreTakenInOrder) {
  const auto all = items("texts: [one, '2', '']");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(prompts("texts: [one, '2', '']"), ElementsAre("one", "2", ""));
  EXPECT_EQ(all[2].id, "2");
  EXPECT_EQ(all[0].target, "");
}

TEST_F(PromptsTest, SamplesTakesThatMany) {
  EXPECT_THAT(prompts("texts: [a, b, c], samples: 2"), ElementsAre("a", "b"));
  EXPECT_THAT(prompts("texts: [a, b, c], samples: 9"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(prompts("texts: [a, b, c], samples: null"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(prompts(file("{\"prompt\": \"a\"}\n{\"prompt\": \"b\"}\n") + ", samples: 1"), ElementsAre("a"));
}

TEST_F(PromptsTest, AFileHasOneObjectALine) {
  const auto all =
      items(file("{\"prompt\": \"a\", \"target\": \"x\", \"id\": \"first\"}\n\n{\"prompt\": \"b\\n\", "
                 "\"one_solution\": \"y\"}\r\n{\"prompt\": \"c\"}"));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_THAT(std::vector({all[0].id, all[0].prompt, all[0].target}), ElementsAre("first", "a", "x"));
  EXPECT_THAT(std::vector({all[1].id, all[1].prompt, all[1].target}), ElementsAre("1", "b\n", "y"));
  EXPECT_THAT(std::vector({all[2].id, all[2].prompt, all[2].target}), ElementsAre("2", "c", ""));
}

TEST_F(PromptsTest, BadLinesAreNamed) {
  for (const char* line : {"nothing", "[1]", "\"text\"", "{\"prompt\": ", "3"}) {
    EXPECT_THAT(complaint(fmt::format("{{\"prompt\": \"a\"}}\n{}\n", line)),
                AllOf(HasSubstr("prompts.jsonl:2: expected a JSON object")))
        << line;
  }
  EXPECT_THAT(complaint("{\"target\": \"a\"}"), HasSubstr("prompts.jsonl:1: \"prompt\" is missing"));
  EXPECT_THAT(complaint("{\"prompt\": 3}"), HasSubstr("'prompt': expected a string"));
  EXPECT_THAT(complaint("{\"prompt\": \"a\", \"tarjet\": \"b\"}"),
              HasSubstr("unknown key 'tarjet'; did you mean 'target'?"));
  EXPECT_THAT(complaint("\n \n"), HasSubstr("no prompts"));
}

TEST_F(PromptsTest, GradesAgainstTheTargetIfThereIsOne) {
  const auto task = build<Task>("{name: prompts, texts: [a]}");
  EXPECT_EQ(task->grade({"0", "a", "right"}, "right"), true);
  EXPECT_EQ(task->grade({"0", "a", "right"}, "right "), false);
  EXPECT_EQ(task->grade({"0", "a", "right"}, ""), false);
  EXPECT_EQ(task->grade({"0", "a", ""}, "anything"), std::nullopt);
}

TEST_F(PromptsTest, TakesTextsOrAFileButNotBothOrNeither) {
  EXPECT_THAT(refusal<Task>("{name: prompts}"), HasSubstr("either task.texts or task.file"));
  EXPECT_THAT(refusal<Task>("{name: prompts, texts: [a], file: x}"),
              HasSubstr("either task.texts or task.file"));
}

TEST_F(PromptsTest, RefusesBadSettings) {
  for (const char* bad : {"samples: 0", "samples: -1", "samples: x", "texts: a", "texts: [3]", "text: [a]"}) {
    const std::string texts = std::string(bad).starts_with("texts") ? "" : "texts: [a], ";
    EXPECT_NE(refusal<Task>(fmt::format("{{name: prompts, {}{}}}", texts, bad)), "accepted") << bad;
  }
  EXPECT_THROW(items(fmt::format("file: '{}'", (folder_ / "absent.jsonl").string())), ConfigurationError);
}

}  // namespace
}  // namespace canvaslab
