#include "apps/grid/plan.hpp"

#include "apps/config/files.hpp"
#include "apps/config/print.hpp"
#include "base/hash_text.hpp"
#include "base/text/text.hpp"
#include "model/tensor/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace troupe {

namespace {

using config::Node;
using GridPoint = std::vector<Node>;

constexpr std::size_t most_trials = 100'000; // of all tasks together: each holds its values
constexpr RunNumber most_runs = 10'000'000;

/// Merges settings on top of others. @throws ConfigError
void lay_over(Node& under, const Node& over) {
  if (const auto errors = config::merge(under, over); !errors.empty())
    throw ConfigError(errors);
}

/// Adds the defaults of a grid's runs: without output, since no one reads their lines, and without
/// checkpoints at each epoch, since a run of a few milliseconds must not wait for disks and its
/// last state is saved anyway.
void add_grid_defaults(Node& settings) {
  constexpr auto source = "default of grids";
  for (const auto* name : {"printing", "progress_bar"})
    if (config::get(settings, {"extensions", name}) == nullptr)
      config::set(settings, {"extensions", name}, Node::scalar("false", source));
  if (config::get(settings, {"extensions", "checkpoint"}) == nullptr) {
    auto checkpoint = Node::map(source);
    for (const auto* trigger : {"after_epoch", "after_training"})
      checkpoint.put(trigger, Node::scalar("false", source));
    checkpoint.put("every_n_seconds", Node::scalar("10", source));
    config::set(settings, {"extensions", "checkpoint"}, std::move(checkpoint));
  }
}

/// Checks the number of trials before they are created. @param points of each task
void check_trials(std::size_t points, std::size_t tasks) {
  if (points > most_trials / std::max<std::size_t>(tasks, 1))
    throw ConfigError("the grid has more than " + std::to_string(most_trials)
                      + " trials; give fewer values, or search: random and trials: 100");
}

std::vector<GridPoint> product_of(const std::vector<GridAxis>& axes) {
  std::vector<GridPoint> points{{}};
  for (const auto& axis : axes) {
    std::vector<GridPoint> longer;
    check_trials(points.size() * axis.values.size(), 1);
    for (const auto& point : points)
      for (const auto& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

/// @param u position in the axis, in [0, 1)
Node value_at(const GridAxis& axis, double u) {
  if (!axis.values.empty())
    return axis.values[static_cast<std::size_t>(u * static_cast<double>(axis.values.size()))];
  // A range of integers includes `to`, with the same probability as the others.
  const auto to = axis.whole ? axis.to + 1 : axis.to;
  const auto x = axis.logarithmic ? axis.from * std::exp(u * std::log(to / axis.from))
                                  : axis.from + u * (to - axis.from);
  return axis.whole ? Node::scalar(std::to_string(std::llround(std::floor(x))), axis.source)
                    : Node::scalar(shortest(x), axis.source);
}

std::vector<GridPoint> drawn_from(const std::vector<GridAxis>& axes, bool even,
                                  std::uint32_t trials, RandomKey key) {
  std::vector<GridPoint> points(trials);
  for (const auto& axis : axes) {
    const auto axis_key = key.derive(config::to_string(axis.path));
    const Permutation parts{static_cast<Index>(trials), axis_key.derive("parts")};
    for (std::uint32_t i = 0; i < trials; ++i) {
      auto u = Random{axis_key, i}.uniform();
      if (even)
        u = (static_cast<double>(parts(i)) + u) / trials;
      points[i].push_back(value_at(axis, u));
    }
  }
  return points;
}

} // namespace

std::vector<std::vector<Node>> points_of(const std::vector<GridAxis>& axes, GridSearch search,
                                         std::uint32_t trials, std::uint64_t seed) {
  if (search == GridSearch::product)
    return product_of(axes);
  check_trials(trials, 1);
  return drawn_from(axes, search == GridSearch::latin_hypercube, trials,
                    RandomKey{seed}.derive("search"));
}

GridPlan::GridPlan(GridOptions options, std::uint64_t seed)
  : options_(std::move(options)),
    seed_(options_.settings.seed >= 0 ? static_cast<std::uint64_t>(options_.settings.seed) : seed) {
  for (const auto& task : options_.tasks) {
    auto settings = config::read_files(task.configs);
    lay_over(settings, options_.overwrite);
    lay_over(settings, task.overwrite);
    add_grid_defaults(settings);
    tasks_.push_back(std::move(settings));
  }
  const auto points
    = points_of(options_.axes, options_.settings.search, options_.settings.trials, seed_);
  check_trials(points.size(), tasks_.size());
  for (std::size_t task = 0; task < tasks_.size(); ++task)
    for (const auto& point : points)
      trials_.push_back({task, point});
  if (runs() > most_runs)
    throw ConfigError("the grid has " + std::to_string(runs()) + " runs, more than "
                      + std::to_string(most_runs) + "; give fewer repetitions");
  if (!options_.settings.halving.rungs.empty())
    check_rungs();
}

std::uint32_t GridPlan::repetition_of(RunNumber run) const {
  return static_cast<std::uint32_t>((run - 1) / trials_.size()) + 1;
}

Node GridPlan::settings_of_trial(const GridTrial& trial) const {
  auto settings = tasks_[trial.task];
  for (std::size_t a = 0; a < options_.axes.size(); ++a)
    config::set(settings, options_.axes[a].path, trial.values[a]);
  return settings;
}

RungUnit GridPlan::unit_of_trial(const GridTrial& trial) const {
  const config::Path trainer{"trainer"};
  for (std::size_t a = 0; a < options_.axes.size(); ++a)
    if (options_.axes[a].path == trainer) {
      auto settings = Node::map();
      settings.put(trainer.front(), trial.values[a]);
      return rung_unit(settings);
    }
  return rung_unit(tasks_[trial.task]);
}

void GridPlan::check_rungs() const {
  const auto unit = unit_of_trial(trials_.front());
  for (std::size_t i = 1; i < trials_.size(); ++i)
    if (const auto other = unit_of_trial(trials_[i]); other != unit)
      throw ConfigError(
        "halving.rungs counts " + to_string(unit) + " in trial 1 and " + to_string(other)
        + " in trial " + std::to_string(i + 1)
        + ", because online training counts episodes; give all trials the same kind of trainer");
}

Node GridPlan::settings_of(RunNumber run) const {
  auto settings = settings_of_trial(trials_[trial_of(run)]);
  const auto repetition = repetition_of(run);
  const config::Path path{"training", "seed"};
  const auto* own = config::get(settings, path);
  const auto first
    = own != nullptr && own->is_scalar() ? std::strtoll(own->text().c_str(), nullptr, 10) : -1;
  const auto seed = first >= 0
                      ? static_cast<std::uint64_t>(first) + repetition - 1
                      : RandomKey{seed_}.derive("repetition").derive(repetition).value & 0x7FFFFFFF;
  if (own == nullptr || repetition > 1 || first < 0)
    config::set(settings, path,
                Node::scalar(std::to_string(seed),
                             "repetition " + std::to_string(repetition) + " of the grid"));
  return settings;
}

std::filesystem::path GridPlan::folder_of(RunNumber run) const {
  return std::filesystem::path{options_.settings.folder}
         / fmt::format("trial-{:04}-rep-{}", trial_of(run) + 1, repetition_of(run));
}

std::string GridPlan::fingerprint() const {
  std::string all = std::to_string(seed_) + "\n";
  for (const auto& task : tasks_)
    all += config::to_yaml(task) + "---\n";
  for (const auto& axis : options_.axes)
    all += config::to_string(axis.path) + "\n";
  for (const auto& trial : trials_) {
    all += std::to_string(trial.task);
    for (const auto& value : trial.values)
      all += " " + config::to_yaml(value);
    all += "\n";
  }
  return hash_text(std::as_bytes(std::span{all}));
}

GridQueueOptions queue_options(const GridPlan& plan) {
  const auto& settings = plan.options().settings;
  GridQueueOptions options;
  options.runs = plan.runs();
  options.retries = settings.retries;
  options.stop_on_failure = settings.stop_on_failure;
  if (!settings.halving.rungs.empty())
    options.rungs = static_cast<std::uint32_t>(settings.halving.rungs.size());
  options.factor = settings.halving.factor;
  options.choose = settings.choose;
  return options;
}

} // namespace troupe
