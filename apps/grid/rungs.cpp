#include "apps/grid/rungs.hpp"

#include "apps/catalog/trainer_rules.hpp"
#include "apps/config/tree.hpp"

namespace troupe {

std::string to_string(RungUnit unit) { return unit == RungUnit::episodes ? "episodes" : "epochs"; }

RungUnit rung_unit(const config::Node& settings) {
  return config::text_at(settings, {"trainer"}) == to_string(TrainerKind::online)
           ? RungUnit::episodes
           : RungUnit::epochs;
}

void end_at_rung(config::Node& settings, Epoch rung) {
  const auto limit = [&](const config::Path& path) {
    config::set(settings, path, config::Node::scalar(std::to_string(rung), "halving.rungs"));
  };
  if (!has_trainer(settings))
    limit({"training", "epochs"});
  else
    limit({"training", "terminal_conditions",
           rung_unit(settings) == RungUnit::episodes ? "episode_limit" : "epoch_limit"});
}

} // namespace troupe
