// Builders of the schema's columns: one for each way in which records hold a quantity.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/trace/schema.h"
#include "core/trace/utf8.h"

namespace canvaslab {

// The type in which a member is stored.
template <class T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<bool> {
  using Type = std::uint8_t;
};
template <>
struct Stored<Decision> {
  using Type = std::uint8_t;
};

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, std::int8_t>) return ElementType::kInt8;
  if constexpr (std::is_same_v<T, std::uint8_t>) return ElementType::kUint8;
  if constexpr (std::is_same_v<T, std::int32_t>) return ElementType::kInt32;
  if constexpr (std::is_same_v<T, std::uint32_t>) return ElementType::kUint32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return ElementType::kUint64;
  if constexpr (std::is_same_v<T, float>) return ElementType::kFloat32;
}

template <class Value>
void push_value(ColumnData& data, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    data.texts.push_back(storable_text(value));
  } else {
    const auto stored = static_cast<typename Stored<Value>::Type>(value);
    data.push(&stored, 1);
  }
}

template <class Value>
void read_value(const ColumnData& data, size_t row, Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    value = data.texts[row];
  } else {
    typename Stored<Value>::Type stored;
    data.read(row, &stored, 1);
    value = static_cast<Value>(stored);
  }
}

template <class Value>
constexpr ElementType value_type() {
  if constexpr (std::is_same_v<Value, std::string>) {
    return ElementType::kText;
  } else {
    return element_type<typename Stored<Value>::Type>();
  }
}

template <class Value>
Column sample_value(const char* name, const char* units, const char* description,
                    Value SampleTrace::*member) {
  Column column{"samples", name, value_type<Value>(), {Dimension::kSample}, units, description};
  column.save_sample = [member](const SampleTrace& sample, const Extents&, ColumnData& data) {
    push_value(data, sample.*member);
  };
  column.load_sample = [member](SampleTrace& sample, const Extents& at, const ColumnData& data) {
    read_value(data, at[Dimension::kSample], sample.*member);
  };
  return column;
}

// Ragged rows, as the CF conventions have them: all values in one flat column and a column of counts.
inline void add_sample_tokens(std::vector<Column>& columns, const std::string& prefix, Dimension dimension,
                              const std::string& description, std::vector<TokenId> SampleTrace::*member) {
  Column count{"samples",
               prefix + "_count",
               ElementType::kUint32,
               {Dimension::kSample},
               "1",
               "how many values of " + prefix + "s belong to this sample"};
  count.save_sample = [member](const SampleTrace& sample, const Extents&, ColumnData& data) {
    push_value(data, static_cast<std::uint32_t>((sample.*member).size()));
  };
  count.load_sample = [member](SampleTrace& sample, const Extents& at, const ColumnData& data) {
    std::uint32_t size = 0;
    read_value(data, at[Dimension::kSample], size);
    (sample.*member).resize(size);
  };
  columns.push_back(std::move(count));
  Column values{"samples",   prefix + "s", ElementType::kInt32,
                {dimension}, "",           description + ", sample after sample: see " + prefix + "_count"};
  values.save_sample = [member](const SampleTrace& sample, const Extents&, ColumnData& data) {
    data.push((sample.*member).data(), (sample.*member).size());
  };
  values.load_sample = [member, dimension](SampleTrace& sample, const Extents& at, const ColumnData& data) {
    data.read(at[dimension], (sample.*member).data(), (sample.*member).size());
  };
  columns.push_back(std::move(values));
}

template <class Value>
Column canvas_value(const char* name, const char* units, const char* description,
                    Value CanvasTrace::*member) {
  Column column{"canvases", name, value_type<Value>(), {Dimension::kCanvas}, units, description};
  column.save_canvas = [member](const CanvasTrace& canvas, const Extents&, ColumnData& data) {
    push_value(data, canvas.*member);
  };
  column.load_canvas = [member](CanvasTrace& canvas, const Extents& at, const ColumnData& data) {
    read_value(data, at[Dimension::kCanvas], canvas.*member);
  };
  return column;
}

template <class Value>
Column step_value(const char* name, const char* units, const char* description, Value StepTrace::*member) {
  Column column{"steps", name, value_type<Value>(), {Dimension::kStep}, units, description};
  column.level = TraceLevel::kSteps;
  column.save_canvas = [member](const CanvasTrace& canvas, const Extents&, ColumnData& data) {
    for (const StepTrace& step : canvas.steps) push_value(data, step.*member);
  };
  column.load_canvas = [member](CanvasTrace& canvas, const Extents& at, const ColumnData& data) {
    for (size_t i = 0; i < canvas.steps.size(); ++i)
      read_value(data, at[Dimension::kStep] + i, canvas.steps[i].*member);
  };
  return column;
}

// `of` gives a step's vector [L].
template <class Of>
Column position_values(const char* name, const char* units, const char* description, Of of) {
  using Value = typename std::decay_t<decltype(of(std::declval<StepTrace&>()))>::value_type;
  using Element = typename Stored<Value>::Type;
  static_assert(sizeof(Value) == sizeof(Element));
  Column column{"positions", name,       element_type<Element>(), {Dimension::kStep, Dimension::kPosition},
                units,       description};
  column.level = TraceLevel::kSteps;
  column.save_canvas = [of](const CanvasTrace& canvas, const Extents&, ColumnData& data) {
    for (const StepTrace& step : canvas.steps) data.push(of(step).data(), of(step).size());
  };
  column.load_canvas = [of](CanvasTrace& canvas, const Extents& at, const ColumnData& data) {
    const size_t length = at[Dimension::kPosition];
    for (size_t i = 0; i < canvas.steps.size(); ++i) {
      of(canvas.steps[i]).resize(length);
      data.read((at[Dimension::kStep] + i) * length, of(canvas.steps[i]).data(), length);
    }
  };
  return column;
}

// A column of row numbers: 0, 1, ... of `dimension` itself, or of the canvas or step that a row belongs to.
inline Column row_numbers(const char* group, const char* name, Dimension along, Dimension counted,
                          TraceLevel level, const char* description) {
  Column column{group, name, ElementType::kUint64, {along}, "1", description};
  column.level = level;
  column.counts = counted;
  column.scale = along == counted;
  return column;
}

// The number of rows that a record adds along a dimension.
inline size_t rows_of(const CanvasTrace& canvas, Dimension along) {
  return along == Dimension::kStep ? canvas.steps.size() : 1;
}

inline Column canvas_rows(const char* group, const char* name, Dimension along, Dimension counted,
                          TraceLevel level, const char* description) {
  Column column = row_numbers(group, name, along, counted, level, description);
  column.save_canvas = [along, counted](const CanvasTrace& canvas, const Extents& at, ColumnData& data) {
    for (std::uint64_t i = 0; i < rows_of(canvas, along); ++i) {
      push_value(data, at[counted] + (along == counted ? i : 0));
    }
  };
  return column;
}

inline Column token_rows(const char* name, Dimension along, std::vector<TokenId> SampleTrace::*member) {
  Column column =
      row_numbers("samples", name, along, along, TraceLevel::kSummary, "place in the flat column");
  column.save_sample = [along, member](const SampleTrace& sample, const Extents& at, ColumnData& data) {
    for (std::uint64_t i = 0; i < (sample.*member).size(); ++i) push_value(data, at[along] + i);
  };
  return column;
}

// The coordinate of the positions is the same in every file: it isn't saved by records.
inline Column position_scale(const char* group, TraceLevel level) {
  return row_numbers(group, "position", Dimension::kPosition, Dimension::kPosition, level,
                     "place on the canvas, from the left");
}

}  // namespace canvaslab
