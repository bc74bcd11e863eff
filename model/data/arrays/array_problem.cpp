#include "model/data/arrays/array_problem.hpp"

#include "base/failure.hpp"
#include "base/handed_over.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/row_copies.hpp"
#include "model/data/split.hpp"
#include "model/formats/data_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

using FitJson = nlohmann::ordered_json;

/// "inputs, row 7, place 2": from 0, as NumPy counts.
std::string place_of_number(const FieldSpec& field, Index row, Index place) {
  return field.name + ", row " + std::to_string(row)
         + (field.width() > 1 ? ", place " + std::to_string(place) : "");
}

bool is_wrong(const FieldSpec&, float number) { return !std::isfinite(number); }
bool is_wrong(const FieldSpec& field, std::int32_t number) {
  return number >= field.classes || number < (field.masked ? masked_class : 0);
}

std::string wrong_number(const FieldSpec&, float number) {
  return ": found " + std::to_string(number)
         + ", expected a finite number; correct it, or leave the row out";
}
std::string wrong_number(const FieldSpec& field, std::int32_t number) {
  return ": found class " + std::to_string(number) + ", expected 0 to "
         + std::to_string(field.classes - 1) + (field.masked ? ", or -1 where masked" : "")
         + "; number the classes from 0, or give their number";
}

/// Checks the rows of a field, and appends them to a checksum.
template <class Number>
void check_rows(const FieldSpec& field, const Number* numbers, const std::vector<Index>& rows,
                std::string& sum) {
  const auto width = field.width();
  for (std::size_t i = 0; i < rows.size();) {
    auto last = i + 1; // rows that follow each other are one piece
    while (last < rows.size() && rows[last] == rows[last - 1] + 1)
      ++last;
    const std::span piece{numbers + rows[i] * width, static_cast<std::size_t>(width) * (last - i)};
    const auto wrong = std::find_if(piece.begin(), piece.end(),
                                    [&field](Number number) { return is_wrong(field, number); });
    if (wrong != piece.end()) {
      const auto at = static_cast<Index>(wrong - piece.begin());
      throw DataError(place_of_number(field, rows[i] + at / width, at % width)
                      + wrong_number(field, *wrong));
    }
    sum = checksum(std::as_bytes(piece), sum);
    i = last;
  }
}

void check_fields(const std::vector<FieldSpec>& fields, const std::vector<ArrayView>& views,
                  const std::vector<Index>& rows, std::string& sum) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].type == ElementType::class_index)
      check_rows(fields[i], views[i].classes, rows, sum);
    else
      check_rows(fields[i], views[i].values, rows, sum);
}

void gather_fields(const std::vector<FieldSpec>& fields, const std::vector<ArrayView>& views,
                   const std::vector<Index>& of_section, std::span<const Index> rows,
                   std::vector<BasicBatchField<float>>& batch) {
  const auto row_at = [&](std::size_t i) { return row_of_file(of_section, rows[i]); };
  const auto copy = [&](const auto* from, auto* to, Index width) {
    copy_each_row(from, width, rows.size(), row_at,
                  [&](std::size_t, const auto* row) { to = std::copy_n(row, width, to); });
  };
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].type == ElementType::class_index)
      copy(views[i].classes, batch[i].classes.data(), fields[i].width());
    else
      copy(views[i].values, batch[i].values.data(), fields[i].width());
}

FitJson fields_json(const std::vector<FieldSpec>& fields) {
  auto list = FitJson::array();
  for (const auto& field : fields) {
    list.push_back({{"name", field.name},
                    {"type", to_string(field.type)},
                    {"shape", field.shape},
                    {"classes", field.classes},
                    {"masked", field.masked}});
    if (field.unit != 1)
      list.back()["unit"] = field.unit;
  }
  return list;
}

std::vector<FieldSpec> fields_of(const FitJson& list) {
  std::vector<FieldSpec> fields;
  for (const auto& json : list) {
    FieldSpec field;
    json.at("name").get_to(field.name);
    if (!from_text(json.at("type").get<std::string>(), field.type))
      throw DataError("the fit of the run's arrays has a type that is none; restore its "
                      "problem.json");
    json.at("shape").get_to(field.shape);
    json.at("classes").get_to(field.classes);
    json.at("masked").get_to(field.masked);
    field.unit = json.value("unit", field.unit);
    fields.push_back(std::move(field));
  }
  return fields;
}

} // namespace

