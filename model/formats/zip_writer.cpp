#include "model/formats/zip_writer.hpp"

#include "base/failure.hpp"

#include <zlib.h>

namespace troupe {

namespace {

constexpr std::uint64_t zip_limit = 0xffffffff; // bytes; this value itself means ZIP64
constexpr std::uint64_t zip_files = 0xffff;

/// A number in `bytes` bytes, little-endian.
std::string zip_number(std::uint64_t number, int bytes) {
  std::string text;
  for (; bytes > 0; --bytes, number >>= 8)
    text += static_cast<char>(number & 0xff);
  return text;
}

} // namespace

void ZipWriter::check_size(std::uint64_t more) const {
  if (written_ + more >= zip_limit || files_ >= zip_files)
    throw DataError("a ZIP archive holds less than " + std::to_string(zip_limit)
                    + " bytes and at most " + std::to_string(zip_files)
                    + " files, which is too little here; write .safetensors instead");
}

void ZipWriter::put(std::string_view bytes) {
  sink_(bytes.data(), bytes.size());
  written_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::string_view> pieces) {
  constexpr std::uint64_t overhead = 30 + 46; // in the file and in the directory, without the name
  std::uint64_t size = 0;
  for (const auto piece : pieces)
    size += piece.size();
  check_size(size + overhead + 2 * name.size() + directory_.size());
  auto checksum = crc32(0, nullptr, 0);
  for (const auto piece : pieces)
    checksum = crc32_z(checksum, reinterpret_cast<const Bytef*>(piece.data()), piece.size());
  constexpr auto midnight = 0,
                 new_year_1980 = 0x21; // a fixed time, so that the bytes do not depend on the clock
  const auto shared = zip_number(20, 2) + zip_number(0, 4) + zip_number(midnight, 2)
                      + zip_number(new_year_1980, 2) + zip_number(checksum, 4) + zip_number(size, 4)
                      + zip_number(size, 4) + zip_number(name.size(), 2) + zip_number(0, 2);
  directory_ += "PK\x01\x02" + zip_number(20, 2) + shared + zip_number(0, 10)
                + zip_number(written_, 4) + name;
  put("PK\x03\x04" + shared + name);
  for (const auto piece : pieces)
    put(piece);
  ++files_;
}

void ZipWriter::finish() {
  check_size(directory_.size());
  const auto begin = written_;
  put(directory_);
  put("PK\x05\x06" + zip_number(0, 4) + zip_number(files_, 2) + zip_number(files_, 2)
      + zip_number(directory_.size(), 4) + zip_number(begin, 4) + zip_number(0, 2));
}

} // namespace troupe
