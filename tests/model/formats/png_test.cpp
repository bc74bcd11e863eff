#include "base/failure.hpp"
#include "model/data/images/contact_sheet.hpp"
#include "model/data/images/digits.hpp"
#include "model/data/table/csv.hpp"
#include "model/formats/png.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// Uses libpng directly, and checks what kind of picture the file holds.
Picture picture_as_stored(const std::string& path, Index channels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  REQUIRE(png_image_begin_read_from_file(&image, path.c_str()) != 0);
  CHECK(image.format == (channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB));
  Picture picture{Index(image.width), Index(image.height), channels, {}};
  picture.pixels.resize(PNG_IMAGE_SIZE(image));
  REQUIRE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) != 0);
  return picture;
}

std::string four_bytes(std::size_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift & 0xff);
  return bytes;
}

std::string chunk(const std::string& name, const std::string& data) {
  const auto body = name + data;
  const auto checksum
    = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return four_bytes(data.size()) + body + four_bytes(checksum);
}

enum ColourType { grey_pixel = 0, colour_pixel = 2, grey_alpha_pixel = 4 }; // of PNG

/// A file of one pixel. @param looks chunks about gamma and colour space
std::string one_pixel(int bits, ColourType type, const std::string& pixel,
                      const std::string& looks = "") {
  const auto row = std::string(1, '\0') + pixel; // no filter
  auto size = compressBound(row.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(row.data()), row.size());
  packed.resize(size);
  const auto header = four_bytes(1) + four_bytes(1) + static_cast<char>(bits)
                      + static_cast<char>(type) + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + looks + chunk("IDAT", packed)
         + chunk("IEND", "");
}

using Pixels = std::vector<std::uint8_t>;

Pixels pixels_of(const std::string& file, Index channels = 1) {
  const test::DataFolder folder;
  return read_png(folder.write("x.png", file), channels).pixels;
}

/// Pictures of 4 x 5 pixels: class c is bright in pixel c.
class Dots : public Problem {
public:
  explicit Dots(Index classes) {
    spec_.inputs = {{"images", ElementType::float32, {any_size, 4, 5}, 0}};
    spec_.targets = {{"label", ElementType::class_index, {any_size}, classes}};
  }
  std::string name() const override { return "dots"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override { return section == Section::test ? 0 : 50; }
  void gather(Section, std::span<const Index> rows, Batch& batch) const override {
    batch.size = Index(rows.size());
    batch.inputs.resize(1);
    batch.targets.resize(1);
    batch.inputs[0].values.assign(rows.size() * 20, 0.f);
    batch.targets[0].classes.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto label = rows[i] % spec_.targets[0].classes;
      batch.inputs[0].values[i * 20 + std::size_t(label % 20)] = 1;
      batch.targets[0].classes[i] = std::int32_t(label);
    }
  }

private:
  DataSpec spec_;
};

class MaskedDots : public Dots {
public:
  using Dots::Dots;
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    Dots::gather(section, rows, batch);
    batch.targets[0].classes.assign(rows.size(), masked_class);
  }
};

/// Dots whose rows of odd numbers have masked classes.
class HalfMaskedDots : public Dots {
public:
  using Dots::Dots;
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    Dots::gather(section, rows, batch);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] % 2 == 1)
        batch.targets[0].classes[i] = masked_class;
  }
};

/// Pictures of 1 x 1 pixel with two classes each.
class TwoLabels : public Problem {
public:
  std::string name() const override { return "two labels"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section) const override { return 4; }
  void gather(Section, std::span<const Index> rows, Batch& batch) const override {
    batch.size = Index(rows.size());
    batch.inputs.resize(1);
    batch.targets.resize(1);
    batch.inputs[0].values.assign(rows.size(), 1.f);
    batch.targets[0].classes.assign(2 * rows.size(), 0);
  }

private:
  DataSpec spec_{{{"images", ElementType::float32, {any_size, 1, 1}, 0}},
                 {{"labels", ElementType::class_index, {any_size, 2}, 2}}};
};

std::ptrdiff_t bright_pixels(const Picture& sheet) {
  return std::count(sheet.pixels.begin(), sheet.pixels.end(), 255);
}

} // namespace

