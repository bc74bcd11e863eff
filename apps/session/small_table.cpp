#include "apps/session/small_table.hpp"

#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/run_defaults.hpp"
#include "base/text/text.hpp"
#include "model/training/linear_reference.hpp"

#include <fmt/format.h>

#include <algorithm>

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
    = std::find_if(config.extensions.begin(), config.extensions.end(), prints_all_rows);
  if (printing == config.extensions.end())
    return;
  auto& section = *config.tree.find("extensions")->find(printing->name);
  const auto& triggers = trigger_names();
  if (std::any_of(triggers.begin(), triggers.end(),
                  [&section](const auto& name) { return section.find(name) != nullptr; }))
    return;
  printing->conditions.set_trigger("after_epoch", Value{false});
  printing->conditions.set_trigger("every_n_epochs", Value{static_cast<std::int64_t>(every)});
  section.put("after_epoch", derived("false"));
  section.put("every_n_epochs", derived(std::to_string(every)));
}

/// Rows show what was measured, not how long early stopping waits.
void hide_patience(RunConfig& config, const std::string& record) {
  const auto printing
    = std::find_if(config.extensions.begin(), config.extensions.end(),
                   [](const ConfiguredExtension& each) { return each.name == "printing"; });
  if (printing == config.extensions.end()
      || !is_default(config.tree, {"extensions", "printing", "hide"}))
    return;
  for (auto* options : {&printing->options, config.tree.find("extensions")->find("printing")})
    if (auto* hide = options->find("hide"))
      hide->append(derived(record + "*"));
}

/// A long run on few rows may learn them by heart: training ends when the validation section gains
/// nothing more, and the state that was best there is the one to test. Without such an end, one of
/// hundreds of states is the best on few rows by chance.
/// @returns after how many epochs without a gain training ends; 0: that stays as configured
Epoch stop_early(RunConfig& config, const Problem& problem) {
  const std::string name = "early_stopping";
  const auto has = [&config](const std::string& type) {
    return std::any_of(config.extensions.begin(), config.extensions.end(),
                       [&type](const ConfiguredExtension& each) { return each.type == type; });
  };
  auto& extensions = *config.tree.find("extensions");
  if (problem.size(Section::validation) < 1 || !has("stream_monitoring") || has(name)
      || extensions.find(name) != nullptr)
    return 0;
  const auto patience = std::max<Epoch>(1, config.training.epochs / 10);
  auto section = extension_defaults(name, config::default_source);
  section.put("epochs", derived(std::to_string(patience)));
  ConfiguredExtension extension;
  if (!read_extension(name, section, extension).empty())
    return 0;
  extensions.put(name, std::move(section));
  config.extensions.push_back(std::move(extension));
  hide_patience(config, "validation_loss_best_so_far");
  return patience;
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
  const auto patience = stop_early(config, problem);
  return "training.epochs is " + std::to_string(epochs) + " instead of " + std::to_string(before)
         + ", so that a table of " + quantity(examples, "row") + " makes "
         + std::to_string(epochs * steps) + " steps"
         + (patience > 0
              ? ", or until validation_loss has not fallen for " + quantity(patience, "epoch")
              : "")
         + "; set it to choose otherwise";
}

std::string hint_of_linear(const RunConfig& config, const Problem& problem, Section section,
                           const std::string& metric, double value) {
  constexpr double clear = 0.03;
  const auto linear = linear_reference(problem, section);
  // In a small section one or two examples are within chance.
  const auto margin = std::max(clear, 2 / static_cast<double>(problem.size(section)));
  if (!linear || linear->metric != metric || !(value < linear->value - margin))
    return "";
  const auto is_linear = config::text_at(config.tree, {"model", "name"}) == "linear";
  return fmt::format("hint: a linear model, fitted to the same rows by least squares, has {} {} "
                     "{:.4f}, better than this model's {:.4f}",
                     to_string(section), metric, linear->value, value)
         + "; try "
         + (is_linear ? "a larger optimizer.learning_rate, like 0.01, or more training.epochs"
                      : "model.name=linear, another training.epochs, or early stopping: "
                        "extensions.early_stopping.epochs=50");
}

} // namespace troupe
