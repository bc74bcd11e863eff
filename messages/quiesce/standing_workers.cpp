#include "messages/quiesce/standing_workers.hpp"

#include <algorithm>

namespace troupe {

std::vector<std::size_t> StandingWorkers::moving() const {
  std::vector<std::size_t> workers;
  for (std::size_t worker = 0; worker < standing_.size(); ++worker)
    if (!standing_[worker])
      workers.push_back(worker);
  return workers;
}

bool StandingWorkers::anyone_stands() const {
  return std::any_of(standing_.begin(), standing_.end(),
                     [](const auto& one) { return one && one->training; });
}

std::vector<std::size_t> StandingWorkers::go_on_for(const std::vector<WorkerId>& held_up) {
  const auto moves
    = [this](WorkerId worker) { return worker < standing_.size() && !standing_[worker]; };
  std::vector<std::size_t> workers;
  if (std::none_of(held_up.begin(), held_up.end(), moves)) // what was held up stands by now
    return workers;
  for (std::size_t worker = 0; worker < standing_.size(); ++worker)
    if (standing_[worker] && standing_[worker]->training) {
      standing_[worker].reset();
      workers.push_back(worker);
    }
  return workers;
}

Epoch StandingWorkers::common_epochs() const {
  Epoch epochs = 0;
  for (const auto& one : standing_)
    if (one && one->training)
      epochs = std::max(epochs, one->position.epochs + 1);
  return epochs;
}

} // namespace troupe
