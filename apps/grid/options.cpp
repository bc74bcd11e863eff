#include "apps/grid/options.hpp"

#include "apps/config/overrides.hpp"
#include "apps/config/yaml.hpp"
#include "apps/folder/run_folder.hpp"
#include "base/config/decode.hpp"
#include "base/config/unknown_key.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

using config::Node;

/// The sections of a grid's file besides GridSettings.
const std::vector<std::string> grid_parts{"tasks", "grid_overwrite", "grid"};

constexpr double most_whole = 0x1p53;

/// A range of an axis, as in the file.
struct AxisRange {
  double from = 0, to = 0;
  std::string scale = "linear";
  bool whole = false;
  TROUPE_FIELDS(from, to, scale, whole);
};

Node take_map(Node& tree, const std::string& key, const std::string& path, Sentences& errors) {
  const auto* found = tree.find(key);
  auto part = found == nullptr || found->is_null() ? Node::map() : *found;
  tree.erase(key);
  if (part.is_map())
    return part;
  errors.push_back(path + " (" + part.source() + ") must be a map of settings");
  return Node::map();
}

/// @param folder of the grid's file, which paths are relative to
GridTask read_task(Node node, const std::string& path, const std::filesystem::path& folder,
                   Sentences& errors) {
  GridTask task;
  if (!node.is_map()) {
    errors.push_back(path + " (" + node.source()
                     + ") must be a map with `configs`, `overwrite` or both");
    return task;
  }
  const auto before = errors.size();
  config::detail::check_keys(node, path, {"configs", "overwrite"}, errors);
  task.overwrite = take_map(node, "overwrite", path + ".overwrite", errors);
  std::vector<std::filesystem::path> configs;
  if (const auto* files = node.find("configs"))
    config::detail::read(*files, configs, path + ".configs", errors);
  for (const auto& config : configs)
    task.configs.push_back(folder / config);
  if (errors.size() == before && task.configs.empty() && task.overwrite.entries().empty())
    errors.push_back(path + " (" + node.source()
                     + ") has neither configuration files nor settings; give it `configs: "
                       "[run.yaml]`, or `overwrite: {model: {hidden: [64]}}`");
  return task;
}

void read_tasks(Node& tree, const std::string& name, GridOptions& options, Sentences& errors) {
  const auto* tasks = tree.find("tasks");
  if (tasks == nullptr || !tasks->is_list() || tasks->items().empty())
    errors.push_back(name
                     + " has no list of tasks; give it one, like `tasks: [{configs: [run.yaml]}]`");
  else
    for (const auto& task : tasks->items())
      options.tasks.push_back(read_task(task, "tasks[" + std::to_string(options.tasks.size()) + "]",
                                        std::filesystem::path{name}.parent_path(), errors));
  tree.erase("tasks");
}

void read_range(const Node& node, const std::string& path, GridAxis& axis, Sentences& errors) {
  AxisRange range;
  const auto before = errors.size();
  for (auto& error : config::decode(node, range, path))
    errors.push_back(std::move(error));
  axis.from = range.from;
  axis.to = range.to;
  axis.whole = range.whole;
  axis.logarithmic = range.scale == "log";
  if (errors.size() > before)
    return;
  const auto wrong
    = [&](const std::string& what) { errors.push_back(path + " (" + node.source() + ") " + what); };
  if (range.scale != "log" && range.scale != "linear")
    wrong("has the scale '" + range.scale + "'; give linear or log");
  else if (!std::isfinite(range.from) || !std::isfinite(range.to) || !(range.from < range.to))
    wrong("is not a range; give it finite numbers, `from` below `to`");
  else if (!std::isfinite(range.to - range.from))
    wrong("is too wide for a number; bring `from` and `to` nearer to 0");
  else if (axis.whole && (std::abs(range.from) > most_whole || std::abs(range.to) > most_whole))
    wrong("has whole numbers beyond 2^53, where not all of them can be represented");
  else if (axis.logarithmic && !(range.from > 0))
    wrong("is logarithmic, but does not start above 0");
}

