// Numbers and quoted input in sentences.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// For a shell, in single quotes.
std::string in_shell_quotes(std::string_view text);

/// "a, b, c"
/// @param text_of the text of an element: a function, or one of its members
template <class Items, class TextOf = std::identity>
std::string joined(const Items& items, std::string_view separator = ", ",
                   const TextOf& text_of = {}) {
  std::string whole;
  auto between = std::string_view{};
  for (const auto& item : items) {
    (whole += between) += std::invoke(text_of, item);
    between = separator;
  }
  return whole;
}

/// "a, b and 4 more", if there are more than `most`
template <class Items, class TextOf = std::identity>
std::string first_joined(const Items& items, std::size_t most, const TextOf& text_of = {}) {
  std::string whole;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i)
    (whole += i == 0 ? "" : ", ") += std::invoke(text_of, items[i]);
  return items.size() <= most ? whole
                              : whole + " and " + std::to_string(items.size() - most) + " more";
}

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);
std::string upper_case(std::string_view text);

/// Without blanks, tabs and line breaks at both ends.
std::string_view trimmed(std::string_view text);

/// Whether it has decimal digits only, and at least one.
bool is_digits(std::string_view text);

} // namespace troupe
