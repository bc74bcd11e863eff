#include "apps/grid/grid_description.hpp"

#include "apps/config/print.hpp"
#include "base/files/durable_file.hpp"

#include <nlohmann/json.hpp>

namespace troupe {

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
              {"better", settings.choose == Choose::max ? "max" : "min"},
              {"unit", to_string(unit)},
              {"axes", std::move(axes)},
              {"rungs", settings.halving.rungs},
              {"repetitions", settings.repetitions},
              {"trials", std::move(trials)}}
           .dump(1, ' ', false, Json::error_handler_t::replace)
         + "\n";
}

void write_grid_description(const GridPlan& plan) {
  write_file(std::filesystem::path{plan.options().settings.folder} / "grid.json",
             grid_description(plan));
}

} // namespace troupe
