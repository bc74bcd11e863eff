#include "messages/quiesce/quiesced_workers.hpp"

#include <algorithm>

namespace troupe {

std::vector<std::size_t> QuiescedWorkers::moving() const {
  std::vector<std::size_t> workers;
  for (std::size_t worker = 0; worker < quiesced_.size(); ++worker)
    if (!quiesced_[worker])
      workers.push_back(worker);
  return workers;
}

bool QuiescedWorkers::any_stopped() const {
  return std::any_of(quiesced_.begin(), quiesced_.end(),
                     [](const auto& one) { return one && one->training; });
}

std::vector<std::size_t> QuiescedWorkers::continue_for(const std::vector<WorkerId>& blocked) {
  const auto moves
    = [this](WorkerId worker) { return worker < quiesced_.size() && !quiesced_[worker]; };
  std::vector<std::size_t> workers;
  if (std::none_of(blocked.begin(), blocked.end(), moves)) // all have stopped meanwhile
    return workers;
  for (std::size_t worker = 0; worker < quiesced_.size(); ++worker)
    if (quiesced_[worker] && quiesced_[worker]->training) {
      quiesced_[worker].reset();
      workers.push_back(worker);
    }
  return workers;
}

Epoch QuiescedWorkers::common_epochs() const {
  Epoch epochs = 0;
  for (const auto& one : quiesced_)
    if (one && one->training)
      epochs = std::max(epochs, one->position.epochs + 1);
  return epochs;
}

} // namespace troupe
