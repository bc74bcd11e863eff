// Values with TROUPE_FIELDS as a file keeps them: JSON that names every field, and behind it the floats of
// their blocks, one block after the other.
//
//   {"trainers": [{"position": {"batches": 7, ...}, "parameters": {"version": 7, "values":
//    {"begin": 0, "floats": 16640}}, ...}], "log": "0f3c...", ...}
//
// A number that JSON does not have is a text ("nan", "inf", "-inf"), and {"real": "nan"} if it
// is one of several types. A text that is not UTF-8 is {"bytes": [...]}; in a key such bytes are
// "%ff".
#pragma once

#include "base/fields.hpp"
#include "model/tensor/block.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace troupe {

namespace detail {

nlohmann::json json_of_text(const std::string& text);
nlohmann::json json_of_real(double x);

/// A name as a key of JSON, and back: bytes that are not UTF-8, and "%", as "%ff".
std::string key_of(const std::string& name);
std::string name_of(const std::string& key);

/// The name of a field: that of a private member without its last "_".
std::string field_name(std::string member);

} // namespace detail

/// Describes values, and gathers their blocks.
class NamedArchiveWriter {
public:
  template <class T>
  nlohmann::json describe(const T& x) {
    if constexpr (std::is_same_v<T, Block>)
      return block(x);
    else if constexpr (std::is_enum_v<T>)
      return static_cast<std::underlying_type_t<T>>(x);
    else if constexpr (std::is_integral_v<T>)
      return x;
    else if constexpr (std::is_floating_point_v<T>)
      return detail::json_of_real(x);
    else if constexpr (std::is_same_v<T, std::string>)
      return detail::json_of_text(x);
    else if constexpr (HasFields<T>)
      return fields(x);
    else
      return describe_whole(x);
  }

  /// Those of all values so far, in the order in which the file has them.
  const std::vector<Block>& blocks() const { return blocks_; }

private:
  nlohmann::json block(const Block& x) {
    nlohmann::json place{{"begin", floats_}, {"floats", x.size()}};
    floats_ += static_cast<std::uint64_t>(x.size());
    blocks_.push_back(x);
    return place;
  }

  template <class T>
  nlohmann::json fields(const T& x) {
    detail::check_fields<T>();
    auto object = nlohmann::json::object();
    const auto names = split_names(T::field_names);
    std::size_t i = 0;
    x.with_fields([&](const auto&... field) {
      ((object[detail::field_name(names[i++])] = describe(field)), ...);
    });
    return object;
  }

  template <class T>
  nlohmann::json describe_whole(const std::vector<T>& list) {
    auto array = nlohmann::json::array();
    for (const auto& element : list)
      array.push_back(describe(element));
    return array;
  }
  template <class T>
  nlohmann::json describe_whole(const std::map<std::string, T>& map) {
    auto object = nlohmann::json::object();
    for (const auto& [name, value] : map)
      object[detail::key_of(name)] = describe(value);
    return object;
  }
  template <class T>
  nlohmann::json describe_whole(const std::optional<T>& x) {
    return x ? describe(*x) : nlohmann::json{};
  }
  template <class... T>
  nlohmann::json describe_whole(const std::variant<T...>& x) {
    return std::visit(
      [&](const auto& value) {
        auto json = describe(value);
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
          if (json.is_string())
            json = nlohmann::json{{"real", std::move(json)}};
        return json;
      },
      x);
  }

  std::uint64_t floats_ = 0;
  std::vector<Block> blocks_;
};

/// Whether older files may lack a field, which then has its default: a struct names such fields in
/// `static constexpr std::array<std::string_view, n> added_fields`.
template <class T>
bool may_lack(const std::string& field) {
  if constexpr (requires { T::added_fields; })
    return std::find(T::added_fields.begin(), T::added_fields.end(), field)
           != T::added_fields.end();
  return false;
}

/// Reads what a writer has described. A file that lacks another field is refused.
class NamedArchiveReader {
public:
  /// Fills `to` with the bytes of the floats from `offset` on; throws if they are not there.
  using ReadBytes = std::function<void(std::uint64_t offset, std::span<std::byte> to)>;

  /// @param bytes of the floats behind the JSON; only those of blocks that are asked for are read
  NamedArchiveReader(std::uint64_t bytes, ReadBytes read)
    : bytes_(bytes),
      read_bytes_(std::move(read)) {}
  /// @param floats in memory; they outlive the reader
  explicit NamedArchiveReader(std::span<const std::byte> floats);

