#include "actors/loop/saved_learner.hpp"

#include "base/text/nearest_name.hpp"
#include "messages/requests/error.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

namespace troupe {

SavedTrainer saved_learner(Learner& learner, Step batches) {
  const auto& optimizer = learner.optimizer();
  SavedTrainer saved;
  saved.layout = learner.layout();
  saved.parameters = {batches, learner.parameters()};
  saved.optimizer_steps = learner.optimizer_steps();
  for (const auto& slot : learner.slots())
    saved.optimizer_slots.push_back({slot.name, slot.values});
  saved.learning_rate = optimizer.learning_rate();
  saved.settings = optimizer.settings();
  return saved;
}

caf::error restore_learner(const SavedTrainer& saved, const std::map<std::string, double>& others,
                           Learner& learner) {
  if (auto difference = learner.layout().difference(saved.layout); !difference.empty())
    return fail(Error::shape_mismatch, "the saved state is of another model: " + difference);
  auto& optimizer = learner.optimizer();
  const auto parameters = learner.parameters();
  const auto steps = learner.optimizer_steps();
  const auto slots_before = learner.slots();
  auto settings = others;
  settings.insert({"learning_rate", saved.learning_rate});
  settings.insert(saved.settings.begin(), saved.settings.end());
  try {
    std::vector<OptimizerSlot> slots;
    for (const auto& slot : saved.optimizer_slots)
      slots.push_back({slot.name, slot.values});
    learner.set_parameters(saved.parameters.values);
    learner.restore_optimizer(saved.optimizer_steps, std::move(slots));
    set_all(settings, optimizer); // the last that can refuse
  } catch (const std::invalid_argument& e) {
    learner.set_parameters(parameters);
    learner.restore_optimizer(steps, slots_before);
    return fail(Error::shape_mismatch, std::string{"the saved state does not fit: "} + e.what());
  }
  return {};
}

std::map<std::string, double> reconfigured(const SavedTrainer& saved,
                                           const std::map<std::string, double>& configured) {
  std::map<std::string, double> changed;
  for (const auto& [name, value] : configured) {
    const auto before = saved.configured.find(name);
    if (before != saved.configured.end() && before->second != value)
      changed[name] = value;
  }
  return changed;
}

double setting_in(const SavedTrainer& saved, const std::string& name) {
  const auto found = saved.settings.find(name);
  return found == saved.settings.end() ? saved.learning_rate : found->second;
}

void set_all(const std::map<std::string, double>& settings, Optimizer& optimizer) {
  if (settings.empty())
    return;
  const auto before = optimizer.settings();
  try {
    for (const auto& [name, value] : settings)
      optimizer.set(name, value);
  } catch (const std::invalid_argument& e) {
    std::string near;
    std::vector<std::string> known;
    for (const auto& [name, value] : before) {
      optimizer.set(name, value);
      known.push_back(name);
    }
    for (const auto& [name, value] : settings)
      if (!before.count(name))
        near += suggestion(name, known);
    throw std::invalid_argument(e.what() + near);
  }
}

} // namespace troupe
