// Which examples may be trained on: a fixed function of their text, so that no seed and no setting moves an
// example from one split to another.
#pragma once

#include <string>
#include <string_view>

namespace canvaslab {

enum class Split { kTrain, kValidation, kTest };

// "train", "validation", "test".
std::string split_name(Split split);

// The split that a text belongs to: of all texts about 80 % train, 10 % validation, 10 % test. `kind` keeps
// hashes of different things apart ("sudoku grid", "sudoku prompt").
Split split_of(std::string_view kind, std::string_view text);

// The setting `split` of tasks that make examples.
template <class Visitor>
void visit_split(Visitor& visit, Split& split) {
  visit.choice("split", split,
               {{"train", Split::kTrain}, {"validation", Split::kValidation}, {"test", Split::kTest}},
               {.meaning = "which examples a run takes"});
}

}  // namespace canvaslab