  /// @throws std::runtime_error, naming the field, for what cannot be.
  template <class T>
  void read(const nlohmann::json& json, T& x) {
    if constexpr (std::is_same_v<T, Block>)
      x = block(json);
    else if constexpr (std::is_same_v<T, bool>)
      x = of_kind(json, json.is_boolean(), "a flag").template get<bool>();
    else if constexpr (std::is_enum_v<T>)
      x = static_cast<T>(integer<std::underlying_type_t<T>>(json));
    else if constexpr (std::is_integral_v<T>)
      x = integer<T>(json);
    else if constexpr (std::is_floating_point_v<T>)
      x = static_cast<T>(real(json));
    else if constexpr (std::is_same_v<T, std::string>)
      x = text(json);
    else if constexpr (HasFields<T>)
      fields(json, x);
    else
      read_whole(json, x);
  }

  /// @throws std::runtime_error if the file has floats that no field has named.
  void finish() const;

private:
  [[noreturn]] void refuse(const std::string& what) const;
  const nlohmann::json& of_kind(const nlohmann::json& json, bool is, const char* what) const;
  Block block(const nlohmann::json& json);
  double real(const nlohmann::json& json) const;
  std::string text(const nlohmann::json& json) const;

  template <std::integral T>
  T integer(const nlohmann::json& json) const {
    of_kind(json, json.is_number_integer(), "a whole number");
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max()))
        return static_cast<T>(number);
    } else if (const auto number = json.get<std::int64_t>(); std::in_range<T>(number)) {
      return static_cast<T>(number);
    }
    refuse("is " + json.dump() + ", which is out of range");
  }

  template <class T>
  void inside(const std::string& name, const nlohmann::json& json, T& x) {
    path_.push_back(name);
    read(json, x);
    path_.pop_back();
  }

  template <class T>
  void fields(const nlohmann::json& json, T& x) {
    detail::check_fields<T>();
    of_kind(json, json.is_object(), "an object");
    const auto names = split_names(T::field_names);
    std::size_t i = 0, lacking = 0;
    const auto take = [&](auto& field) {
      const auto name = detail::field_name(names[i++]);
      const auto here = json.find(name);
      if (here != json.end())
        inside(name, *here, field);
      else if (may_lack<T>(name))
        ++lacking;
      else
        refuse("lacks its field '" + name + "'");
    };
    x.with_fields([&](auto&... field) { (take(field), ...); });
    if (json.size() + lacking != names.size())
      refuse("has a field that this program does not know");
  }

  template <class T>
  void read_whole(const nlohmann::json& json, std::vector<T>& list) {
    of_kind(json, json.is_array(), "a list");
    list.clear();
    for (const auto& element : json) {
      const auto place = std::to_string(list.size());
      inside(place, element, list.emplace_back());
    }
  }
  template <class T>
  void read_whole(const nlohmann::json& json, std::map<std::string, T>& map) {
    of_kind(json, json.is_object(), "an object");
    map.clear();
    for (const auto& [key, value] : json.items())
      inside(key, value, map[detail::name_of(key)]);
  }
  template <class T>
  void read_whole(const nlohmann::json& json, std::optional<T>& x) {
    if (json.is_null())
      x.reset();
    else
      read(json, x.emplace());
  }
  template <class... T>
  void read_whole(const nlohmann::json& json, std::variant<T...>& x) {
    if (!(... || alternative<T>(json, x)))
      refuse("is of no known type");
  }
  template <class T, class Variant>
  bool alternative(const nlohmann::json& json, Variant& x) {
    if (!is_a<T>(json))
      return false;
    T value{};
    const auto wrapped = std::is_same_v<T, double> && json.is_object();
    read(wrapped ? json.at("real") : json, value);
    x = std::move(value);
    return true;
  }
  template <class T>
  static bool is_a(const nlohmann::json& json) {
    if constexpr (std::is_same_v<T, bool>)
      return json.is_boolean();
    else if constexpr (std::is_same_v<T, double>)
      return json.is_number_float() || (json.is_object() && json.contains("real"));
    else if constexpr (std::is_same_v<T, std::string>)
      return json.is_string() || (json.is_object() && json.contains("bytes"));
    else if constexpr (std::is_same_v<T, Block>)
      return json.is_object() && json.contains("floats");
    else
      return json.is_number_integer();
  }

  std::uint64_t bytes_;
  ReadBytes read_bytes_;
  std::uint64_t read_
    = 0; ///< floats; together no more than there are, so that nothing is read twice
  std::vector<std::string> path_;
};

} // namespace troupe
