// The table as an SQLite file.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "experiments/sweep/sweep_table.h"
#include "models/checkpoint/atomic_file.h"

namespace canvaslab {
namespace {

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  void operator()(unsigned char* bytes) const { sqlite3_free(bytes); }
};
using Database = std::unique_ptr<sqlite3, Close>;

// A statement whose parameters are bound one after the other.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& text) : database_(database) {
    sqlite3_stmt* prepared = nullptr;
    check(sqlite3_prepare_v2(database, text.c_str(), -1, &prepared, nullptr));
    statement_.reset(prepared);
  }

  void add(std::int64_t value) { check(sqlite3_bind_int64(statement_.get(), ++bound_, value)); }
  void add(double value) {  // NaN becomes NULL
    check(sqlite3_bind_double(statement_.get(), ++bound_, value));
  }
  void add(const std::string& value) {
    check(sqlite3_bind_text64(statement_.get(), ++bound_, value.data(), value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
  }
  void skip() { ++bound_; }  // NULL

  void run() {
    if (sqlite3_step(statement_.get()) != SQLITE_DONE) fail();
    sqlite3_reset(statement_.get());
    sqlite3_clear_bindings(statement_.get());
    bound_ = 0;
  }

 private:
  void check(int status) const {
    if (status != SQLITE_OK) fail();
  }
  [[noreturn]] void fail() const {
    throw Error(fmt::format("the sweep's table: SQLite: {}", sqlite3_errmsg(database_)));
  }

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
  int bound_ = 0;
};

void execute(sqlite3* database, const std::string& text) {
  Statement(database, text).run();
}

const char* sql_type(const MetricValue& value) {
  return std::holds_alternative<std::int64_t>(value) ? "INTEGER"
         : std::holds_alternative<double>(value)     ? "REAL"
                                                     : "TEXT";
}

std::string table_definition() {
  std::string text =
      "CREATE TABLE cells (cell INTEGER PRIMARY KEY, overrides TEXT NOT NULL, seed INTEGER NOT NULL, "
      "state TEXT NOT NULL, attempts INTEGER NOT NULL, host TEXT, started TEXT, ended TEXT, seconds REAL, "
      "folder TEXT NOT NULL, trace TEXT, error TEXT";
  for (const auto& [name, value] : named_values({})) text += fmt::format(", {} {}", name, sql_type(value));
  return text + ")";
}

void add_text(Statement& insert, const std::string& text) {
  text.empty() ? insert.skip() : insert.add(text);
}

void add_row(Statement& insert, const TableRow& row) {
  const CellRecord& record = row.record;
  insert.add(static_cast<std::int64_t>(row.cell.number));
  insert.add(nlohmann::json(row.cell.overrides).dump());
  insert.add(static_cast<std::int64_t>(row.cell.seed));
  insert.add(std::string(cell_state_name(record.state)));
  insert.add(static_cast<std::int64_t>(record.attempts));
  add_text(insert, record.host);
  add_text(insert, record.started);
  add_text(insert, record.ended);
  record.metrics ? insert.add(record.seconds) : insert.skip();
  insert.add(row.cell.folder);
  add_text(insert, record.trace.empty() ? "" : row.cell.folder + "/" + record.trace.string());
  add_text(insert, record.error);
  for (const auto& [name, value] : named_values(record.metrics.value_or(RunMetrics()))) {
    if (record.metrics)
      std::visit([&](const auto& v) { insert.add(v); }, value);
    else
      insert.skip();
  }
  insert.run();
}

}  // namespace

void write_sqlite(const StoredSweep& sweep, const std::vector<TableRow>& rows) {
  sqlite3* opened = nullptr;
  if (sqlite3_open(":memory:", &opened) != SQLITE_OK)
    throw Error("the sweep's table: SQLite cannot be opened");
  const Database database(opened);
  execute(opened, table_definition());
  execute(opened, "BEGIN");
  const size_t columns = 12 + named_values({}).size();
  Statement insert(opened, fmt::format("INSERT INTO cells VALUES ({})",
                                       fmt::join(std::vector<std::string>(columns, "?"), ", ")));
  for (const TableRow& row : rows) add_row(insert, row);
  execute(opened, "COMMIT");
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, Close> bytes(sqlite3_serialize(opened, "main", &size, 0));
  if (bytes == nullptr) throw Error("the sweep's table: SQLite ran out of memory");
  AtomicFile file(sweep.folder() / "sweep.sqlite");
  file.write(bytes.get(), static_cast<size_t>(size));
  file.commit();
}

}  // namespace canvaslab
