#include "base/text/number_format.hpp"

#include "base/text/text.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace troupe {

namespace {

constexpr int widest = 99; // characters, enough for any column of numbers

/// Removes the digits at the beginning of `text`. @returns -1 if there are none, or too many.
int take_number(std::string_view& text) {
  int number = 0, digits = 0;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1)) {
    number = number * 10 + (text.front() - '0');
    if (++digits > 2)
      return -1;
  }
  return digits == 0 ? -1 : number;
}

} // namespace

NumberFormat::NumberFormat(std::string_view text) {
  auto rest = text;
  const auto refuse = [text] {
    throw std::invalid_argument(in_quotes(text)
                                + " is not a number format; write it like {:06d}, {:12.10f}, "
                                  "{:.3e}, {:g} or {}");
  };
  if (rest == "{}")
    return;
  if (!rest.starts_with("{:") || !rest.ends_with("}"))
    refuse();
  rest = rest.substr(2, rest.size() - 3);
  if (rest.starts_with("0")) {
    zeros_ = true;
    rest.remove_prefix(1);
  }
  if (!rest.empty() && rest.front() >= '1' && rest.front() <= '9')
    width_ = take_number(rest);
  if (rest.starts_with(".")) {
    rest.remove_prefix(1);
    precision_ = take_number(rest);
  }
  if (width_ < 0 || width_ > widest || precision_ < 0 || rest.size() != 1
      || std::string_view{"dfeg"}.find(rest.front()) == std::string_view::npos)
    refuse();
  kind_ = rest.front();
}

std::string NumberFormat::operator()(double x) const {
  if (kind_ == '\0' || !std::isfinite(x))
    return shortest(x);
  std::array<char, 512> text{};
  const auto write = [&](const char* padded_with_zeros, const char* padded, auto... number) {
    std::snprintf(text.data(), text.size(), zeros_ ? padded_with_zeros : padded, width_, number...);
  };
  switch (kind_) {
  case 'd': write("%0*.0f", "%*.0f", std::round(x)); break;
  case 'f': write("%0*.*f", "%*.*f", precision_, x); break;
  case 'e': write("%0*.*e", "%*.*e", precision_, x); break;
  default: write("%0*.*g", "%*.*g", precision_, x); break;
  }
  return text.data();
}

} // namespace troupe
