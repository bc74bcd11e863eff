#include "model/formats/idx_reader.hpp"

#include "base/failure.hpp"
#include "model/formats/data_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace troupe {

namespace {

constexpr std::uint8_t unsigned_byte = 0x08, float32 = 0x0D;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16
         | std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

std::string hex(const std::uint8_t* bytes, std::size_t n) {
  std::string text;
  for (std::size_t i = 0; i < n; ++i)
    text += fmt::format("{}{:02x}", i == 0 ? "" : " ", bytes[i]);
  return text;
}

/// The shape and the element type, checked against what the file can hold.
struct Header {
  std::uint8_t type = 0;
  Shape shape;
  std::uint64_t elements = 1;
  std::uint64_t bytes = 0; // of all elements
};

Header read_header(DataFile& file, const std::string& what, int min_rank, int max_rank) {
  std::array<std::uint8_t, 4> magic{};
  const auto got = file.read(magic.data(), magic.size());
  if (got < magic.size())
    throw DataError(file.place(got) + ": the file of " + what + " ends inside its first 4 bytes; "
                    + "expected an IDX file; copy or download it again");
  if (magic[0] != 0 || magic[1] != 0)
    throw DataError(file.place(0) + ": found " + hex(magic.data(), 4)
                    + " where an IDX file has 00 00, its type and its rank; give an IDX file of "
                    + what + ", plain or gzip");
  Header header;
  header.type = magic[2];
  if (header.type != unsigned_byte && header.type != float32)
    throw DataError(file.place(2) + ": found elements of type 0x" + hex(&magic[2], 1)
                    + ", expected 0x08 (unsigned bytes) or 0x0d (32-bit floats); convert the "
                    + what);
  const int rank = magic[3];
  if (rank < min_rank || rank > max_rank)
    throw DataError(file.place(3) + ": found " + std::to_string(rank) + " dimensions, expected "
                    + (min_rank == max_rank
                         ? std::to_string(min_rank)
                         : std::to_string(min_rank) + " to " + std::to_string(max_rank))
                    + " for " + what + "; are images and labels swapped?");
  for (int i = 0; i < rank; ++i) {
    std::array<std::uint8_t, 4> bytes{};
    const auto at = file.offset();
    if (file.read(bytes.data(), bytes.size()) < bytes.size())
      throw DataError(file.place(file.offset()) + ": the file ends inside size "
                      + std::to_string(i + 1) + " of " + std::to_string(rank)
                      + "; copy or download it again");
    const auto size = big_endian(bytes.data());
    if (size == 0)
      throw DataError(file.place(at) + ": size " + std::to_string(i + 1) + " of "
                      + std::to_string(rank) + " is 0, expected at least 1; there are no " + what
                      + " in this file, give another");
    header.shape.push_back(size);
    if (header.elements > most_elements / size)
      throw DataError(file.place(at) + ": the sizes " + to_string(header.shape)
                      + " make more than 2^32 elements, the limit; the file is damaged, or must be "
                        "split");
    header.elements *= size;
  }
  header.bytes = header.elements * (header.type == float32 ? 4 : 1);
  if (header.bytes > file.most_bytes())
    throw DataError(file.place(4) + ": the sizes " + to_string(header.shape) + " need "
                    + std::to_string(header.bytes) + " bytes of elements, the file can hold only "
                    + std::to_string(file.most_bytes())
                    + "; it is cut short or damaged, copy or download it again");
  return header;
}

DataError ends_early(const DataFile& file, std::uint64_t end, std::uint64_t start,
                     const Header& header) {
  return DataError(file.place(end) + ": the file ends after " + std::to_string(end - start)
                   + " of the " + std::to_string(header.bytes) + " bytes that its sizes "
                   + to_string(header.shape) + " announce; copy or download it again");
}

DataError ends_late(const DataFile& file, std::uint64_t end, const Header& header) {
  return DataError(file.place(end) + ": found more bytes after the " + std::to_string(header.bytes)
                   + " that the sizes " + to_string(header.shape)
                   + " announce, expected the end; the file is damaged, copy or download it "
                     "again");
}

IdxBytes map_elements(const DataFile& file, const Header& header) {
  const auto start = file.offset();
  MappedFile mapped(file.path());
  const std::uint64_t size = mapped.bytes().size(), end = start + header.bytes;
  if (size < end)
    throw ends_early(file, size, start, header);
  if (size > end)
    throw ends_late(file, end, header);
  return {std::move(mapped), static_cast<std::size_t>(start)};
}

/// Reads in pieces, so that memory grows only with what the file really contains.
template <class T>
std::vector<T> read_elements(DataFile& file, const Header& header) {
  std::vector<T> elements;
  const auto start = file.offset();
  constexpr std::uint64_t piece = std::uint64_t{1} << 24;
  while (elements.size() < header.elements) {
    const auto before = elements.size();
    const auto n = std::min<std::uint64_t>(piece, header.elements - before);
    elements.resize(before + n);
    if (file.read(elements.data() + before, n * sizeof(T)) < n * sizeof(T))
      throw ends_early(file, file.offset(), start, header);
  }
  const auto end = file.offset();
  std::uint8_t more = 0;
  if (file.read(&more, 1) != 0)
    throw ends_late(file, end, header);
  return elements;
}

} // namespace

std::span<const std::uint8_t> IdxBytes::all() const {
  if (!file_)
    return held_;
  const auto bytes = file_->bytes().substr(begin_);
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

void IdxBytes::check_unchanged() const {
  if (file_)
    file_->check_unchanged();
}

IdxArray read_idx(const std::string& path, const std::string& what, int min_rank, int max_rank) {
  DataFile file(path);
  const auto header = read_header(file, what, min_rank, max_rank);
  IdxArray array;
  array.shape = header.shape;
  if (header.type == unsigned_byte) {
    array.elements = file.gzip() ? IdxBytes{read_elements<std::uint8_t>(file, header)}
                                 : map_elements(file, header);
    return array;
  }
  const auto start = file.offset();
  auto floats = read_elements<float>(file, header);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    std::array<std::uint8_t, 4> bytes = std::bit_cast<std::array<std::uint8_t, 4>>(floats[i]);
    floats[i] = std::bit_cast<float>(big_endian(bytes.data()));
    if (!std::isfinite(floats[i]))
      throw DataError(file.place(start + 4 * i) + ": found " + std::to_string(floats[i])
                      + ", expected a finite number; clean the " + what);
  }
  array.elements = std::move(floats);
  return array;
}

} // namespace troupe
