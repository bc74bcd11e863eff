#include "base/text/byte_size.hpp"

#include "base/text/number_in.hpp"

#include <fmt/format.h>

#include <cmath>

namespace troupe {

std::string byte_size_text(std::uint64_t bytes) {
  constexpr auto megabyte = 1e6, gigabyte = 1e9;
  const auto size = static_cast<double>(bytes);
  return size >= gigabyte ? fmt::format("{:.1f} GB", size / gigabyte)
                          : fmt::format("{:.1f} MB", size / megabyte);
}

std::optional<std::uint64_t> byte_size_in(std::string_view text) {
  constexpr double most = 1e18;
  const auto end = text.find_first_not_of("0123456789.");
  const auto number = number_in<double>(text.substr(0, end));
  auto unit = end == text.npos ? std::string{} : std::string{text.substr(end)};
  std::erase(unit, ' ');
  for (auto& letter : unit)
    letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  if (unit.ends_with('b'))
    unit.pop_back();
  const auto binary = unit.size() > 1 && unit.ends_with('i');
  if (binary)
    unit.pop_back();
  constexpr std::string_view units = "kmgt";
  const auto place = unit.empty() ? 0 : units.find(unit);
  if (!number || unit.size() > 1 || place == units.npos)
    return std::nullopt;
  const auto power = unit.empty() ? 0 : static_cast<int>(place) + 1;
  const auto bytes = *number * std::pow(binary ? 1024.0 : 1000.0, power);
  return bytes <= most ? std::optional{static_cast<std::uint64_t>(bytes)} : std::nullopt;
}

} // namespace troupe
