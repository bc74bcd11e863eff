#pragma once

#include <string>

namespace troupe {

// Checks of optimizer options; all refuse NaN.
// @throws std::invalid_argument with a sentence that names the optimizer, the option and its value

void check_not_negative(const std::string& optimizer, const std::string& option, double value);
void check_below_one(const std::string& optimizer, const std::string& option,
                     double value); ///< [0, 1)

} // namespace troupe
