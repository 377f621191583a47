// The option `task: unconditional`: so many empty prompts, none of them graded.
#include <gtest/gtest.h>

#include "experiments/tasks/task.h"
#include "tests/options.h"

namespace canvaslab {
namespace {

TEST(Unconditional, AsksNothing) {
  const auto task = build<Task>("{name: unconditional, samples: 3}");
  const std::vector<TaskItem> items = task->items("");
  ASSERT_EQ(items.size(), 3U);
  for (const TaskItem& item : items) {
    EXPECT_EQ(item.prompt, "");
    EXPECT_FALSE(task->grade(item, "anything"));
  }
  EXPECT_FALSE(task->example(Split::kTrain, 0));
}

}  // namespace
}  // namespace canvaslab
