#include "model/data/sequences/curriculum.hpp"

#include <stdexcept>

namespace troupe {

Curriculum::Curriculum(const std::string& who, CurriculumOptions options, Index full)
  : options_(options),
    full_(full) {
  if (options_.initial < 0 || (is_on() && options_.initial > full_))
    throw std::invalid_argument(who + ": curriculum.initial is " + std::to_string(options_.initial)
                                + "; give 1 to max_length, which is " + std::to_string(full_)
                                + ", or 0 for no curriculum");
  if (options_.step < 1)
    throw std::invalid_argument(who + ": curriculum.step is " + std::to_string(options_.step)
                                + ", so it would never end; give at least 1");
}

Epoch Curriculum::epochs() const {
  if (!is_on() || options_.initial == full_)
    return 0;
  return static_cast<Epoch>((full_ - options_.initial - 1) / options_.step + 1);
}

Index Curriculum::length(Epoch epoch) const {
  return epoch < epochs() ? options_.initial + options_.step * static_cast<Index>(epoch) : full_;
}

} // namespace troupe
