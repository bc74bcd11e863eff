#include "apps/catalog/components.hpp"

#include "apps/folder/problem_file.hpp"
#include "base/config/decode.hpp"
#include "base/config/make_component.hpp"
#include "model/data/problem_kind.hpp"
#include "model/training/model_kind.hpp"

#include <utility>

namespace troupe {

namespace {

using config::Node;

template <class Kind>
Node defaults_of(const Registry<Kind>& kinds, const std::string& section, const std::string& name,
                 const std::string& source) {
  const auto options = find_component(kinds, section, name, source).defaults();
  auto node = Node::map();
  node.put("name", Node::scalar(name, config::default_source, true));
  for (const auto& entry : options.entries())
    node.put(entry.key, entry.value);
  return node;
}

struct OptimizerScales {
  std::vector<ParameterScale> scales;
  TROUPE_FIELDS(scales);
};

} // namespace

Node problem_defaults(const std::string& name, const std::string& source) {
  return defaults_of(problem_kinds(), "problem", name, source);
}
Node model_defaults(const std::string& name, const std::string& source) {
  auto defaults = defaults_of(model_kinds(), "model", name, source);
  defaults.put("load", Node::scalar("", config::default_source, true));
  return defaults;
}
Node optimizer_defaults(const std::string& name, const std::string& source) {
  auto defaults = defaults_of(optimizer_kinds(), "optimizer", name, source);
  defaults.put("scales", Node::list());
  return defaults;
}

std::shared_ptr<const Problem> make_problem(const Node& section, const std::string& fit,
                                            const ChooseTrainingRows& choose) {
  auto problem = make_component(problem_kinds(), "problem", section, fit, choose);
  if (!fit.empty())
    check_fit(fit, *problem);
  return problem;
}
bool makes_examples(const Node& section) {
  return kind_named_by(problem_kinds(), "problem", section).makes_examples;
}
std::unique_ptr<Model> make_model(const Node& section, const DataSpec& data) {
  auto model = section;
  for (const auto* key : {"load", "save_intermediate"}) // about the model's files
    model.erase(key);
  return make_component(model_kinds(), "model", model, data);
}
OptimizerFactory make_optimizer_factory(const Node& section) {
  auto optimizer = section;
  optimizer.erase("scales");
  return make_component(optimizer_kinds(), "optimizer", optimizer);
}
std::vector<ParameterScale> optimizer_scales(const Node& section) {
  OptimizerScales options;
  auto only = Node::map(section.source());
  if (const auto* scales = section.find("scales"))
    only.put("scales", *scales);
  if (auto errors = config::decode(only, options, "optimizer"); !errors.empty())
    throw ConfigError(errors);
  return options.scales;
}

std::vector<std::string> problem_names() { return problem_kinds().names(); }
std::vector<std::string> model_names() { return model_kinds().names(); }
std::vector<std::string> optimizer_names() { return optimizer_kinds().names(); }

Section section_from(const std::string& text) {
  Section section{};
  if (from_text(text, section))
    return section;
  throw UsageError("there is no section '" + text + "'; give train, validation or test");
}

} // namespace troupe
