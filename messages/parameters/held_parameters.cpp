#include "messages/parameters/held_parameters.hpp"

#include "base/failure.hpp"

#include <algorithm>

namespace troupe {

namespace {

struct HeldParameter {
  std::string name;
  Index size = 0;
};

/// "w" of "w[16:32)", a part of a parameter that is split between shards.
std::string whole_name(const std::string& name) {
  return name.ends_with(')') ? name.substr(0, name.rfind('[')) : name;
}

std::vector<HeldParameter> parameters_held_by(const std::vector<SavedHolder>& holders) {
  std::vector<HeldParameter> held;
  for (const auto& holder : holders)
    for (const auto& parameter : holder.layout.parameters()) {
      const auto name = whole_name(parameter.name);
      if (held.empty() || held.back().name != name)
        held.push_back({name, 0});
      held.back().size += parameter.size();
    }
  return held;
}

void check_model(const std::vector<HeldParameter>& held, const Layout& model) {
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    const auto& wanted = model.parameters()[i];
    if (i < held.size() && held[i].name == wanted.name && held[i].size == wanted.size())
      continue;
    throw DataError(
      "the parameter holders keep "
      + (i < held.size()
           ? "'" + held[i].name + "' with " + std::to_string(held[i].size) + " numbers"
           : std::string{"nothing"})
      + " where the model has '" + wanted.name + "' " + to_string(wanted.shape)
      + "; give all holders in their order, and the configuration that their workers have");
  }
}

} // namespace

bool of_one_moment(const std::vector<SavedHolder>& holders) {
  return std::all_of(holders.begin(), holders.end(), [&](const SavedHolder& holder) {
    return holder.mark == holders.front().mark;
  });
}

std::optional<std::size_t> without_parameters(const std::vector<SavedHolder>& holders) {
  const auto empty = [](const SavedHolder& holder) { return holder.values.empty(); };
  if (std::all_of(holders.begin(), holders.end(), empty))
    return 0;
  for (std::size_t i = 0; i < holders.size(); ++i)
    if (holders[i].values.size() != holders[i].layout.size())
      return i;
  return {};
}

NamedParameters held_parameters(const std::vector<SavedHolder>& holders, const Layout& model) {
  check_model(parameters_held_by(holders), model);
  NamedParameters result{model, Block::uninitialized(model.size()), {}};
  auto rest = result.values.edit();
  for (const auto& holder : holders) {
    const auto part
      = holder.values.view().first(std::min(rest.size(), holder.values.view().size()));
    std::copy(part.begin(), part.end(), rest.begin());
    rest = rest.subspan(part.size());
  }
  result.metadata = {{"version", std::to_string(holders.front().version)},
                     {"pushes", std::to_string(holders.front().pushes)}};
  return result;
}

} // namespace troupe
