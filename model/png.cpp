#include "troupe/model/png.hpp"

#include "troupe/model/problems/data_error.hpp"

#include <png.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace troupe {

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
  // libpng's simplified interface: the other one leaves through longjmp, past destructors.
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<char> bytes(size);
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.pixels.data(), 0, nullptr)
      == 0)
    throw FileError("cannot write " + path + ": " + image.message);

  const auto temporary = path + ".tmp." + std::to_string(::getpid());
  std::error_code error;
  errno = 0;
  std::ofstream out(temporary, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(size));
  out.close();
  if (!out) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "the disk refused the data";
    std::filesystem::remove(temporary, error);
    throw FileError("cannot write " + path + ": " + reason
                    + "; check that the folder exists and has room");
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const auto reason = error.message();
    std::filesystem::remove(temporary, error);
    throw FileError("cannot write " + path + ": " + reason);
  }
}

} // namespace troupe
