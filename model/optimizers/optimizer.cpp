#include "model/optimizers/optimizer.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>

namespace troupe {

void Optimizer::step_from(std::span<const float> from, std::span<float> to,
                          std::span<const float> gradient) {
  assert(from.size() == gradient.size());
  StepInParts{*this, from, to}.move(0, gradient);
}

StepInParts::StepInParts(Optimizer& optimizer, std::span<const float> from, std::span<float> to)
  : optimizer_(optimizer),
    from_(from),
    to_(to) {
  assert(from.size() == to.size());
  ++optimizer.steps_;
  for (auto& slot : optimizer.slots_)
    optimizer.slot_steps_.emplace_back(slot.values);
}

void StepInParts::move(Index begin, std::span<const float> gradient) {
  const auto end = begin + static_cast<Index>(gradient.size());
  const auto move_alike = [&](Index from, Index to, double learning_rate, double weight_decay) {
    const auto at = static_cast<std::size_t>(from), count = static_cast<std::size_t>(to - from);
    optimizer_.move({from_.subspan(at, count), to_.subspan(at, count),
                     gradient.subspan(static_cast<std::size_t>(from - begin), count), learning_rate,
                     weight_decay, optimizer_.slot_steps_, from});
  };
  if (optimizer_.stretches_.empty())
    move_alike(begin, end, 1, 1);
  for (const auto& stretch : optimizer_.stretches_) {
    const auto from = std::max(begin, stretch.begin);
    const auto to = std::min(end, stretch.begin + stretch.size);
    if (from < to)
      move_alike(from, to, stretch.learning_rate, stretch.weight_decay);
  }
}

void Optimizer::scale(std::vector<ScaledStretch> stretches) {
  Index end = 0;
  for (const auto& stretch : stretches) {
    if (stretch.begin != end || stretch.size < 1)
      throw std::invalid_argument("the shares of " + name() + " leave out what lies between "
                                  + std::to_string(end) + " and " + std::to_string(stretch.begin)
                                  + "; give them for the whole block, in its order");
    end += stretch.size;
  }
  for (const auto& slot : slots_)
    if (!stretches.empty() && slot.values.size() != end)
      throw std::invalid_argument("the shares of " + name() + " are for " + std::to_string(end)
                                  + " parameters; it has " + std::to_string(slot.values.size()));
  stretches_ = std::move(stretches);
}

void Optimizer::restore(Step steps, std::vector<OptimizerSlot> slots) {
  if (slots.size() != slots_.size())
    throw std::invalid_argument(name() + " keeps " + std::to_string(slots_.size())
                                + " slots; the saved state has " + std::to_string(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const auto &mine = slots_[i], &saved = slots[i];
    if (mine.name != saved.name)
      throw std::invalid_argument(name() + " keeps '" + mine.name + "' where the saved state has '"
                                  + saved.name + "'");
    if (mine.values.size() != saved.values.size())
      throw std::invalid_argument(name() + " keeps " + std::to_string(mine.values.size())
                                  + " numbers of '" + mine.name + "'; the saved state has "
                                  + std::to_string(saved.values.size()));
  }
  steps_ = steps;
  slots_ = std::move(slots);
}

} // namespace troupe
