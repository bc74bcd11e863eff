#include "model/training/training_memory.hpp"

#include <algorithm>

namespace troupe {

TrainingMemory measure_memory(const std::function<std::shared_ptr<Learner>()>& make_learner,
                              Index threads) {
  const auto before = aligned_traffic().in_use();
  const auto learner = make_learner();
  learner->read(0);
  learner->train(0);
  const auto unused = learner->unused_gradient_bytes();
  const auto taken = aligned_traffic().in_use() - before - unused;

  const auto block = static_cast<std::uint64_t>(learner->layout().size()) * sizeof(float);
  TrainingMemory memory;
  memory.parameters = block;
  memory.gradients = block * static_cast<std::uint64_t>(threads) - unused;
  for (const auto& slot : learner->slots())
    memory.optimizer += static_cast<std::uint64_t>(slot.values.size()) * sizeof(float);
  memory.activations = taken - std::min(taken, memory.total());
  return memory;
}

} // namespace troupe
