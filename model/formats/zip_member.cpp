#include "model/formats/zip_member.hpp"

#include "base/failure.hpp"

#include <zlib.h>

#include <algorithm>

namespace troupe {

namespace {

/// Little-endian numbers of an archive; each access is checked, because the archive may be damaged.
class ZipBytes {
public:
  ZipBytes(const std::string& bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  std::size_t number(std::size_t at, std::size_t size) const {
    need(at, size);
    std::size_t value = 0;
    for (auto i = size; i-- > 0;)
      value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
    return value;
  }

  std::string text(std::size_t at, std::size_t size) const {
    need(at, size);
    return bytes_.substr(at, size);
  }

  [[noreturn]] void refuse(std::size_t at, const std::string& what) const {
    throw DataError(path_ + ", byte " + std::to_string(at) + ": " + what
                    + "; copy or save the archive again");
  }

private:
  void need(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at)
      refuse(std::min(at, bytes_.size()),
             "found the end of the archive, expected " + std::to_string(size) + " bytes more");
  }
  const std::string& bytes_;
  const std::string& path_;
};

std::string inflated(const std::string& packed, std::size_t size, const ZipBytes& zip,
                     std::size_t at) {
  constexpr std::size_t deflate_ratio = 1032; // at best 258 bytes per two bits, RFC 1951
  if (size / deflate_ratio > packed.size())
    zip.refuse(at, "found " + std::to_string(packed.size()) + " bytes that are to unpack to "
                     + std::to_string(size));
  std::string bytes(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) // raw deflate
    zip.refuse(at, "zlib has no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(size);
  const auto code = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (code != Z_STREAM_END || stream.total_out != size)
    zip.refuse(at, "the packed data are damaged");
  return bytes;
}

} // namespace

std::vector<ZipMember> zip_directory(const std::string& archive, const std::string& path) {
  const ZipBytes zip(archive, path);
  const auto end = archive.rfind("PK\x05\x06");
  if (end == std::string::npos)
    zip.refuse(archive.size(), "found no ZIP directory");
  const auto count = zip.number(end + 10, 2);
  auto entry = zip.number(end + 16, 4);
  std::vector<ZipMember> members;
  for (std::size_t i = 0; i < count; ++i) {
    if (zip.text(entry, 4) != "PK\x01\x02")
      zip.refuse(entry, "found no entry of the directory");
    const auto name_size = zip.number(entry + 28, 2);
    const ZipMember member{zip.text(entry + 46, name_size), entry,
                           zip.number(entry + 10, 2),       zip.number(entry + 16, 4),
                           zip.number(entry + 20, 4),       zip.number(entry + 24, 4),
                           zip.number(entry + 42, 4)};
    if (member.packed_size == 0xffffffff || member.size == 0xffffffff || member.local == 0xffffffff)
      zip.refuse(entry, "found ZIP64, which is for more than 4 GiB");
    members.push_back(member);
    entry += 46 + name_size + zip.number(entry + 30, 2) + zip.number(entry + 32, 2);
  }
  return members;
}

std::string unpack(const std::string& archive, const ZipMember& member, const std::string& path) {
  const ZipBytes zip(archive, path);
  const auto data
    = member.local + 30 + zip.number(member.local + 26, 2) + zip.number(member.local + 28, 2);
  auto bytes = zip.text(data, member.packed_size);
  if (member.method == 8)
    bytes = inflated(bytes, member.size, zip, data);
  else if (member.method != 0 || member.packed_size != member.size)
    zip.refuse(member.entry,
               "found packing method " + std::to_string(member.method) + ", expected 0 or 8");
  const auto sum
    = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  if (sum != member.checksum)
    zip.refuse(data, "the checksum of " + member.name + " differs");
  return bytes;
}

std::string zip_member(const std::string& archive, const std::string& name,
                       const std::string& path) {
  std::string known;
  for (const auto& member : zip_directory(archive, path)) {
    if (member.name == name)
      return unpack(archive, member, path);
    known += (known.empty() ? "" : ", ") + member.name;
  }
  throw DataError(path + " has no " + name + "; it has " + (known.empty() ? "nothing" : known));
}

} // namespace troupe