ArrayProblem::ArrayProblem(DataSpec spec, Sections sections, std::shared_ptr<const void> owner)
  : spec_(std::move(spec)),
    sections_(std::move(sections)),
    owner_(std::move(owner)),
    data_("00000000") {
  for (const auto& section : sections_) {
    check_fields(spec_.inputs, section.inputs, section.rows, data_);
    check_fields(spec_.targets, section.targets, section.rows, data_);
  }
}

std::string fields_text(const DataSpec& data) {
  return FitJson{{"inputs", fields_json(data.inputs)}, {"targets", fields_json(data.targets)}}
    .dump();
}

DataSpec array_fields(const std::string& fit) try {
  const auto json = FitJson::parse(fit);
  return {fields_of(json.at("inputs")), fields_of(json.at("targets")), 0};
} catch (const nlohmann::json::exception& e) {
  throw DataError(std::string{"the fit of the run's arrays cannot be read: "} + e.what()
                  + "; restore its problem.json");
}

Index ArrayProblem::size(Section section) const {
  return static_cast<Index>(sections_[static_cast<std::size_t>(section)].rows.size());
}

std::string ArrayProblem::fit() const {
  const FitJson json{{"problem", name()},
                     {"data", data_},
                     {"inputs", fields_json(spec_.inputs)},
                     {"targets", fields_json(spec_.targets)}};
  return json.dump(2) + "\n";
}

std::vector<std::string> ArrayProblem::reading_notes() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < spec_.targets.size(); ++i) {
    if (!spec_.targets[i].masked)
      continue;
    const auto width = static_cast<std::size_t>(spec_.targets[i].width());
    std::size_t masked = 0, all = 0;
    for (const auto& section : sections_)
      for (const auto row : section.rows) {
        const auto* const first = section.targets[i].classes + row * static_cast<Index>(width);
        masked += static_cast<std::size_t>(std::count(first, first + width, masked_class));
        all += width;
      }
    if (masked > 0)
      lines.push_back(std::to_string(masked) + " of " + std::to_string(all)
                      + " targets are -1 and do not count");
  }
  return lines;
}

void ArrayProblem::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& arrays = sections_[static_cast<std::size_t>(section)];
  resize(batch, spec_, static_cast<Index>(rows.size()));
  gather_fields(spec_.inputs, arrays.inputs, arrays.rows, rows, batch.inputs);
  gather_fields(spec_.targets, arrays.targets, arrays.rows, rows, batch.targets);
}

namespace {

HandedOver<const ArrayProblem>& handed_problems() {
  static HandedOver<const ArrayProblem> problems;
  return problems;
}

/// That a model which was fitted to other arrays can read these.
void check_same_fields(const std::string& fit, const ArrayProblem& problem) {
  const auto before = array_fields(fit);
  if (before.inputs == problem.spec().inputs && before.targets == problem.spec().targets)
    return;
  throw DataError("the arrays have other fields than those that the run was trained on: "
                  + FitJson::parse(problem.fit()).at("inputs").dump() + " with targets "
                  + FitJson::parse(problem.fit()).at("targets").dump() + ", expected "
                  + FitJson::parse(fit).at("inputs").dump() + " with targets "
                  + FitJson::parse(fit).at("targets").dump()
                  + "; give arrays of the same shapes and types, and the same number of classes");
}

struct ArraysOptions {
  std::string handle = {}; ///< of arrays that this process has handed over
  TROUPE_FIELDS(handle);
};

std::shared_ptr<const Problem> handed_problem(const ArraysOptions& options,
                                              const std::string& fit) {
  const auto problem = handed_problems().find(options.handle);
  if (problem && !fit.empty())
    check_same_fields(fit, *problem);
  if (problem)
    return problem;
  throw std::invalid_argument(
    "the arrays are in the memory of the program that hands them over, like Problem.from_arrays in "
    "Python; save them with numpy.save, and use problem.name=npy here");
}

ProblemKind arrays_kind_of() {
  ProblemKind kind;
  kind.name = "arrays";
  kind.defaults = [] { return config::encode(ArraysOptions{}); };
  kind.make = [](const config::Node& section, const std::string& path, const std::string& fit,
                 const ChooseTrainingRows&) {
    return handed_problem(options_of<ArraysOptions>(section, path), fit);
  };
  return kind;
}

const RegisterProblem arrays_kind{arrays_kind_of()};

} // namespace

std::string hand_over(const std::shared_ptr<const ArrayProblem>& problem) {
  return handed_problems().add(problem);
}

} // namespace troupe
