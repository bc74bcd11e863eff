#include "model/formats/safetensors.hpp"

#include "base/failure.hpp"
#include "model/codecs/half_floats.hpp"
#include "model/formats/array_collector.hpp"
#include "model/formats/data_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

namespace troupe {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

using Json = nlohmann::json;

constexpr std::uint64_t most_header = 100'000'000; // bytes, the reference implementation's limit
constexpr int most_nesting = 8;                    // {"name": {"shape": [1, 2]}} has 3
constexpr auto metadata_key = "__metadata__";

template <class Number>
void decode_as(const char* from, std::span<float> values) {
  for (auto& value : values) {
    Number number;
    std::memcpy(&number, from, sizeof(Number));
    value = static_cast<float>(number);
    from += sizeof(Number);
  }
}

struct TensorType {
  const char* name;
  std::uint64_t size; ///< bytes of an element
  void (*decode)(const char*, std::span<float>);
};

constexpr TensorType tensor_types[] = {
  {"F32", 4, decode_as<float>},
  {"F64", 8, decode_as<double>},
  {"F16", 2,
   [](const char* from, std::span<float> values) {
     decode_float16(reinterpret_cast<const std::byte*>(from), values);
   }},
  {"BF16", 2,
   [](const char* from, std::span<float> values) {
     decode_bfloat16(reinterpret_cast<const std::byte*>(from), values);
   }},
  {"I64", 8, decode_as<std::int64_t>},
  {"I32", 4, decode_as<std::int32_t>},
  {"I16", 2, decode_as<std::int16_t>},
  {"I8", 1, decode_as<std::int8_t>},
  {"U64", 8, decode_as<std::uint64_t>},
  {"U32", 4, decode_as<std::uint32_t>},
  {"U16", 2, decode_as<std::uint16_t>},
  {"U8", 1, decode_as<std::uint8_t>},
  {"BOOL", 1, decode_as<std::uint8_t>},
};

/// An array as the header describes it; offsets count from the end of the header.
struct TensorEntry {
  std::string name;
  const TensorType* type = nullptr;
  Shape shape;
  std::uint64_t begin = 0, end = 0;
};

/// Parses the header of a file; errors name the file.
class TensorHeader {
public:
  TensorHeader(const std::string& bytes, const std::string& path) : path_(path) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length)
      refuse("is too short for a safetensors file");
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length > most_header || length > bytes.size() - sizeof length)
      refuse("says that its header has " + std::to_string(length) + " bytes, but after it come "
             + std::to_string(bytes.size() - sizeof length) + ", and at most "
             + std::to_string(most_header) + " are read");
    data_ = sizeof length + length;
    read(parsed(std::string_view(bytes).substr(sizeof length, length)));
    check_places(bytes.size() - data_);
  }

  const std::vector<TensorEntry>& entries() const { return entries_; } ///< in the file's order
  const std::map<std::string, std::string>& metadata() const { return metadata_; }
  std::uint64_t data() const { return data_; } ///< offset of the numbers, in bytes

