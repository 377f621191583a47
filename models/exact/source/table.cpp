// `model: table`: any joint distribution over few positions, sequence by sequence, whose posteriors are
// exact.
//
//   pairs     positions 1 and 2, 3 and 4, ... are each an equal pair with probability `coupling`, else any
//             unequal one; pairs do not depend on each other
//   sudoku4   the 288 grids of 4x4 Sudoku, all alike
//   file      lines of a sequence (letters a, b, c ...), a space, its weight
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/registry.h"
#include "models/exact/source/exact_source.h"
#include "models/exact/table_model.h"

namespace canvaslab {
namespace {

using Rows = std::vector<TableModel::Row>;

constexpr size_t kMostRows = 1 << 20;

Rows pairs(int symbols, int length, double coupling) {
  if (symbols < 2 || length % 2 != 0) {
    throw ConfigurationError(fmt::format(
        "model: table of pairs has {} symbols at {} positions, expected 2 symbols or more and an even length",
        symbols, length));
  }
  Rows rows{{{}, 1}};
  for (int pair = 0; pair < length / 2; ++pair) {
    if (rows.size() * static_cast<size_t>(symbols * symbols) > kMostRows)
      throw ConfigurationError(fmt::format("model: a table of more than {} sequences", kMostRows));
    Rows longer;
    for (const TableModel::Row& row : rows) {
      for (TokenId a = 0; a < symbols; ++a) {
        for (TokenId b = 0; b < symbols; ++b) {
          TableModel::Row next = row;
          next.sequence.push_back(a), next.sequence.push_back(b);
          next.weight *= a == b ? coupling / symbols : (1 - coupling) / (symbols * (symbols - 1));
          if (next.weight > 0) longer.push_back(std::move(next));
        }
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

bool fits(const std::vector<TokenId>& grid, TokenId symbol) {
  const size_t at = grid.size(), row = at / 4, column = at % 4;
  for (size_t i = 0; i < at; ++i) {
    const bool same = i / 4 == row || i % 4 == column || (i / 8 == row / 2 && i % 4 / 2 == column / 2);
    if (same && grid[i] == symbol) return false;
  }
  return true;
}

void complete(std::vector<TokenId>& grid, Rows& rows) {
  if (grid.size() == 16) {
    rows.push_back({grid, 1});
    return;
  }
  for (TokenId symbol = 0; symbol < 4; ++symbol) {
    if (!fits(grid, symbol)) continue;
    grid.push_back(symbol);
    complete(grid, rows);
    grid.pop_back();
  }
}

Rows sudoku_grids() {
  Rows rows;
  std::vector<TokenId> grid;
  complete(grid, rows);
  return rows;
}

Rows read_rows(const std::string& file, int symbols) {
  std::ifstream in(file);
  if (!in) throw ConfigurationError(fmt::format("model.file: '{}' cannot be read", file));
  Rows rows;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::istringstream words(line);
    std::string letters, rest;
    TableModel::Row row;
    if (!(words >> letters >> row.weight) || words >> rest) {
      throw ConfigurationError(
          fmt::format("{}:{}: expected letters, a space and a weight, found '{}'", file, number, line));
    }
    for (const char letter : letters) {
      if (letter < 'a' || letter >= 'a' + symbols) {
        throw ConfigurationError(
            fmt::format("{}:{}: '{}' is not one of the {} letters from a on (model.symbols)", file, number,
                        letter, symbols));
      }
      row.sequence.push_back(letter - 'a');
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

class Table : public ModelSource {
 public:
  enum class Kind { kPairs, kSudoku4, kFile };

  struct Config : ExactOptions {
    Kind kind = Kind::kPairs;
    int symbols = 4;
    int length = 8;
    double coupling = 0.9;
    std::optional<std::string> file;

    template <class Visitor>
    void fields(Visitor& visit) {
      visit.choice("kind", kind,
                   {{"pairs", Kind::kPairs}, {"sudoku4", Kind::kSudoku4}, {"file", Kind::kFile}},
                   {.meaning = "which sequences there are"});
      visit("symbols", symbols,
            {.unit = "symbols", .meaning = "K, of pairs and files", .minimum = 1, .maximum = 26});
      visit("length", length, {.unit = "positions", .meaning = "L, of pairs", .minimum = 1, .maximum = 64});
      visit("coupling", coupling,
            {.unit = "probability", .meaning = "of a pair to be equal", .minimum = 0, .maximum = 1});
      visit("file", file, {.meaning = "the sequences with their weights"});
      ExactOptions::fields(visit);
    }
  };

  explicit Table(const Config& config) : config_(config) {
    if (config.file.has_value() != (config.kind == Kind::kFile))
      throw ConfigurationError("model: table takes model.file with model.kind=file, and only then");
  }

  Model load() const override {
    const int symbols = config_.kind == Kind::kSudoku4 ? 4 : config_.symbols;
    return exact_model(std::make_shared<TableModel>(symbols, rows()), config_);
  }

  Model inspect() const override { return load(); }

 private:
  Rows rows() const {
    switch (config_.kind) {
      case Kind::kSudoku4:
        return sudoku_grids();
      case Kind::kFile:
        return read_rows(*config_.file, config_.symbols);
      default:
        return pairs(config_.symbols, config_.length, config_.coupling);
    }
  }

  Config config_;
};

}  // namespace

CANVASLAB_REGISTER(ModelSource, Table, "table",
                   "a joint distribution written out, whose posteriors are exact", "");

}  // namespace canvaslab
