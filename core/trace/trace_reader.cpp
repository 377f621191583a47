// Reads whole traces, and the keys of what is recorded.
#include "core/trace/trace_reader.h"

#include <fmt/format.h>

#include <functional>

#include "core/error.h"
#include "core/trace/trace_file.h"
#include "core/trace/trace_folder.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

// A running run replaces parts while we read; each try sees a newer state, so a few suffice.
constexpr int kTries = 20;

std::vector<fs::path> files_of(const fs::path& folder_or_file) {
  if (!fs::is_directory(folder_or_file)) return {folder_or_file};
  const TraceFolder folder{folder_or_file};
  std::vector<fs::path> files;
  for (const Part& part : list_parts(folder.parts())) files.push_back(part.path);
  // Looked for last: a run that finishes meanwhile puts it in place before it removes the parts.
  if (fs::exists(folder.whole())) return {folder.whole()};
  return files;
}

template <class Result>
Result read_files(const fs::path& folder_or_file,
                  const std::function<void(const TraceFileReader&, Result&)>& add) {
  for (int attempt = 1;; ++attempt) {
    fs::path current;
    try {
      Result result;
      for (const fs::path& file : files_of(folder_or_file)) {
        current = file;
        const std::scoped_lock lock(hdf5::library_mutex());
        add(TraceFileReader(file), result);
      }
      return result;
    } catch (const Error&) {
      const bool replaced = fs::is_directory(folder_or_file) && !fs::exists(current);
      if (!replaced || attempt == kTries) throw;
    }
  }
}

size_t find_column(std::string_view path) {
  const auto columns = trace_columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].path() == path) return i;
  }
  throw Error(fmt::format("the trace has no column {}", path));
}

template <class T>
std::vector<T> read_numbers(const TraceFileReader& file, std::string_view path, Dimension dimension) {
  std::vector<T> values(file.extents()[dimension]);
  file.read(find_column(path), 0, values.size()).read(0, values.data(), values.size());
  return values;
}

template <class T>
void move_to(std::vector<T>&& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

void add_contents(const TraceFileReader& file, TraceContents& contents) {
  contents.run = file.header().run;
  contents.level = file.header().level;
  contents.created = file.header().created;
  contents.complete = file.header().complete;
  const TraceBlock block = file.read_all();
  move_to(block.canvases(), contents.canvases);
  move_to(block.samples(), contents.samples);
}

}  // namespace

TraceContents read_trace(const fs::path& folder_or_file) {
  if (files_of(folder_or_file).empty() || !fs::exists(files_of(folder_or_file).front())) {
    throw ConfigurationError(
        fmt::format("{} holds no trace: expected trace.h5, or trace/part-*.h5", folder_or_file.string()));
  }
  return read_files<TraceContents>(folder_or_file, add_contents);
}

std::set<CanvasKey> recorded_canvases(const fs::path& run_folder) {
  return read_files<std::set<CanvasKey>>(
      run_folder, [](const TraceFileReader& file, std::set<CanvasKey>& keys) {
        const auto samples = read_numbers<std::uint64_t>(file, "/canvases/sample", Dimension::kCanvas);
        const auto indices = read_numbers<std::uint32_t>(file, "/canvases/index", Dimension::kCanvas);
        for (size_t i = 0; i < samples.size(); ++i) keys.emplace(samples[i], indices[i]);
      });
}

std::set<std::uint64_t> recorded_samples(const fs::path& run_folder) {
  return read_files<std::set<std::uint64_t>>(run_folder, [](const TraceFileReader& file, auto& keys) {
    const auto samples = read_numbers<std::uint64_t>(file, "/samples/sample", Dimension::kSample);
    keys.insert(samples.begin(), samples.end());
  });
}

}  // namespace canvaslab
