#include "apps/session/small_table.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/run_defaults.hpp"
#include "base/text/text.hpp"
#include "model/training/linear_reference.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace troupe {

namespace {

using config::Node;

constexpr Step steps_of_small_table = 2000;
constexpr Epoch lines_of_log = 20;

bool is_default(const Node& tree, const config::Path& path) {
  const auto* node = config::get(tree, path);
  return node != nullptr && node->source() == config::default_source;
}

Node derived(const std::string& text) { return Node::scalar(text, "small table"); }

/// Hundreds of epochs that last a second in all would print hundreds of lines.
void print_less_often(RunConfig& config, Epoch every) {
  const auto printing
    = std::find_if(config.extensions.begin(), config.extensions.end(),
                   [](const ConfiguredExtension& each) { return each.name == "printing"; });
  if (printing == config.extensions.end())
    return;
  auto& section = *config.tree.find("extensions")->find("printing");
  const auto& triggers = trigger_names();
  if (std::any_of(triggers.begin(), triggers.end(),
                  [&section](const auto& name) { return section.find(name) != nullptr; }))
    return;
  printing->conditions.set_trigger("after_epoch", Value{false});
  printing->conditions.set_trigger("every_n_epochs", Value{static_cast<std::int64_t>(every)});
  section.put("after_epoch", derived("false"));
  section.put("every_n_epochs", derived(std::to_string(every)));
}

} // namespace

std::string lengthen_for_small_table(RunConfig& config, const Problem& problem) {
  auto& training = config.training;
  if (config.trainer || training.batches > 0 || training.batch_size < 1
      || !is_default(config.tree, {"training", "epochs"}) || !is_table(problem.spec())
      || makes_examples(*config.tree.find("problem")))
    return "";
  const auto examples = static_cast<std::uint64_t>(problem.size(Section::train));
  const auto batch = static_cast<std::uint64_t>(training.batch_size);
  const auto steps = std::max<Step>(1, examples / batch + (examples % batch > 0 ? 1 : 0));
  const auto every = (steps_of_small_table + steps * lines_of_log - 1) / (steps * lines_of_log);
  const auto epochs = every * lines_of_log;
  if (every < 2)
    return "";
  const auto before = training.epochs;
  training.epochs = epochs;
  config::set(config.tree, {"training", "epochs"}, derived(std::to_string(epochs)));
  print_less_often(config, every);
  return "training.epochs is " + std::to_string(epochs) + " instead of " + std::to_string(before)
         + ", so that a table of " + quantity(examples, "row") + " makes "
         + std::to_string(epochs * steps) + " steps; set it to choose otherwise";
}

std::string hint_of_linear(const RunConfig& config, const Problem& problem, Section section,
                           const std::string& metric, double value) {
  constexpr double clear = 0.03;
  const auto linear = linear_reference(problem, section);
  // In a small section one or two examples are within chance.
  const auto margin = std::max(clear, 2 / static_cast<double>(problem.size(section)));
  if (!linear || linear->metric != metric || !(value < linear->value - margin))
    return "";
  std::array<char, 160> numbers{};
  std::snprintf(numbers.data(), numbers.size(), "has %s %s %.4f, better than this model's %.4f",
                to_string(section).c_str(), metric.c_str(), linear->value, value);
  const auto is_linear = config::text_at(config.tree, {"model", "name"}) == "linear";
  return std::string{"hint: a linear model, fitted to the same rows by least squares, "}
         + numbers.data() + "; try "
         + (is_linear ? "a larger optimizer.learning_rate, like 0.01, or more training.epochs"
                      : "model.name=linear, another training.epochs, or early stopping: "
                        "extensions.early_stopping.epochs=50");
}

} // namespace troupe
