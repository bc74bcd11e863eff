#include "model/formats/png.hpp"

#include "base/failure.hpp"
#include "model/formats/data_file.hpp"

#include <png.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace troupe {

namespace {

constexpr std::size_t signature_bytes = 8;
constexpr std::size_t frame_bytes = 12; // of a chunk: its length, its name, its checksum

std::size_t chunk_length(const char* bytes) {
  std::size_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Removes the chunks about gamma and colour space, because libpng would apply them to the numbers.
/// Invalid chunks stay, for libpng to refuse.
std::string without_colour_space(const std::string& bytes) {
  constexpr std::array<std::string_view, 5> looks{"gAMA", "cHRM", "sRGB", "iCCP", "cICP"};
  const std::string_view file = bytes;
  std::string plain{file.substr(0, signature_bytes)};
  for (auto at = plain.size(); at < file.size();) {
    const auto rest = file.size() - at;
    const auto length = rest < frame_bytes ? rest : chunk_length(&file[at]);
    const auto whole
      = rest < frame_bytes || length > rest - frame_bytes ? rest : length + frame_bytes;
    if (whole == rest
        || std::find(looks.begin(), looks.end(), file.substr(at + 4, 4)) == looks.end())
      plain += file.substr(at, whole);
    at += whole;
  }
  return plain;
}

} // namespace

Picture read_png(const std::string& path, Index channels) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 28;
  constexpr std::uint64_t most_pixels = std::uint64_t{1} << 24;
  const auto bytes = without_colour_space(read_text(path, most_bytes));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  const auto refuse = [&path, &image] {
    const std::string reason = image.message;
    png_image_free(&image);
    throw DataError(path + " cannot be read as PNG: " + reason + "; save or copy it again");
  };
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    refuse();
  Picture picture{image.width,
                  image.height,
                  channels,
                  {},
                  (image.format & PNG_FORMAT_FLAG_COLOR) != 0,
                  (image.format & PNG_FORMAT_FLAG_ALPHA) != 0,
                  (image.format & PNG_FORMAT_FLAG_LINEAR) != 0};
  if (std::uint64_t{image.width} * image.height > most_pixels) {
    png_image_free(&image);
    throw DataError(path + ": found " + std::to_string(picture.width) + " by "
                    + std::to_string(picture.height) + " pixels, expected at most "
                    + std::to_string(most_pixels) + "; make it smaller");
  }
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  image.flags
    |= PNG_IMAGE_FLAG_16BIT_sRGB; // otherwise libpng applies a gamma curve to 16 bits only
  picture.pixels.resize(PNG_IMAGE_SIZE(image)); // black, the background of transparent pixels
  if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0)
    refuse();
  return picture;
}

void write_png(const std::string& path, const Picture& picture) {
  constexpr Index most = 1 << 16; // pixels per side; libpng counts bytes in 32 bits
  if (picture.width < 1 || picture.height < 1 || picture.width > most || picture.height > most
      || (picture.channels != 1 && picture.channels != 3)
      || picture.width * picture.height * picture.channels > Index{1} << 30
      || picture.pixels.size()
           != static_cast<std::size_t>(picture.width * picture.height * picture.channels))
    throw std::invalid_argument("a picture of " + std::to_string(picture.width) + " by "
                                + std::to_string(picture.height) + " pixels, "
                                + std::to_string(picture.channels) + " channels and "
                                + std::to_string(picture.pixels.size()) + " bytes");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  // libpng's simplified interface: the other one reports errors with longjmp, past destructors.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<char> bytes(size);
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0, nullptr)
      == 0)
    throw IoError("cannot write " + path + ": " + image.message);

  const auto temporary = path + ".tmp." + std::to_string(::getpid());
  std::error_code error;
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(size));
  out.close();
  if (!out) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "the disk refused the data";
    std::filesystem::remove(temporary, error);
    throw IoError("cannot write " + path + ": " + reason
                  + "; check that the folder exists and has room");
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const auto reason = error.message();
    std::filesystem::remove(temporary, error);
    throw IoError("cannot write " + path + ": " + reason);
  }
}

} // namespace troupe
