#include "troupe/model/optimizer.hpp"

#include <cassert>
#include <stdexcept>

namespace troupe {

void Optimizer::step_from(std::span<const float> from, std::span<float> to,
                          std::span<const float> gradient) {
  assert(from.size() == gradient.size() && to.size() == gradient.size());
  ++steps_;
  for (auto& slot : slots_)
    slot_steps_.emplace_back(slot.values);
  if (stretches_.empty())
    move({from, to, gradient, 1, 1, slot_steps_, 0});
  for (const auto& [begin, size, learning_rate, weight_decay] : stretches_) {
    const auto at = static_cast<std::size_t>(begin), count = static_cast<std::size_t>(size);
    move({from.subspan(at, count), to.subspan(at, count), gradient.subspan(at, count),
          learning_rate, weight_decay, slot_steps_, begin});
  }
  slot_steps_.clear();
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
