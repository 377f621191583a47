// Reads whole traces, and the keys of what is recorded.
#include "core/trace/trace_reader.h"

#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "core/trace/trace_file.h"
#include "core/trace/trace_folder.h"

namespace canvaslab {
namespace fs = std::filesystem;
namespace {

// A running run puts joined parts in place at most once a second.
constexpr int kTries = 50;

std::vector<fs::path> files_of(const fs::path& folder_or_file) {
  if (fs::is_regular_file(folder_or_file)) return {folder_or_file};
  const TraceFolder folder{folder_or_file};
  std::vector<fs::path> files;
  for (const Part& part : list_parts(folder.parts())) files.push_back(part.path);
  // Looked for last: a run that finishes meanwhile puts it in place before it removes the parts.
  if (fs::exists(folder.whole())) return {folder.whole()};
  return files;
}

// All files of a trace, opened before any is read: what is open stays readable when a running run replaces
// it.
class OpenTrace {
 public:
  explicit OpenTrace(const fs::path& folder_or_file) {
    const std::scoped_lock lock(hdf5::library_mutex());
    const fs::path parts = TraceFolder{folder_or_file}.parts();
    // What was listed and opened while the folder was replaced may be half of the one and half of the other.
    for (int attempt = 0; attempt < kTries; ++attempt) {
      const FolderIdentity folder(parts);
      try {
        open_files(folder_or_file);
        if (folder.unchanged()) return;
      } catch (const Error&) {
        if (folder.unchanged()) throw;
      }
    }
    throw Error(fmt::format("{} is replaced faster than it can be read", parts.string()));
  }
  ~OpenTrace() {
    const std::scoped_lock lock(hdf5::library_mutex());
    files_.clear();
  }
  OpenTrace(const OpenTrace&) = delete;
  OpenTrace& operator=(const OpenTrace&) = delete;

  bool empty() const { return files_.empty(); }

  template <class Visit>
  void visit(Visit visit_file) const {
    for (const auto& file : files_) {
      const std::scoped_lock lock(hdf5::library_mutex());
      visit_file(*file);
    }
  }

 private:
  void open_files(const fs::path& folder_or_file) {
    files_.clear();
    for (const fs::path& file : files_of(folder_or_file))
      files_.push_back(std::make_unique<TraceFileReader>(file));
  }

  std::vector<std::unique_ptr<TraceFileReader>> files_;
};

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

void add_samples(const TraceFileReader& file, std::vector<SampleTrace>& samples) {
  TraceBlock block(file.header().level);
  block.extents = file.extents();
  for (size_t i = 0; i < trace_columns().size(); ++i) {
    const Column& column = trace_columns()[i];
    if (file.has(i) && column.load_sample)
      block.columns[i] = file.read(i, 0, block.extents[column.dimensions[0]]);
  }
  move_to(block.samples(), samples);
}

}  // namespace

TraceContents read_trace(const fs::path& folder_or_file) {
  const OpenTrace trace(folder_or_file);
  if (trace.empty()) {
    throw ConfigurationError(
        fmt::format("{} holds no trace: expected trace.h5, or trace/part-*.h5", folder_or_file.string()));
  }
  TraceContents contents;
  trace.visit([&contents](const TraceFileReader& file) { add_contents(file, contents); });
  return contents;
}

std::vector<SampleTrace> read_samples(const fs::path& folder_or_file) {
  std::vector<SampleTrace> samples;
  OpenTrace(folder_or_file).visit([&samples](const TraceFileReader& file) { add_samples(file, samples); });
  return samples;
}

std::set<CanvasKey> recorded_canvases(const fs::path& run_folder) {
  std::set<CanvasKey> keys;
  OpenTrace(run_folder).visit([&keys](const TraceFileReader& file) {
    const auto samples = read_numbers<std::uint64_t>(file, "/canvases/sample", Dimension::kCanvas);
    const auto indices = read_numbers<std::uint32_t>(file, "/canvases/index", Dimension::kCanvas);
    for (size_t i = 0; i < samples.size(); ++i) keys.emplace(samples[i], indices[i]);
  });
  return keys;
}

std::set<std::uint64_t> recorded_samples(const fs::path& run_folder) {
  std::set<std::uint64_t> keys;
  OpenTrace(run_folder).visit([&keys](const TraceFileReader& file) {
    const auto samples = read_numbers<std::uint64_t>(file, "/samples/sample", Dimension::kSample);
    keys.insert(samples.begin(), samples.end());
  });
  return keys;
}

}  // namespace canvaslab
