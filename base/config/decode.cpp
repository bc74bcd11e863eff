#include "base/config/decode.hpp"

#include "base/config/unknown_key.hpp"
#include "base/text/nearest_name.hpp"
#include "base/text/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace troupe::config::detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes each `_` between two digits; others stay and make the text invalid as a number.
std::string without_separators(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool separates = text[i] == '_' && i > 0 && i + 1 < text.size() && is_digit(text[i - 1])
                           && is_digit(text[i + 1]);
    if (!separates)
      result += text[i];
  }
  return result;
}

// A plain scalar. A quoted scalar is a text, even if it consists of digits.
bool is_plain_scalar(const Node& node) { return node.is_scalar() && !node.quoted(); }

enum class Parsed { yes, no, out_of_range };

template <class T>
Parsed parse_whole(const Node& node, T& x) {
  if (!is_plain_scalar(node))
    return Parsed::no;
  auto digits = without_separators(node.text());
  if (digits.starts_with('+'))
    digits.erase(0, 1);
  const bool minus = digits.starts_with('-');
  const bool all_digits = digits.size() > (minus ? 1 : 0)
                          && std::all_of(digits.begin() + (minus ? 1 : 0), digits.end(), is_digit);
  if (!all_digits)
    return Parsed::no;
  const auto* end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, x);
  return result.ec == std::errc{} && result.ptr == end ? Parsed::yes : Parsed::out_of_range;
}

void complain_whole(Parsed parsed, const std::string& least, const std::string& most,
                    const Node& node, const std::string& path, Sentences& errors) {
  if (parsed == Parsed::no)
    errors.push_back(complaint(node, path, "is not a whole number; give it like 64"));
  else
    errors.push_back(
      complaint(node, path, "is out of range; give a whole number from " + least + " to " + most));
}

template <class T>
void read_real_of(const Node& node, T& x, const std::string& path, Sentences& errors) {
  const auto wrong
    = [&] { errors.push_back(complaint(node, path, "is not a number; give it like 0.1 or 3e-4")); };
  if (!is_plain_scalar(node))
    return wrong();
  auto text = lower_case(without_separators(node.text()));
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+'))
    text.erase(0, 1);
  constexpr std::array infinities{"inf", ".inf", "infinity"};
  T value = 0;
  if (std::find(infinities.begin(), infinities.end(), text) != infinities.end()) {
    value = std::numeric_limits<T>::infinity();
  } else if (text == "nan" || text == ".nan") {
    value = std::numeric_limits<T>::quiet_NaN();
  } else {
    if (text.empty() || !(is_digit(text[0]) || text[0] == '.'))
      return wrong();
    const auto* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ptr != end || result.ec == std::errc::invalid_argument)
      return wrong();
    if (result.ec != std::errc{})
      return errors.push_back(complaint(
        node, path,
        "is out of range; give 0, or a number from " + print_real(std::numeric_limits<T>::min())
          + " to " + print_real(std::numeric_limits<T>::max()) + " or its negative"));
  }
  x = minus ? -value : value;
}

template <class T>
std::string print_real_of(T x) {
  if (std::isnan(x))
    return ".nan";
  if (std::isinf(x))
    return x > 0 ? ".inf" : "-.inf";
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), x);
  return {buffer.data(), result.ptr};
}

} // namespace

std::string complaint(const Node& node, const std::string& path, const std::string& wrong) {
  const auto what = path.empty() ? "the configuration" : path;
  const auto source = " (" + node.source() + ") ";
  if (node.is_null())
    return what + source + "has no value: it " + wrong;
  return what + (node.is_scalar() ? " = " : " is ") + shown(node) + source
         + (node.is_scalar() ? "" : "and ") + wrong
         + (node.quoted() && wrong.find("number") != wrong.npos ? ", without quotes" : "");
}

