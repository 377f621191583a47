// The option `model: table`: the sequences that it says, with their probabilities.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "models/exact/exact_denoiser.h"
#include "models/exact/table_model.h"
#include "models/model_source.h"
#include "tests/complaint.h"
#include "tests/options.h"
#include "tests/temporary_folder.h"

namespace canvaslab {
namespace {

using ::testing::HasSubstr;

Model load(const std::string& settings) {
  return build<ModelSource>("{name: table, " + settings + "}")->load();
}

double probability(const Model& model, const std::vector<TokenId>& sequence) {
  return std::exp(model.exact->model().log_probability(sequence));
}

TEST(TableSource, PairsAreEqualAsOftenAsTheCouplingSays) {
  const Model model = load("symbols: 3, length: 4, coupling: 0.7");
  EXPECT_NEAR(probability(model, {0, 0, 2, 2}), 0.7 / 3 * 0.7 / 3, 1e-12);
  EXPECT_NEAR(probability(model, {0, 1, 2, 2}), 0.3 / 6 * 0.7 / 3, 1e-12);
  EXPECT_EQ(probability(load("symbols: 3, length: 4, coupling: 1"), {0, 1, 2, 2}), 0);
}

// 288 grids, and the one that is written out here is one of them.
TEST(TableSource, SudokuHasAllGrids) {
  const Model model = load("kind: sudoku4");
  const auto& table = dynamic_cast<const TableModel&>(model.exact->model());
  EXPECT_EQ(table.rows().size(), 288U);
  EXPECT_NEAR(probability(model, {0, 1, 2, 3, 2, 3, 0, 1, 1, 0, 3, 2, 3, 2, 1, 0}), 1.0 / 288, 1e-12);
  EXPECT_EQ(probability(model, {0, 1, 2, 3, 0, 1, 2, 3, 1, 0, 3, 2, 3, 2, 1, 0}), 0);
}

TEST(TableSource, AFileIsRead) {
  const TemporaryFolder folder;
  const std::string file = (folder / "table").string();
  std::ofstream(file) << "aab 3\nbba 1\n";
  const Model model = load(fmt::format("kind: file, symbols: 2, file: '{}'", file));
  EXPECT_EQ(model.exact->canvas_length(), 3);
  EXPECT_NEAR(probability(model, {0, 0, 1}), 0.75, 1e-12);
  std::ofstream(file) << "aab 3\nabc 1\n";
  EXPECT_THAT(complaint([&] { load(fmt::format("kind: file, symbols: 2, file: '{}'", file)); }),
              HasSubstr(":2: 'c' is not one of the 2 letters"));
  std::ofstream(file) << "aab 3 4\n";
  EXPECT_THAT(complaint([&] { load(fmt::format("kind: file, symbols: 2, file: '{}'", file)); }),
              HasSubstr(":1: expected letters, a space and a weight"));
}

TEST(TableSource, WhatDoesNotFitIsRefused) {
  EXPECT_THAT(complaint([] { load("length: 3"); }), HasSubstr("an even length"));
  EXPECT_THAT(complaint([] { load("symbols: 26, length: 8"); }), HasSubstr("more than 1048576 sequences"));
  EXPECT_THAT(complaint([] { load("kind: file"); }), HasSubstr("model.kind=file"));
  EXPECT_THAT(complaint([] { load("file: x"); }), HasSubstr("model.kind=file"));
  EXPECT_THAT(complaint([] { load("kind: file, file: /nowhere"); }), HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace canvaslab
