#include "extensions/monitoring/norms.hpp"

#include "extensions/support/extension_kind.hpp"
#include "extensions/support/record_maker.hpp"
#include "model/optimizers/clipping.hpp"

#include <cmath>
#include <optional>

namespace troupe {

Conditions norms_conditions() {
  return Conditions{}.set_trigger("every_n_batches", Value{std::int64_t{100}});
}

namespace {

/// The norm of the last update over the norm of the updated parameters. Only trained parameters
/// count, since measured ones change without an update.
std::optional<double> update_ratio(const Layout& layout, const LoopEvent& event) {
  const auto from = event.updated_from.view(), to = event.updated_to.view();
  const auto size = static_cast<std::size_t>(layout.size());
  if (from.size() != size || to.size() != size)
    return std::nullopt;
  double moved = 0, length = 0;
  for (const auto& parameter : layout.parameters()) {
    if (parameter.role != ParameterRole::trained)
      continue;
    const auto begin = static_cast<std::size_t>(parameter.offset);
    for (auto i = begin; i < begin + static_cast<std::size_t>(parameter.size()); ++i) {
      const auto change = double{to[i]} - double{from[i]};
      moved += change * change;
      length += double{to[i]} * to[i];
    }
  }
  return length > 0 ? std::optional{std::sqrt(moved / length)} : std::nullopt;
}

} // namespace

Records norms(const NormsOptions& options, const Layout& layout, const LoopEvent& event) {
  Records records;
  const auto prefix = options.prefix.empty() ? "" : options.prefix + "_";
  const auto write = [&](const Block& block, const std::string& whole, const std::string& part) {
    if (block.size() != layout.size())
      return;
    records[prefix + whole] = Value{norm(block.view())};
    if (options.per_parameter)
      for (const auto& parameter : layout.parameters())
        records[prefix + part + parameter.name] = Value{norm(block.view().subspan(
          static_cast<std::size_t>(parameter.offset), static_cast<std::size_t>(parameter.size())))};
  };
  const auto& parameters = event.parameters.values;
  write(parameters, "parameter_norm", "norm_");
  if (!event.started || event.gradient.empty())
    return records;
  write(event.gradient, "gradient_norm", "gradient_norm_");
  if (const auto ratio = update_ratio(layout, event))
    records[prefix + "update_ratio"] = Value{*ratio};
  return records;
}

Extension spawn_norms(caf::actor_system& system, NormsOptions options, Layout layout,
                      Logger logger) {
  const auto records = [=](const LoopEvent& event) { return norms(options, layout, event); };
  return spawn_record_maker(system, "norms", records, std::move(logger));
}

namespace {

const RegisterExtension norms_kind{ExtensionOf<NormsOptions>{
  .name = "norms",
  .shows = Shows::step,
  .conditions = norms_conditions,
  .spawn =
    [](const NormsOptions& options, const ExtensionContext& context) {
      return spawn_norms(context.system, options, context.layout, context.logger);
    },
  .place =
    [](const NormsOptions& options, OrderedExtension& place) {
      const auto prefix = options.prefix.empty() ? "" : options.prefix + "_";
      for (const auto* record :
           {"parameter_norm", "gradient_norm", "update_ratio", "norm_*", "gradient_norm_*"})
        place.writes.push_back(prefix + record);
    },
}};

} // namespace

} // namespace troupe
