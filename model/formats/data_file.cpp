#include "model/formats/data_file.hpp"

#include "base/failure.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace troupe {

void DataFile::Close::operator()(void* file) const { gzclose_r(static_cast<gzFile>(file)); }

DataFile::DataFile(std::string path) : path_(std::move(path)) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(path_, error);
  if (status.type() == fs::file_type::not_found && path_.starts_with("~/"))
    throw IoError(path_
                  + " does not exist: shells replace ~ at the begin of a word only; write \"$HOME\""
                  + path_.substr(1));
  if (status.type() == fs::file_type::not_found)
    throw IoError(path_ + " does not exist; check the path, which starts from "
                  + fs::current_path(error).string() + " unless it begins with /");
  if (error)
    throw IoError("cannot read " + path_ + ": " + error.message());
  if (!fs::is_regular_file(status)) // a pipe would block, a folder has no bytes
    throw IoError(path_ + " is a " + (fs::is_directory(status) ? "folder" : "special file")
                  + "; give the path of a file");
  size_ = fs::file_size(path_, error);
  if (error)
    throw IoError("cannot read " + path_ + ": " + error.message());
  errno = 0;
  file_.reset(gzopen(path_.c_str(), "rb"));
  if (!file_)
    throw IoError("cannot read " + path_ + ": "
                  + (errno != 0 ? std::strerror(errno) : "not enough memory"));
  if (size_ == 0)
    throw DataError(path_ + " is empty; copy or download it again");
  constexpr std::uint64_t least_buffer = 1 << 12, most_buffer = 1 << 17;
  gzbuffer(static_cast<gzFile>(file_.get()),
           static_cast<unsigned>(std::clamp(size_, least_buffer, most_buffer)));
  gzip_ = gzdirect(static_cast<gzFile>(file_.get())) == 0;
}

std::size_t DataFile::read(void* to, std::size_t bytes) {
  const auto file = static_cast<gzFile>(file_.get());
  auto* at = static_cast<char*>(to);
  std::size_t done = 0;
  while (done < bytes) {
    constexpr std::size_t most = 1 << 30; // gzread counts with an int
    const auto got = gzread(file, at + done, static_cast<unsigned>(std::min(bytes - done, most)));
    if (got > 0) {
      done += static_cast<std::size_t>(got);
      offset_ += static_cast<std::uint64_t>(got);
    }
    int code = Z_OK;
    const std::string reason = gzerror(file, &code);
    if (code == Z_ERRNO)
      throw IoError("cannot read " + path_ + ": " + std::strerror(errno));
    if (code == Z_BUF_ERROR)
      throw DataError(place(offset_) + ": the gzip file ends early, after " + std::to_string(size_)
                      + " bytes on disk; copy or download it again");
    if (code != Z_OK && code != Z_STREAM_END)
      throw DataError(place(offset_) + ": the gzip data are damaged (" + reason
                      + "); copy or download the file again");
    if (got <= 0)
      break;
  }
  return done;
}

std::uint64_t DataFile::most_bytes() const {
  constexpr std::uint64_t deflate_ratio = 1032; // at best 258 bytes per two bits, RFC 1951
  return gzip_ ? size_ * deflate_ratio : size_;
}

std::string DataFile::place(std::uint64_t offset) const {
  return path_ + ", byte " + std::to_string(offset) + (gzip_ ? " after unpacking" : "");
}

std::filesystem::file_type file_type_of(const std::filesystem::directory_entry& entry) {
  std::error_code error;
  const auto type = entry.status(error).type();
  if (type == std::filesystem::file_type::none)
    throw IoError("cannot read " + entry.path().string() + ": " + error.message()
                  + "; repair it, or remove it from the folder");
  return type;
}

std::string read_text(const std::string& path, std::uint64_t limit) {
  DataFile file(path);
  std::string text;
  // One byte more than a plain file has shows its end. What gzip unpacks to is not known.
  constexpr std::uint64_t usual_piece = 1 << 20;
  const auto piece
    = static_cast<std::size_t>(file.gzip() ? usual_piece : std::min(file.most_bytes(), limit) + 1);
  for (;;) {
    const auto before = text.size();
    text.resize(before + piece);
    const auto got = file.read(text.data() + before, piece);
    text.resize(before + got);
    if (text.size() > limit)
      throw DataError(path + (file.gzip() ? " unpacks to" : " has") + " more than "
                      + std::to_string(limit) + " bytes, which is the limit; split it");
    if (got < piece)
      return text;
  }
}

std::string checksum(std::span<const std::byte> bytes, const std::string& before) {
  const auto sum = crc32_z(std::stoul(before, nullptr, 16),
                           reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  return fmt::format("{:08x}", sum);
}

} // namespace troupe
