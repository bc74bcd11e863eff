#include "base/text/number_format.hpp"

#include "base/text/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <stdexcept>

namespace troupe {

NumberFormat::NumberFormat(std::string_view text) {
  if (text == "{}")
    return;
  static const std::regex known{R"(\{:(0?(?:[1-9]\d?)?)(\.\d\d?)?([dfeg])\})"};
  std::cmatch parts;
  if (!std::regex_match(text.begin(), text.end(), parts, known))
    throw std::invalid_argument(in_quotes(text)
                                + " is not a number format; write it like {:06d}, {:12.10f}, "
                                  "{:.3e}, {:g} or {}");
  rounds_ = parts.str(3) == "d";
  format_ = "{:" + parts.str(1) + (rounds_ ? ".0f" : parts.str(2) + parts.str(3)) + "}";
}

std::string NumberFormat::operator()(double x) const {
  if (format_.empty() || !std::isfinite(x))
    return shortest(x);
  return fmt::format(fmt::runtime(format_), rounds_ ? std::round(x) : x);
}

} // namespace troupe
