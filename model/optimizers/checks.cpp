#include "model/optimizers/checks.hpp"

#include <limits>
#include <sstream>
#include <stdexcept>

namespace troupe {

namespace {

[[noreturn]] void refuse(const std::string& optimizer, const std::string& option, double value,
                         const std::string& wanted) {
  std::ostringstream text;
  text << option << " of " << optimizer << " is " << value << "; it must be " << wanted;
  throw std::invalid_argument(text.str());
}

} // namespace

void check_not_negative(const std::string& optimizer, const std::string& option, double value) {
  if (!(value >= 0) || value > double{std::numeric_limits<float>::max()}) // steps are floats
    refuse(optimizer, option, value, "a number from 0 up");
}

void check_below_one(const std::string& optimizer, const std::string& option, double value) {
  if (!(value >= 0 && value < 1))
    refuse(optimizer, option, value, "at least 0 and less than 1");
}

} // namespace troupe
