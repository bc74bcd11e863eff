#include "model/formats/npy_reader.hpp"

#include "base/failure.hpp"
#include "model/codecs/half_floats.hpp"
#include "model/formats/data_file.hpp"
#include "model/formats/zip_member.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace troupe {

namespace {

constexpr std::uint64_t most_npy = std::uint64_t{1} << 32; // bytes in memory
constexpr std::size_t more_elements_than_any = std::size_t{1} << 60;

/// Reports an error at a byte of a file.
[[noreturn]] void refuse_npy(const std::string& path, std::size_t at, const std::string& what) {
  throw DataError(path + ", byte " + std::to_string(at) + ": " + what);
}

/// The value of `key` in the header, a Python dictionary literal.
std::string header_value(const std::string& header, const std::string& key,
                         const std::string& path) {
  const auto at = header.find("'" + key + "':");
  if (at == std::string::npos)
    refuse_npy(path, 10, "the header has no '" + key + "'; save the array again with numpy.save");
  const auto begin = header.find_first_not_of(' ', at + key.size() + 3);
  if (begin == std::string::npos)
    return "";
  const auto end = header[begin] == '(' ? header.find(')', begin) : header.find(',', begin);
  return header.substr(begin, end == std::string::npos ? end : end - begin);
}

Shape shape_of(const std::string& text, const std::string& path) {
  Shape shape;
  const auto *at = text.data() + std::min<std::size_t>(1, text.size()),
             *end = text.data() + text.size();
  while (at != end) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    Index size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc{} || size < 0)
      refuse_npy(path, 10, "found the shape " + text + "), expected whole numbers");
    shape.push_back(size);
    at = next;
  }
  return shape;
}

template <class Number>
void convert(const char* from, bool swap, std::span<float> to) {
  for (auto& value : to) {
    char bytes[sizeof(Number)];
    std::memcpy(bytes, from, sizeof(Number));
    if (swap)
      std::reverse(bytes, bytes + sizeof(Number));
    Number number;
    std::memcpy(&number, bytes, sizeof(Number));
    value = static_cast<float>(number);
    from += sizeof(Number);
  }
}

/// IEEE 754 binary16, readable like a built-in type.
struct Half {
  std::uint16_t bits;
  explicit operator float() const {
    float value = 0;
    decode_float16(reinterpret_cast<const std::byte*>(&bits), {&value, 1});
    return value;
  }
};

struct NpyType {
  const char* name;
  std::size_t size;
  void (*convert)(const char*, bool, std::span<float>);
};

constexpr NpyType npy_types[] = {
  {"f4", 4, convert<float>},         {"f8", 8, convert<double>},
  {"f2", 2, convert<Half>},          {"b1", 1, convert<std::uint8_t>},
  {"u1", 1, convert<std::uint8_t>},  {"i1", 1, convert<std::int8_t>},
  {"u2", 2, convert<std::uint16_t>}, {"i2", 2, convert<std::int16_t>},
  {"u4", 4, convert<std::uint32_t>}, {"i4", 4, convert<std::int32_t>},
  {"u8", 8, convert<std::uint64_t>}, {"i8", 8, convert<std::int64_t>},
};

const NpyType& type_of(const std::string& descr, const std::string& path) {
  for (const auto& type : npy_types)
    if (descr.size() == 5 && descr.substr(2, 2) == type.name)
      return type;
  refuse_npy(path, 10,
             "found elements of type " + descr
               + ", expected numbers such as '<f4' or '|u1'; convert them with astype");
}

std::string lower_ascii(std::string text) {
  for (auto& c : text)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

/// Converts column-major elements to row-major: the first index of `shape` varies fastest.
Buffer<float> rows_of_columns(const Buffer<float>& columns, const Shape& shape) {
  Buffer<float> rows(columns.size());
  std::vector<std::size_t> at(shape.size());
  for (const auto value : columns) {
    std::size_t row = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
      row = row * static_cast<std::size_t>(shape[i]) + at[i];
    rows[row] = value;
    for (std::size_t i = 0; i < at.size() && ++at[i] == static_cast<std::size_t>(shape[i]); ++i)
      at[i] = 0;
  }
  return rows;
}

/// What the header of a .npy file says.
struct NpyHeader {
  Shape shape = {};
  const NpyType* type = nullptr;
  bool swap = false;       // the bytes of each element
  bool by_columns = false; // column-major
  std::size_t begin = 0;   // of the elements
  std::size_t count = 0;   // of the elements
};

NpyHeader npy_header_of(std::string_view bytes, const std::string& path) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY"))
    refuse_npy(path, 0,
               "found no NumPy array, which begins with \\x93NUMPY; save it again with "
               "numpy.save");
  const auto byte = [&bytes](std::size_t at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at]));
  };
  const auto wide = byte(6) > 1; // versions 2 and 3 have a header length of four bytes
  const std::size_t begin = wide ? 12 : 10;
  const auto length = byte(8) + (byte(9) << 8) + (wide ? (byte(10) << 16) + (byte(11) << 24) : 0);
  if (length > bytes.size() - begin)
    refuse_npy(path, bytes.size(),
               "found the end of the file, expected a header of " + std::to_string(length)
                 + " bytes; copy the file again");
  const std::string text{bytes.substr(begin, length)};
  const auto descr = header_value(text, "descr", path);
  NpyHeader header;
  header.type = &type_of(descr, path);
  header.swap = descr[1] == '>';
  header.shape = shape_of(header_value(text, "shape", path), path);
  header.begin = begin + length;
  const auto present = (bytes.size() - header.begin) / header.type->size;
  header.count = 1;
  for (const auto size : header.shape) {
    const auto n = static_cast<std::size_t>(size);
    header.count = n != 0 && header.count > more_elements_than_any / n ? more_elements_than_any
                                                                       : header.count * n;
  }
  if (header.count != present || (bytes.size() - header.begin) % header.type->size != 0)
    refuse_npy(path, bytes.size(),
               "found " + std::to_string(bytes.size() - header.begin)
                 + " bytes of elements, expected as many as the shape " + to_string(header.shape)
                 + " says; copy the file again");
  header.by_columns
    = header.shape.size() > 1 && header_value(text, "fortran_order", path) != "False";
  return header;
}

