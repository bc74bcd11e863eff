#include "messages/checkpoint/named_archive.hpp"

#include "base/text/text.hpp"
#include "base/text/utf8.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace troupe {

static_assert(std::endian::native == std::endian::little, "floats are copied as they lie");

namespace detail {

nlohmann::json json_of_text(const std::string& text) {
  if (find_invalid_utf8(text) == text.npos)
    return text;
  auto bytes = nlohmann::json::array();
  for (const auto c : text)
    bytes.push_back(static_cast<unsigned char>(c));
  return {{"bytes", std::move(bytes)}};
}

nlohmann::json json_of_real(double x) {
  if (std::isfinite(x))
    return x;
  return std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf";
}

std::string key_of(const std::string& name) {
  constexpr auto digits = "0123456789abcdef";
  std::string key;
  for (std::size_t at = 0; at < name.size();) {
    const auto length = name[at] == '%' ? 0 : utf8_length(name, at);
    key += length > 0 ? name.substr(at, length)
                      : std::string{'%', digits[static_cast<unsigned char>(name[at]) / 16],
                                    digits[static_cast<unsigned char>(name[at]) % 16]};
    at += std::max<std::size_t>(length, 1);
  }
  return key;
}

std::string name_of(const std::string& key) {
  std::string name;
  for (std::size_t at = 0; at < key.size(); ++at)
    if (unsigned byte = 0;
        key[at] == '%' && at + 2 < key.size()
        && std::from_chars(&key[at + 1], &key[at + 3], byte, 16).ptr == &key[at + 3]) {
      name += static_cast<char>(byte);
      at += 2;
    } else {
      name += key[at];
    }
  return name;
}

std::string field_name(std::string member) {
  if (member.ends_with('_'))
    member.pop_back();
  return member;
}

} // namespace detail

NamedArchiveReader::NamedArchiveReader(std::span<const std::byte> floats)
  : NamedArchiveReader(floats.size(), [floats](std::uint64_t offset, std::span<std::byte> to) {
      std::memcpy(to.data(), floats.data() + offset, to.size());
    }) {}

void NamedArchiveReader::refuse(const std::string& what) const {
  throw std::runtime_error((path_.empty() ? "it" : "'" + joined(path_, ".") + "'") + " " + what);
}

const nlohmann::json& NamedArchiveReader::of_kind(const nlohmann::json& json, bool is,
                                                  const char* what) const {
  if (!is)
    refuse(std::string{"is not "} + what);
  return json;
}

Block NamedArchiveReader::block(const nlohmann::json& json) {
  of_kind(json, json.is_object() && json.contains("begin") && json.contains("floats"), "a block");
  const auto begin = integer<std::uint64_t>(json.at("begin"));
  const auto size = integer<std::uint64_t>(json.at("floats"));
  const auto all = bytes_ / sizeof(float);
  if (begin > all || size > all - begin || size > all - read_)
    refuse("has " + std::to_string(size) + " floats, and the file has "
           + std::to_string(all - std::min<std::uint64_t>(begin, all)) + " for it");
  read_ += size;
  if (size == 0)
    return {};
  auto block = Block::uninitialized(static_cast<Index>(size));
  read_bytes_(begin * sizeof(float), std::as_writable_bytes(block.edit()));
  return block;
}

double NamedArchiveReader::real(const nlohmann::json& json) const {
  if (json.is_number())
    return json.get<double>();
  const auto word = of_kind(json, json.is_string(), "a number").get<std::string>();
  const auto infinite = std::numeric_limits<double>::infinity();
  if (word == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf" || word == "-inf")
    return word == "inf" ? infinite : -infinite;
  refuse("is not a number");
}

std::string NamedArchiveReader::text(const nlohmann::json& json) const {
  if (json.is_string())
    return json.get<std::string>();
  of_kind(json, json.is_object() && json.contains("bytes") && json.at("bytes").is_array(),
          "a text");
  std::string text;
  for (const auto& byte : json.at("bytes"))
    text += static_cast<char>(integer<std::uint8_t>(byte));
  return text;
}

void NamedArchiveReader::finish() const {
  if (read_ * sizeof(float) != bytes_)
    refuse("has " + std::to_string(bytes_ / sizeof(float) - read_) + " floats that no field names");
}

} // namespace troupe
