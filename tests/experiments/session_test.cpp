// What a session refuses before anything is loaded.
#include "experiments/session.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/models/checkpoint/scratch_folder.h"

namespace canvaslab {
namespace {

TEST(Session, AGroupWithoutAChoiceIsRefused) {
  for (const std::string group :
       {"model", "noise", "temperature", "selection", "stopping", "random", "task"}) {
    SCOPED_TRACE(group);
    expect_error<ConfigurationError>([&] { Session({}, {"~" + group}); },
                                     {group + ": is missing; expected one of "});
  }
  expect_error<ConfigurationError>(
      [] {
        Session({}, {"~noise", "~temperature"});
      },
      {"noise: is missing; expected one of masked, uniform",
       "temperature: is missing; expected one of constant, cosine, linear, piecewise"});
}

TEST(Session, APaddingIdOutsideTheVocabularyIsRefused) {
  const ScratchFolder scratch;
  const std::filesystem::path folder = copy_checkpoint("generation", scratch);
  const std::string text = read_bytes(folder / "generation_config.json");
  write_bytes(folder / "generation_config.json",
              replaced(text, "\"pad_token_id\": 0", "\"pad_token_id\": 56"));
  Session session({}, {"model.checkpoint='" + folder.string() + "'"});
  expect_error<ConfigurationError>([&] { session.load(); },
                                   {"generation_config.json: pad_token_id", "56 entries, found 56"});
}

}  // namespace
}  // namespace canvaslab