TEST_CASE("a written PNG can be read back", "[png]") {
  const test::DataFolder folder;
  for (Index channels : {1, 3}) {
    Picture picture{.width = 7, .height = 3, .channels = channels, .pixels = {}};
    for (Index i = 0; i < 21 * channels; ++i)
      picture.pixels.push_back(static_cast<std::uint8_t>(i * 4));
    const auto path = folder.path("x.png");
    write_png(path, picture); // the second time over the first
    const auto read = picture_as_stored(path, channels);
    CHECK(read.width == 7);
    CHECK(read.height == 3);
    CHECK(read.pixels == picture.pixels);
  }
  const auto files = std::filesystem::directory_iterator(folder.path(""));
  CHECK(std::distance(begin(files), end(files)) == 1); // nothing temporary is left
}

TEST_CASE("a pixel is the number in the file, whatever the file says about gamma", "[png]") {
  const auto linear = chunk("gAMA", four_bytes(100'000)); // gamma 1
  CHECK(pixels_of(one_pixel(8, grey_pixel, "\x33")) == Pixels{0x33});
  CHECK(pixels_of(one_pixel(8, grey_pixel, "\x33", linear)) == Pixels{0x33});
  CHECK(pixels_of(one_pixel(16, grey_pixel, "\x33\x33")) == Pixels{0x33}); // both are 0.2
  CHECK(pixels_of(one_pixel(16, grey_pixel, "\x33\x33", linear)) == Pixels{0x33});
  CHECK(pixels_of(one_pixel(16, grey_pixel, "\x33\xff")) == Pixels{0x34}); // the nearest
  CHECK(pixels_of(one_pixel(16, colour_pixel, "\x33\x33\x66\x66\x99\x99", linear), 3)
        == Pixels{0x33, 0x66, 0x99});
}

TEST_CASE("grey values and transparency use the luminance of the colours", "[png]") {
  using namespace std::string_literals;
  CHECK(pixels_of(one_pixel(8, colour_pixel, "\xff\0\0"s))
        == Pixels{126}); // 0.2126 of white's luminance
  CHECK(pixels_of(one_pixel(8, colour_pixel, "\0\xff\0"s)) == Pixels{219}); // 0.7152
  CHECK(pixels_of(one_pixel(8, colour_pixel, "\0\0\xff"s)) == Pixels{76});  // 0.0722
  CHECK(pixels_of(one_pixel(8, grey_alpha_pixel, "\xc8\x80"))
        == Pixels{148}); // half of the luminance of 200
}

TEST_CASE("a PNG whose chunks are endless is refused", "[png]") {
  const auto whole = one_pixel(16, grey_pixel, "\x33\x33", chunk("gAMA", four_bytes(100'000)));
  for (std::size_t size = 1; size < whole.size() - 12; ++size)
    CHECK_THROWS_AS(pixels_of(whole.substr(0, size)), DataError);
  auto endless = whole;
  endless.replace(8 + 25, 4, "\xff\xff\xff\xff"); // the length of gAMA
  CHECK_THROWS_AS(pixels_of(endless), DataError);
}

TEST_CASE("a picture that cannot be written is reported with the reason", "[png]") {
  const Picture picture{.width = 1, .height = 1, .pixels = {0}};
  const test::DataFolder folder;
  CHECK_THAT(test::sentence_of<IoError>([&] { write_png(folder.path("none/x.png"), picture); }),
             Contains("No such file"));
  std::filesystem::create_directory(folder.path("folder"));
  folder.write("folder/x", "");
  CHECK_THROWS_AS(write_png(folder.path("folder"), picture), IoError);
}

TEST_CASE("a picture with inconsistent sizes is refused", "[png]") {
  CHECK_THROWS_AS(write_png("x.png", {.width = 2, .height = 2, .pixels = {0}}),
                  std::invalid_argument);
  CHECK_THROWS_AS(write_png("x.png", {}), std::invalid_argument);
  CHECK_THROWS_AS(write_png("x.png", {.width = 1, .height = 1, .channels = 2, .pixels = {0, 0}}),
                  std::invalid_argument);
}

TEST_CASE("a contact sheet has a row for each of few classes", "[png]") {
  const auto sheet = contact_sheet(Dots(2), {.examples = 6, .scale = 1});
  CHECK(sheet.width == 5 + 3 * 6 + 1); // a label of one digit, three pictures, gaps
  CHECK(sheet.height == 2 * 5 + 1);
  for (Index column = 0; column < 3; ++column)
    for (Index label = 0; label < 2; ++label)
      for (Index pixel = 0; pixel < 20; ++pixel) {
        const auto x = 6 + column * 6 + pixel % 5, y = 1 + label * 5 + pixel / 5;
        CHECK(sheet.pixels[std::size_t(y * sheet.width + x)] == (pixel == label ? 255 : 0));
      }
}

TEST_CASE("a contact sheet of many classes is a grid", "[png]") {
  const auto sheet = contact_sheet(Dots(30), {.examples = 9, .scale = 2});
  CHECK(sheet.width == 2 * (3 * 6 + 1));
  CHECK(sheet.height == 2 * (3 * 12 + 1));
  CHECK(std::count(sheet.pixels.begin(), sheet.pixels.end(), 255) == 9 * 4);
}

TEST_CASE("a contact sheet leaves masked classes out of its rows and of a grid's labels", "[png]") {
  CHECK(bright_pixels(contact_sheet(HalfMaskedDots(2), {.examples = 6, .scale = 1})) == 3);
  const auto grid = contact_sheet(HalfMaskedDots(30), {.examples = 9, .scale = 1});
  CHECK(bright_pixels(grid) == 9);
  const auto label_of = [&grid](Index column) { // of the first row, below the picture
    std::ptrdiff_t pixels = 0;
    for (Index y = 6; y < 11; ++y)
      pixels += std::count(grid.pixels.begin() + y * grid.width + 1 + column * 6,
                           grid.pixels.begin() + y * grid.width + 6 + column * 6, 230);
    return pixels;
  };
  CHECK(label_of(0) > 0);
  CHECK(label_of(1) == 0);
  ContactSheetOptions answered{.examples = 2, .scale = 1};
  answered.answers
    = [](const Batch& batch) { return std::vector<Index>(batch.inputs[0].values.size() / 20); };
  CHECK(bright_pixels(contact_sheet(HalfMaskedDots(2), answered)) == 2);
}

TEST_CASE("a contact sheet of examples without classes is refused", "[png]") {
  CHECK_THROWS_WITH(contact_sheet(MaskedDots(2), {.examples = 6, .scale = 1}),
                    Catch::Contains("show another, or examples with classes"));
  // cure: whose classes are all masked; show another, or examples with classes
  CHECK_NOTHROW(contact_sheet(Dots(2), {.examples = 6, .scale = 1}));
}

TEST_CASE("a contact sheet of examples with several targets shows only the pictures", "[png]") {
  const auto sheet = contact_sheet(TwoLabels{}, {.examples = 4, .scale = 1});
  CHECK(bright_pixels(sheet) == 4);
  CHECK(std::count(sheet.pixels.begin(), sheet.pixels.end(), 230) == 0);
}

TEST_CASE("a contact sheet shows the available examples where more are asked for", "[png]") {
  CHECK(contact_sheet(Dots(30), {.examples = 100, .scale = 1}).height == 5 * 12 + 1);
  CHECK_THROWS_AS(contact_sheet(Dots(2), {.section = Section::test}), std::invalid_argument);
  CHECK_THROWS_AS(contact_sheet(Dots(2), {.examples = 0}), std::invalid_argument);
  CHECK_THROWS_AS(contact_sheet(Dots(2), {.scale = 0}), std::invalid_argument);
}

TEST_CASE("answers stand below the pictures, and wrong ones on a bright ground", "[png][M55]") {
  const auto sheet_of = [](Index off) {
    ContactSheetOptions options{.examples = 1, .scale = 1};
    options.answers = [off](const Batch& batch) {
      std::vector<Index> answers;
      for (const auto label : batch.targets[0].classes)
        answers.push_back((label + off) % 2);
      return answers;
    };
    return contact_sheet(Dots(2), options);
  };
  const auto right = sheet_of(0), wrong = sheet_of(1);
  CHECK(right.width == 1 + 10 + 1); // two digits need more room than five pixels
  CHECK(right.height == 1 + 4 + 8);
  const auto ground = [](const Picture& sheet) { // above the digits
    return sheet.pixels[std::size_t((1 + 4) * sheet.width + 1)];
  };
  CHECK(ground(right) < 100);
  CHECK(ground(wrong) > 200);
}

TEST_CASE("a problem without pictures has no contact sheet", "[png]") {
  const test::DataFolder folder;
  const Csv csv({.path = folder.write("x.csv", "1,2\n3,4\n5,6\n7,8\n")});
  CHECK_THAT(test::sentence_of<std::invalid_argument>([&] { contact_sheet(csv, {}); }),
             Contains("csv has no pictures") && Contains("features float32 [any, 1]"));
}

TEST_CASE("the contact sheet of digits has ten rows", "[png]") {
  const Digits digits({.train = 200, .validation = 0, .test = 0});
  const auto sheet = contact_sheet(digits, {.examples = 50, .scale = 1});
  CHECK(sheet.width == 5 + 5 * 29 + 1);
  CHECK(sheet.height == 10 * 29 + 1);
}
