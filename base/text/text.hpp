// Numbers and quoted input in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// The shortest decimal that reads back as the same double: "0.1", "1e+30", "nan".
std::string shortest(double x);

/// "1 batch", "2 batches"
std::string quantity(std::uint64_t count, const std::string& what, const std::string& ending = "s");

/// The same number, with a NaN's sign removed: processors set it, and people would read "-nan".
double without_nan_sign(double x);

/// Quotes a text that a person wrote, for a sentence about it: 'abc'. Control characters become ?,
/// and a text longer than 60 characters is cut.
std::string in_quotes(std::string_view text);

/// "a, b, c"
template <class Texts>
std::string joined(const Texts& texts) {
  std::string whole;
  for (const auto& text : texts)
    (whole += whole.empty() ? "" : ", ") += text;
  return whole;
}

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

} // namespace troupe
