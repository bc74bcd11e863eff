#include "model/training/samples_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace troupe {

namespace {

constexpr Index numbers_shown = 64; // of a field

std::string short_number(float x) { return fmt::format("{:.4g}", static_cast<double>(x)); }

std::string name_of_class(Index number, const std::vector<std::string>& names) {
  if (number < 0)
    return "-"; // masked
  return number < static_cast<Index>(names.size()) ? names[static_cast<std::size_t>(number)]
                                                   : std::to_string(number);
}

/// "  name: a b c ...", the given number of values from `first` on, formatted by `write`.
template <class Values, class Write>
std::string field_line(const std::string& name, const Values& values, Index first, Index count,
                       Write write) {
  auto line = "  " + name + ":";
  for (Index i = first; i < first + std::min(count, numbers_shown); ++i)
    line += " " + write(values[static_cast<std::size_t>(i)]);
  return line + (count > numbers_shown ? " ...\n" : "\n");
}

} // namespace

std::vector<Index> predicted_classes(std::span<const float> prediction, Index classes) {
  std::vector<Index> found;
  const auto width = static_cast<std::size_t>(classes);
  for (auto rest = prediction; rest.size() >= width; rest = rest.subspan(width)) {
    const auto place = rest.first(width);
    found.push_back(std::max_element(place.begin(), place.end()) - place.begin());
  }
  return found;
}

std::string samples_text(const Problem& problem, Model& model, std::span<const float> parameters,
                         Section section, Index examples) {
  std::vector<Index> rows(static_cast<std::size_t>(std::min(examples, problem.size(section))));
  if (rows.empty())
    return "the " + to_string(section) + " section of " + problem.name() + " has no examples\n";
  std::iota(rows.begin(), rows.end(), Index{0});
  Batch batch;
  problem.gather(section, rows, batch);
  const auto prediction = model.forward(parameters, batch);
  const auto& spec = problem.spec();
  const auto names = problem.class_names();
  const auto by_name = [&names](auto number) { return name_of_class(number, names); };
  const auto classes = spec.targets.empty() ? Index{0} : spec.targets[0].classes;
  const auto answers = classes > 0 ? predicted_classes(prediction, classes) : std::vector<Index>{};
  const auto per_example
    = [&](const auto& values) { return static_cast<Index>(values.size()) / batch.size; };
  std::string text;
  for (Index i = 0; i < batch.size; ++i) {
    text += "example " + std::to_string(i) + "\n";
    const auto add = [&](const std::vector<FieldSpec>& fields, const auto& held) {
      for (std::size_t f = 0; f < fields.size() && f < held.size(); ++f) {
        const auto width = fields[f].width();
        text += held[f].classes.empty()
                  ? field_line(fields[f].name, held[f].values, i * width, width, short_number)
                  : field_line(fields[f].name, held[f].classes, i * width, width, by_name);
      }
    };
    add(spec.inputs, batch.inputs);
    add(spec.targets, batch.targets);
    text += classes > 0 ? field_line("predicted", answers, i * per_example(answers),
                                     per_example(answers), by_name)
                        : field_line("predicted", prediction, i * per_example(prediction),
                                     per_example(prediction), short_number);
  }
  return text;
}

} // namespace troupe
