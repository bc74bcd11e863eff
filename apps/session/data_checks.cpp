#include "apps/session/data_checks.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "base/failure.hpp"
#include "base/text/number_in.hpp"
#include "base/text/text.hpp"
#include "model/zoo/minimum_batch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace troupe {

namespace {

std::string class_called(const std::vector<std::string>& names, std::size_t number) {
  return number < names.size() ? names[number] : std::to_string(number);
}

/// "a 12, b 7 and 3 more": the first classes for which `wanted` is true.
template <class Wanted>
std::string some_classes(const Problem& problem, const TargetCounts& counts, bool with_counts,
                         Wanted wanted) {
  constexpr std::size_t most = 10;
  const auto names = problem.class_names();
  std::string text;
  std::size_t found = 0;
  for (std::size_t c = 0; c < counts.classes.size(); ++c)
    if (wanted(counts.classes[c]) && ++found <= most)
      text += (text.empty() ? "" : ", ") + class_called(names, c)
              + (with_counts ? " " + std::to_string(counts.classes[c]) : "");
  return found > most ? text + " and " + std::to_string(found - most) + " more" : text;
}

/// "" if the section has rows, or the configuration asks for none.
std::string empty_section(const RunConfig& config, const Problem& problem, Section section,
                          const std::string& purpose) {
  const auto key = to_string(section) + "_fraction";
  const auto text = config::text_at(config.tree, {"problem", key});
  const auto fraction = number_in<double>(text);
  if (problem.size(section) > 0 || !fraction || *fraction == 0)
    return "";
  return "hint: there is no row to " + purpose + ": problem." + key + " is " + text
         + ", which is 0 of so few rows; give a larger one, or more data";
}

std::string short_number(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}

std::string unit_text(double unit) {
  return unit == 1 ? "" : ", standardised: 1 is " + short_number(unit) + " in their own unit";
}

} // namespace

TargetCounts counts_to_train_on(const RunConfig& config, const Problem& problem) {
  return makes_examples(*config.tree.find("problem")) ? TargetCounts{}
                                                      : count_targets(problem, Section::train);
}

void check_targets_differ(const Problem& problem, const TargetCounts& counts) {
  if (counts.examples < 1)
    return;
  const auto of = "of problem '" + problem.name() + "' ";
  const auto all = std::to_string(counts.examples);
  if (!counts.classes.empty() && counts.different_classes() == 0)
    throw DataError(of + "no example to train on has a class; all are masked; give some a class");
  if (counts.different_classes() == 1)
    throw DataError(
      of + "all " + all + " examples to train on are of one class, "
      + some_classes(problem, counts, false, [](Index count) { return count > 0; })
      + ", so that nothing can be learned; give examples of other classes, or another target");
}

void check_last_batch(const TrainingOptions& training, Index examples, const Model& model,
                      WorkerId workers) {
  const auto layer = layer_needing_two_examples(model);
  if (layer.empty())
    return;
  const auto all = static_cast<Index>(workers);
  for (const auto size : {examples / all, (examples + all - 1) / all}) { // of the workers' shares
    const auto last = size % training.batch_size;
    if (training.batch_size > 1 && (last != 1 || (training.drop_last && size > 1)))
      continue;
    const auto alone = training.batch_size == 1 || size == 1;
    throw ConfigError(
      "layer " + layer + " needs at least two examples in a batch to tell their variance, but "
      + (alone ? "each batch has one" : "the last batch of each epoch has one")
      + " (training.batch_size " + std::to_string(training.batch_size) + ", " + std::to_string(size)
      + " examples" + (workers > 1 ? " for each of " + std::to_string(workers) + " workers" : "")
      + "); give "
      + (alone ? "a larger training.batch_size, and as many examples"
               : "training.drop_last=true, or another training.batch_size"));
  }
}

std::string data_remarks(const RunConfig& config, const Problem& problem,
                         const TargetCounts& counts, WorkerId workers) {
  Sentences lines;
  if (counts.examples > 0 && counts.different_classes() > 1) {
    const auto absent = static_cast<Index>(counts.classes.size()) - counts.different_classes();
    if (absent > 0)
      lines.push_back(
        std::to_string(absent) + " of " + std::to_string(counts.classes.size())
        + " classes have no example to train on: "
        + some_classes(problem, counts, false, [](Index count) { return count == 0; }));
  }
  if (counts.numbers > 1 && counts.least == counts.most)
    lines.push_back(
      "hint: all examples to train on have the same target, of which nothing can be learned");
  lines.push_back(empty_section(config, problem, Section::validation, "validate on"));
  lines.push_back(empty_section(config, problem, Section::test, "test on"));
  const auto share = problem.size(Section::train) / static_cast<Index>(workers);
  if (config.training.batch_size > share && share > 0)
    lines.push_back("training.batch_size is " + std::to_string(config.training.batch_size)
                    + ", more than the " + quantity(static_cast<std::uint64_t>(share), "example")
                    + (workers > 1 ? " of a worker" : "") + ": each epoch is one batch of them");
  std::string text;
  for (const auto& line : lines)
    text += line.empty() ? "" : "  " + line + "\n";
  return text;
}

std::string fields_text(const Problem& problem, const TargetCounts& counts) {
  std::string text;
  const auto add = [&text](const std::string& role, const FieldSpec& field) {
    text += "  " + role + " " + to_string(field)
            + (field.classes > 0
                 ? ", "
                     + quantity(static_cast<std::uint64_t>(field.classes),
                                field.type == ElementType::class_index ? "class" : "token",
                                field.type == ElementType::class_index ? "es" : "s")
                 : "")
            + (field.masked ? ", some masked" : "") + "\n";
  };
  for (const auto& field : problem.spec().inputs)
    add("input", field);
  for (const auto& field : problem.spec().targets)
    add("target", field);
  if (counts.different_classes() > 0)
    text += "  to train on: "
            + some_classes(problem, counts, true, [](Index count) { return count > 0; }) + "\n";
  if (counts.numbers > 0)
    text += "  to train on: targets from " + short_number(counts.least) + " to "
            + short_number(counts.most) + unit_text(problem.spec().targets[0].unit) + "\n";
  return text;
}

} // namespace troupe
