#include "apps/grid/grid_description.hpp"

#include "apps/config/print.hpp"
#include "base/files/durable_file.hpp"

#include <nlohmann/json.hpp>

#include <fstream>

namespace troupe {

namespace {

std::string better_of(const GridSettings& settings) {
  return settings.choose == Choose::max ? "max" : "min";
}

} // namespace

std::string grid_description(const GridPlan& plan) {
  using Json = nlohmann::ordered_json;
  const auto& settings = plan.options().settings;
  auto axes = Json::array();
  for (const auto& axis : plan.options().axes)
    axes.push_back(config::to_string(axis.path));
  auto trials = Json::array();
  for (const auto& trial : plan.trials()) {
    auto values = Json::array();
    for (const auto& value : trial.values)
      values.push_back(config::setting_text(value));
    trials.push_back({{"task", trial.task + 1}, {"values", std::move(values)}});
  }
  const auto unit = plan.trials().empty() ? RungUnit::epochs : rung_unit(plan.settings_of(1));
  return Json{{"by", settings.by},
              {"better", better_of(settings)},
              {"unit", to_string(unit)},
              {"axes", std::move(axes)},
              {"rungs", settings.halving.rungs},
              {"repetitions", settings.repetitions},
              {"trials", std::move(trials)}}
           .dump(1, ' ', false, Json::error_handler_t::replace)
         + "\n";
}

void check_same_score(const GridPlan& plan) {
  const auto& settings = plan.options().settings;
  std::ifstream file{std::filesystem::path{settings.folder} / "grid.json"};
  const auto before = nlohmann::json::parse(file, nullptr, false);
  if (settings.halving.rungs.empty() || !before.is_object())
    return;
  const auto by = before.value("by", settings.by);
  const auto better = before.value("better", better_of(settings));
  if (by != settings.by || better != better_of(settings))
    throw ConfigError("the folder '" + settings.folder + "' has trials that were compared by " + by
                      + " (" + better + "), and halving would choose among them by " + settings.by
                      + " (" + better_of(settings)
                      + "); give the new grid another folder, like folder=grids/two");
}

void write_grid_description(const GridPlan& plan) {
  write_file(std::filesystem::path{plan.options().settings.folder} / "grid.json",
             grid_description(plan));
}

} // namespace troupe