std::string below(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

void check_keys(const Node& node, const std::string& path, const std::vector<std::string>& known,
                Sentences& errors) {
  for (const auto& entry : node.entries())
    if (std::find(known.begin(), known.end(), entry.key) == known.end())
      errors.push_back(unknown_key_of(node, entry.key, path, entry.value.source(), known));
}

void read_bool(const Node& node, bool& x, const std::string& path, Sentences& errors) {
  if (const auto on = is_plain_scalar(node) ? switch_of(node) : std::nullopt)
    x = *on;
  else
    errors.push_back(complaint(node, path, "is neither true nor false; give one of them"));
}

void read_signed(const Node& node, long long& x, long long least, long long most,
                 const std::string& path, Sentences& errors) {
  long long value = 0;
  auto parsed = parse_whole(node, value);
  if (parsed == Parsed::yes && (value < least || value > most))
    parsed = Parsed::out_of_range;
  if (parsed == Parsed::yes)
    x = value;
  else
    complain_whole(parsed, std::to_string(least), std::to_string(most), node, path, errors);
}

void read_unsigned(const Node& node, unsigned long long& x, unsigned long long most,
                   const std::string& path, Sentences& errors) {
  unsigned long long value = 0;
  auto parsed = parse_whole(node, value);
  if (parsed == Parsed::yes && value > most)
    parsed = Parsed::out_of_range;
  if (parsed == Parsed::yes)
    x = value;
  else
    complain_whole(parsed, "0", std::to_string(most), node, path, errors);
}

void read_real(const Node& node, float& x, const std::string& path, Sentences& errors) {
  read_real_of(node, x, path, errors);
}

void read_real(const Node& node, double& x, const std::string& path, Sentences& errors) {
  read_real_of(node, x, path, errors);
}

void read_string(const Node& node, std::string& x, const std::string& path, Sentences& errors) {
  if (node.is_scalar())
    x = node.text();
  else
    errors.push_back(complaint(node, path, "is not a text; give one, or '' for none"));
}

void read_duration(const Node& node, double& x, double num, double den, double most,
                   const std::string& path, Sentences& errors) {
  if (!node.is_scalar())
    return errors.push_back(
      complaint(node, path, "is not a duration; write it like 90s, 15m or 12:00:00"));
  double seconds = 0;
  try {
    seconds = parse_duration(node.text()).count();
  } catch (const std::invalid_argument& error) {
    // Its message begins with the text, as the complaint does.
    const std::string sentence = error.what();
    const auto verb = sentence.find("' is not");
    return errors.push_back(
      complaint(node, path, sentence.substr(verb == sentence.npos ? 0 : verb + 2)));
  }
  const auto value = seconds * den / num;
  if (most == 0) {
    x = value;
    return;
  }
  // Accepts a number whose nearest integer stands for the same seconds: 0.3 s is 300 ms, whatever
  // the rounding.
  const auto whole = std::round(value);
  if (value > most || whole * num / den != seconds)
    return errors.push_back(complaint(node, path,
                                      "is too long, or no whole multiple of "
                                        + print_duration(std::chrono::duration<double>{num / den})
                                        + "; give such a multiple"));
  x = whole;
}

bool is_list_at(const Node& node, const std::string& path, const std::string& example,
                Sentences& errors) {
  if (!node.is_list())
    errors.push_back(complaint(node, path, "is not a list; give it like " + example));
  return node.is_list();
}

bool is_map_at(const Node& node, const std::string& path, Sentences& errors) {
  if (!node.is_map())
    errors.push_back(complaint(node, path, "is not a map; give it keys and values"));
  return node.is_map();
}

std::string choices(std::string_view text, const std::vector<std::string>& words) {
  std::string result;
  if (const auto close = nearest_name(text, words))
    result = "; did you mean " + shown(*close) + "?";
  if (words.empty())
    return result;
  return result + (result.empty() ? "; give one of " : " Give one of ") + joined(words);
}

std::string print_real(float x) { return print_real_of(x); }

std::string print_real(double x) { return print_real_of(x); }

} // namespace troupe::config::detail