GridAxis read_axis(const std::string& key, const Node& node, GridSearch search, Sentences& errors) {
  GridAxis axis;
  axis.path = config::parse_path(key);
  axis.source = node.source();
  axis.values = node.items();
  const auto path = "grid." + key;
  if (node.is_map()) {
    read_range(node, path, axis, errors);
    if (search == GridSearch::product)
      errors.push_back(path + " (" + node.source()
                       + ") is a range, which search: product cannot combine; give a list, or "
                         "search: random and trials");
  } else if (!node.is_list() || node.items().empty()) {
    errors.push_back(path + " (" + node.source()
                     + ") must be a list of values, or a range like {from: 0.001, to: 1, scale: "
                       "log}");
  }
  return axis;
}

void check_halving(const HalvingOptions& halving, Sentences& errors) {
  if (halving.factor < 2)
    errors.push_back("halving.factor is " + std::to_string(halving.factor)
                     + "; give at least 2, like 3");
  Epoch before = 0;
  for (const auto rung : halving.rungs) {
    if (rung <= before)
      errors.push_back(
        "halving.rungs has " + std::to_string(rung) + " after " + std::to_string(before)
        + "; give increasing numbers of epochs (online training: of episodes) from 1");
    before = rung;
  }
}

void check_grid(const GridSettings& settings, Sentences& errors) {
  if (settings.repetitions < 1)
    errors.emplace_back("repetitions is 0; give at least 1");
  if (settings.seed < -1)
    errors.push_back("seed is " + std::to_string(settings.seed)
                     + "; give a number of 0 or more, or -1 to draw one");
  if (settings.search != GridSearch::product && settings.trials < 1)
    errors.push_back("search is " + to_string(settings.search)
                     + " without a number of trials; give one, like trials: 20");
  if (settings.search == GridSearch::product && settings.trials > 0)
    errors.emplace_back("trials is given, but search is product, which tries all values; omit it, "
                        "or give search: random");
  if (!settings.local && settings.listen.empty())
    errors.emplace_back("local is false, but no node can join, so no run could be trained; give an "
                        "address, like listen: 127.0.0.1:21000, or omit local");
  check_halving(settings.halving, errors);
}

/// Resolves `choose` from the name of the record.
void choose_by(GridSettings& settings, Sentences& errors) {
  try {
    settings.choose = chosen(settings.choose, settings.by);
  } catch (const std::invalid_argument& e) {
    errors.push_back("by: " + std::string{e.what()});
  }
}

} // namespace

GridOptions read_grid(const std::filesystem::path& file, const std::vector<std::string>& changes) {
  auto tree = config::read_yaml_file(file);
  auto whole = config::encode(GridSettings{});
  for (const auto& part : grid_parts)
    whole.put(part, Node{}); // so that an override can name it, or a similar name is suggested
  auto errors = config::merge(whole, tree);
  for (auto& error : config::apply_overrides(whole, changes))
    errors.push_back(std::move(error));
  if (!errors.empty())
    throw ConfigError(errors);
  return grid_options(std::move(whole), file.string());
}

GridOptions grid_options(Node tree, const std::string& name) {
  GridOptions options;
  Sentences errors;
  auto known = split_names(GridSettings::field_names);
  known.insert(known.end(), grid_parts.begin(), grid_parts.end());
  for (const auto& [key, value] : tree.entries())
    if (std::find(known.begin(), known.end(), key) == known.end())
      errors.push_back(config::unknown_key(key, "", value.source(), known));
  if (!errors.empty())
    throw ConfigError(errors);
  read_tasks(tree, name, options, errors);
  options.overwrite = take_map(tree, "grid_overwrite", "grid_overwrite", errors);
  const auto axes = take_map(tree, "grid", "grid", errors);
  for (auto& error : config::decode(tree, options.settings))
    errors.push_back(std::move(error));
  for (const auto& [key, values] : axes.entries())
    options.axes.push_back(read_axis(key, values, options.settings.search, errors));
  check_grid(options.settings, errors);
  choose_by(options.settings, errors);
  if (!errors.empty())
    throw ConfigError(errors);
  if (options.settings.folder.empty())
    options.settings.folder = "grids/" + as_file_name(std::filesystem::path{name}.stem().string());
  return options;
}

} // namespace troupe
