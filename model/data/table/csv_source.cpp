#include "model/data/table/csv_source.hpp"

#include "base/failure.hpp"
#include "base/text/utf8.hpp"
#include "model/data/table/csv_encoding.hpp"
#include "model/data/table/foreign_table.hpp"
#include "model/formats/data_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace troupe {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30;

IoError cannot_read_table(const std::string& path, const std::string& reason) {
  return IoError("cannot read " + path + ": " + reason);
}

bool is_in_two_byte_units(std::string_view begin) {
  return begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF")
         || begin.starts_with(std::string_view{"\0\0\xFE\xFF", 4});
}

} // namespace

DataError table_changed(const std::string& path) {
  return DataError(path + " changed while it was read; wait until it is written, and start again");
}

PieceSum sum_of_piece(std::string_view text) {
  return {static_cast<std::uint32_t>(
            crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size())),
          text.size()};
}

CsvSource::CsvSource(std::string path) : path_(std::move(path)) {
  constexpr std::size_t begin_bytes = 16; // show another format or encoding
  DataFile file(path_);
  std::string begin(begin_bytes, '\0');
  begin.resize(file.read(begin.data(), begin.size()));
  refuse_foreign_table(begin, path_);
  if (file.gzip() || is_in_two_byte_units(begin) || file.most_bytes() > most_bytes) {
    auto bytes = read_text(path_, most_bytes);
    held_checksum_ = troupe::checksum(std::as_bytes(std::span{bytes}));
    auto converted = utf8_text(std::move(bytes), path_);
    held_ = std::move(converted.text);
    encoding_ = std::move(converted.from);
    size_ = held_.size();
    return;
  }
  file_ = Descriptor{open(path_.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file_.get() < 0)
    throw cannot_read_table(path_, std::strerror(errno));
  mark_ = begin.starts_with(utf8_mark) ? utf8_mark : std::string_view{};
  size_ = file.most_bytes() - mark_.size();
}

void CsvSource::read(std::uint64_t offset, std::uint64_t bytes, std::string& text) const {
  bytes = std::min(bytes, size_ - offset);
  if (file_.get() < 0) {
    text.assign(held_, offset, bytes);
    return;
  }
  text.resize(bytes);
  for (std::size_t done = 0; done < bytes;) {
    const auto got = pread(file_.get(), text.data() + done, bytes - done,
                           static_cast<off_t>(mark_.size() + offset + done));
    if (got == 0)
      throw table_changed(path_);
    if (got < 0 && errno != EINTR)
      throw cannot_read_table(path_, std::strerror(errno));
    done += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
}

std::string CsvSource::checksum(std::span<const PieceSum> pieces) const {
  if (file_.get() < 0)
    return held_checksum_;
  uLong sum = sum_of_piece(mark_).sum;
  for (const auto& piece : pieces)
    sum = crc32_combine(sum, piece.sum, static_cast<z_off_t>(piece.bytes));
  return fmt::format("{:08x}", sum);
}

} // namespace troupe
