#include "troupe/model/optimizer.hpp"

#include <stdexcept>

namespace troupe {

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