/// Collects numbers that are not finite.
class OddNumbers {
public:
  void look_at(std::span<const float> numbers) {
    for (const auto number : numbers) {
      if (!std::isfinite(number) && odd_++ == 0) {
        first_ = number;
        place_ = seen_;
      }
      ++seen_;
    }
  }

  /// @throws DataError if there are any
  void refuse(const Shape& shape, const std::string& path) const {
    if (odd_ > 0)
      throw DataError(
        place_in(shape, path, place_) + ": found "
        + (std::isnan(first_) ? "nan" : "inf, or a number too large for float32")
        + ", expected a number"
        + (odd_ > 1 ? "; so are " + std::to_string(odd_ - 1) + " others" : "")
        + "; fill these elements, or save only rows for which numpy.isfinite(x) holds");
  }

private:
  std::size_t seen_ = 0, odd_ = 0, place_ = 0;
  float first_ = 0;
};

bool is_in_archive(const std::string& path) {
  return lower_ascii(path).rfind(".npz:") != std::string::npos;
}

} // namespace

std::string place_in(const Shape& shape, const std::string& path, std::size_t at) {
  std::size_t width = 1;
  for (std::size_t i = 1; i < shape.size(); ++i)
    width *= static_cast<std::size_t>(shape[i]);
  auto text = path + ", row " + std::to_string(at / width);
  std::string place;
  auto rest = at % width;
  for (auto i = shape.size(); i-- > 1; rest /= static_cast<std::size_t>(shape[i]))
    place = std::to_string(rest % static_cast<std::size_t>(shape[i])) + (place.empty() ? "" : ", ")
            + place;
  return shape.size() < 2    ? text
         : shape.size() == 2 ? text + ", column " + place
                             : text + ", place [" + place + "]";
}

void check_finite(const NpyArray& array, const std::string& path) {
  OddNumbers odd;
  odd.look_at(array.values);
  odd.refuse(array.shape, path);
}

NpyArray parse_npy(std::string_view bytes, const std::string& path) {
  const auto header = npy_header_of(bytes, path);
  NpyArray array{header.shape, header.type->name[0] != 'f', Buffer<float>(header.count)};
  header.type->convert(bytes.data() + header.begin, header.swap, array.values);
  if (header.by_columns)
    array.values = rows_of_columns(array.values, array.shape);
  return array;
}

NpyArray read_npy(const std::string& path) {
  if (!is_in_archive(path))
    return parse_npy(read_text(path, most_npy), path);
  const auto archive_end = lower_ascii(path).rfind(".npz:");
  const auto archive = path.substr(0, archive_end + 4);
  const auto bytes
    = zip_member(read_text(archive, most_npy), path.substr(archive_end + 5) + ".npy", archive);
  return parse_npy(bytes, path);
}

NpyRows::NpyRows(const std::string& path) : path_(path) {
  NpyHeader header{.type = &npy_types[0]}; // floats in memory
  if (!is_in_archive(path) && !DataFile(path).gzip()) {
    file_.emplace(path);
    header = npy_header_of(file_->bytes(), path);
    elements_ = file_->bytes().data() + header.begin;
    held_.shape = header.shape;
  }
  if (!file_ || header.by_columns) {
    held_ = read_npy(path);
    header = {.type = &npy_types[0], .count = held_.values.size()};
    elements_ = reinterpret_cast<const char*>(held_.values.data());
    file_.reset();
  }
  count_ = header.count;
  element_bytes_ = header.type->size;
  swap_ = header.swap;
  convert_ = header.type->convert;
  if (!shape().empty() && shape()[0] > 0)
    row_bytes_ = static_cast<Index>(count_ * element_bytes_) / shape()[0];
}

std::string NpyRows::checked_sum() const {
  constexpr std::size_t at_once = 1 << 16, kept = 1 << 24; // numbers
  OddNumbers odd;
  std::string sum = checksum({});
  Buffer<float> piece;
  for (std::size_t i = 0; i < count_; i += at_once) {
    piece.resize(std::min(at_once, count_ - i));
    convert(elements_ + i * element_bytes_, piece);
    odd.look_at(piece);
    sum = checksum(std::as_bytes(std::span{piece}), sum);
    if (file_ && i % kept == 0)
      file_->release();
  }
  odd.refuse(shape(), path_);
  if (file_)
    file_->expect_any_order(); // of rows, in batches
  return sum;
}

void NpyRows::check_unchanged() const {
  if (file_)
    file_->check_unchanged();
}

} // namespace troupe
