#include "apps/catalog/record_checks.hpp"

#include "base/text/nearest_name.hpp"
#include "extensions/support/extension_kind.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "model/training/batch_statistics.hpp"
#include "model/training/evaluation_pass.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace troupe {

namespace {

/// Records written by the trainer and by remote control.
constexpr std::initializer_list<const char*> own_records{"training_finish_requested", "control",
                                                         "control_by"};

bool is_covered(const std::string& record, const std::string& name) {
  return name.ends_with('*') ? record.starts_with(name.substr(0, name.size() - 1)) : record == name;
}

Section section_of(const MeasuredMetrics& measured) {
  for (const auto section : {Section::train, Section::test})
    if (measured.section == to_string(section))
      return section;
  return Section::validation;
}

/// The metrics of one example with all parameters 0: names do not depend on values. If an example
/// cannot be measured, any name ("*"): training will report that.
std::vector<std::string> metrics_of(const std::shared_ptr<const Problem>& problem,
                                    const Model& model) try {
  std::vector<std::string> names;
  EvaluationPass pass{
    problem, std::shared_ptr<Model>{model.clone()}, Block{model.layout().size()}, Section::train, 1,
    1};
  if (!pass.done())
    pass.step();
  for (const auto& [name, value] : pass.metrics().values())
    names.push_back(name);
  return names;
} catch (const std::exception&) {
  return {"*"};
}

/// "val_acc" without abbreviations: "validation_accuracy".
std::string without_abbreviations(const std::string& record) {
  static const std::map<std::string, std::string> meanings{{"val", "validation"},
                                                           {"valid", "validation"},
                                                           {"eval", "validation"},
                                                           {"train", "training"},
                                                           {"acc", "accuracy"}};
  std::string whole, part;
  for (std::size_t begin = 0; begin <= record.size();) {
    const auto end = std::min(record.find('_', begin), record.size());
    part = record.substr(begin, end - begin);
    const auto found = meanings.find(part);
    whole += (begin > 0 ? "_" : "") + (found == meanings.end() ? part : found->second);
    begin = end + 1;
  }
  return whole;
}

} // namespace

WrittenRecords::WrittenRecords(const std::vector<ConfiguredExtension>& extensions,
                               std::shared_ptr<const Problem> problem, const Model& model)
  : problem_(std::move(problem)),
    model_(model),
    names_(own_records.begin(), own_records.end()) {
  for (const auto* source : statistics_sources(*problem_, model))
    for (const auto& statistic : source->statistics())
      names_.insert(names_.end(), {statistic.name, "training_" + statistic.name});
  for (const auto& extension : extensions)
    if (auto measured = hook_answer(extension, &RunHooks<>::measures)) {
      measured_.push_back(*std::move(measured));
    } else {
      const auto writes = place_of(extension).writes;
      names_.insert(names_.end(), writes.begin(), writes.end());
    }
}

void WrittenRecords::add_test() { measured_.push_back({.section = to_string(Section::test)}); }

bool WrittenRecords::has_examples(const MeasuredMetrics& measured) const {
  return problem_->size(section_of(measured)) > 0;
}

const std::vector<std::string>& WrittenRecords::metrics() {
  if (!metrics_)
    metrics_ = metrics_of(problem_, model_);
  return *metrics_;
}

std::vector<std::string> WrittenRecords::names_of(const MeasuredMetrics& measured) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& what) { names.push_back(measured.record(what)); };
  for (const auto& metric : metrics()) {
    add(metric);
    if (measured.spread)
      for (const auto* of_batches : {"_min", "_max", "_std"})
        add(metric + of_batches);
  }
  for (const auto* what : {"version", undefined_record})
    add(what);
  if (measured.spread)
    add("episodes_aggregated");
  return names;
}

std::string WrittenRecords::refusal(const std::string& waits, const std::string& record) {
  const auto covers = [&](const std::string& name) { return is_covered(record, name); };
  if (std::any_of(names_.begin(), names_.end(), covers))
    return "";
  std::string empty;
  std::vector<std::string> metrics;
  for (const auto& measured : measured_) {
    if (!has_examples(measured)) {
      if (record.starts_with(measured.start() + "_"))
        empty = measured.section;
      continue;
    }
    const auto names = names_of(measured);
    if (std::any_of(names.begin(), names.end(), covers))
      return "";
    metrics.insert(metrics.end(), names.begin(), names.end());
  }
  auto known = metrics;
  for (const auto& name : names_)
    if (!name.ends_with('*') && !name.starts_with('_') && !name.starts_with(record))
      known.push_back(name);
  metrics.emplace_back("training_loss");
  const auto text = waits + " waits for the record '" + record + "', which nothing writes";
  if (!empty.empty())
    return text + ": the problem has no " + empty + " examples to measure it on; give it some";
  const auto whole = without_abbreviations(record);
  return text + suggestion(whole, known, "measured records are " + joined(metrics));
}

void check_records(const std::vector<ConfiguredExtension>& extensions,
                   const std::shared_ptr<const Problem>& problem, const Model& model,
                   Sentences& errors) {
  WrittenRecords written{extensions, problem, model};
  for (const auto& extension : extensions)
    for (const auto& record : place_of(extension).needs)
      if (auto refused = written.refusal("extensions." + extension.name, record); !refused.empty())
        errors.push_back(std::move(refused));
}

} // namespace troupe