private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(path_ + " " + what + "; copy or save the file again");
  }
  [[noreturn]] void refuse(const std::string& name, const std::string& what) const {
    refuse("describes the array '" + name + "' incorrectly: " + what);
  }

  /// Parses the JSON of the header. Refuses duplicate names, of which a parser would keep one, and
  /// deep nesting, which could overflow the stack when a value is printed.
  Json parsed(std::string_view text) const {
    std::set<std::string> names;
    const auto once = [&](int depth, Json::parse_event_t event, Json& json) {
      if (depth == 1 && event == Json::parse_event_t::key
          && !names.insert(json.get<std::string>()).second)
        refuse(json.get<std::string>(), "it occurs twice");
      if (depth > most_nesting)
        refuse("has a header with values inside of values, more than "
               + std::to_string(most_nesting) + " levels deep");
      return true;
    };
    try {
      auto header = Json::parse(text, once);
      if (header.is_object())
        return header;
    } catch (const nlohmann::json::exception& e) {
      refuse(std::string{"has a header that is not JSON ("} + e.what() + ")");
    }
    refuse("has a header that is not a JSON object");
  }

  void read(const Json& header) {
    for (const auto& [name, value] : header.items())
      if (name == metadata_key)
        read_metadata(value);
      else
        entries_.push_back(entry(name, value));
    std::sort(entries_.begin(), entries_.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
  }

  void read_metadata(const Json& value) {
    if (!value.is_object())
      refuse(metadata_key, "it is " + value.dump() + ", not a map of texts");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string())
        refuse(metadata_key, "'" + key + "' is " + text.dump() + ", not a text");
      metadata_[key] = text.get<std::string>();
    }
  }

  TensorEntry entry(const std::string& name, const Json& value) const {
    TensorEntry result;
    result.name = name;
    result.type = &type(name, member(name, value, "dtype"));
    for (const auto n : numbers(name, member(name, value, "shape"), "shape"))
      result.shape.push_back(static_cast<Index>(n));
    const auto places = numbers(name, member(name, value, "data_offsets"), "data_offsets");
    if (places.size() != 2)
      refuse(name, "data_offsets has " + std::to_string(places.size())
                     + " numbers, expected begin and end");
    result.begin = places[0];
    result.end = places[1];
    return result;
  }

  const Json& member(const std::string& name, const Json& value, const char* key) const {
    if (!value.is_object() || !value.contains(key))
      refuse(name, std::string{"it has no "} + key);
    return value[key];
  }

  const TensorType& type(const std::string& name, const Json& value) const {
    for (const auto& type : tensor_types)
      if (value == type.name)
        return type;
    refuse(name, "its dtype is " + value.dump()
                   + ", expected F64, F32, F16, BF16, BOOL or integers such as I64");
  }

  std::vector<std::uint64_t> numbers(const std::string& name, const Json& value,
                                     const char* key) const {
    std::vector<std::uint64_t> result;
    if (!value.is_array())
      refuse(name, std::string{key} + " is " + value.dump() + ", not a list");
    for (const auto& number : value) {
      if (!number.is_number_unsigned() || number.get<std::uint64_t>() > parameter_file_limit)
        refuse(name, std::string{key} + " is " + value.dump() + ", expected whole numbers up to "
                       + std::to_string(parameter_file_limit));
      result.push_back(number.get<std::uint64_t>());
    }
    return result;
  }

  void check_places(std::uint64_t bytes) const {
    std::uint64_t at = 0;
    for (const auto& entry : entries_) {
      if (entry.begin != at || entry.end < entry.begin || entry.end > bytes)
        refuse(entry.name, "it is at " + std::to_string(entry.begin) + " .. "
                             + std::to_string(entry.end) + " of " + std::to_string(bytes)
                             + " bytes, expected to begin at " + std::to_string(at)
                             + ", where the previous array ends");
      at = entry.end;
    }
    if (at != bytes)
      refuse("has " + std::to_string(bytes) + " bytes of numbers, but its arrays end at "
             + std::to_string(at));
  }

  const std::string& path_;
  std::uint64_t data_ = 0;
  std::vector<TensorEntry> entries_;
  std::map<std::string, std::string> metadata_;
};

} // namespace

NamedParameters read_safetensors(const std::string& path) {
  const auto bytes = read_text(path, parameter_file_limit);
  const TensorHeader header(bytes, path);
  ArrayCollector arrays(path);
  for (const auto& entry : header.entries()) {
    arrays.add(entry.name, entry.shape);
    const auto& parameter = arrays.layout().parameters().back();
    const auto expected = static_cast<std::uint64_t>(parameter.size()) * entry.type->size;
    if (entry.end - entry.begin != expected)
      throw DataError(path + ": the array '" + entry.name + "' has "
                      + std::to_string(entry.end - entry.begin) + " bytes, but its shape "
                      + to_string(parameter.shape) + " needs " + std::to_string(expected)
                      + "; save the file again");
  }
  NamedParameters result{arrays.layout(), Block::uninitialized(arrays.layout().size()),
                         header.metadata()};
  const auto values = result.values.edit();
  for (std::size_t i = 0; i < header.entries().size(); ++i) {
    const auto& entry = header.entries()[i];
    const auto& parameter = result.layout.parameters()[i];
    entry.type->decode(bytes.data() + header.data() + entry.begin,
                       values.subspan(static_cast<std::size_t>(parameter.offset),
                                      static_cast<std::size_t>(parameter.size())));
  }
  return result;
}

void write_safetensors(const ByteSink& sink, const NamedParameters& parameters) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!parameters.metadata.empty())
    header[metadata_key] = parameters.metadata;
  for (const auto& parameter : parameters.layout.parameters())
    header[parameter.name]
      = {{"dtype", "F32"},
         {"shape", parameter.shape},
         {"data_offsets", {4 * parameter.offset, 4 * (parameter.offset + parameter.size())}}};
  auto text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  sink(&length, sizeof length);
  sink(text.data(), text.size());
  sink(parameters.values.view().data(), parameters.values.view().size_bytes());
}

} // namespace troupe
