#include "base/failure.hpp"
#include "model/data/images/image_folder.hpp"
#include "model/formats/png.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

/// A folder of classes; each image has a distinct colour.
struct Gallery {
  test::DataFolder folder;

  std::string add(const std::string& name, const Picture& picture) const {
    const auto path = folder.path(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_png(path, picture);
    return path;
  }
  std::string root() const { return folder.path(""); }
};

Picture plain(std::uint8_t grey, Index width = 3, Index height = 2) {
  return {width, height, 1,
          std::vector<std::uint8_t>(static_cast<std::size_t>(width * height), grey)};
}

} // namespace

TEST_CASE("images of a folder are labelled by their folder", "[images]") {
  const Gallery gallery;
  for (const std::uint8_t i : {0, 1, 2, 3})
    gallery.add("dog/" + std::to_string(i) + ".png", plain(i));
  for (const std::uint8_t i : {100, 101, 102, 103})
    gallery.add("cat/" + std::to_string(i) + ".png", plain(i));
  gallery.folder.write("dog/notes.txt", "no image");
  gallery.folder.write("dog/.hidden.png", "no image");
  const ImageFolder images(
    {.path = gallery.root(), .validation_fraction = 0.25, .test_fraction = 0.25});
  CHECK(images.class_names() == std::vector<std::string>{"cat", "dog"});
  CHECK(to_string(images.spec().inputs[0]) == "images float32 [any, 2, 3]");
  CHECK(images.spec().targets[0].classes == 2);
  std::set<int> seen;
  for (auto section : {Section::train, Section::validation, Section::test}) {
    const auto batch = test::gather_all(images, section);
    for (std::size_t i = 0; i < batch.targets[0].classes.size(); ++i) {
      const auto grey = static_cast<int>(batch.inputs[0].values[6 * i + 5] * 255 + 0.5f);
      CHECK(seen.insert(grey).second);
      CHECK(batch.targets[0].classes[i] == (grey >= 100 ? 0 : 1));
    }
  }
  CHECK(seen.size() == 8);
}

TEST_CASE("images of a folder have three channels on request", "[images]") {
  const Gallery gallery;
  gallery.add("a/1.png", {1, 1, 3, {255, 0, 51}});
  gallery.add("a/2.png", plain(0, 1, 1)); // grey becomes three channels
  const ImageFolder images(
    {.path = gallery.root(), .channels = 3, .validation_fraction = 0, .test_fraction = 0.5});
  CHECK(to_string(images.spec().inputs[0]) == "images float32 [any, 1, 1, 3]");
  std::set<std::vector<float>> colours;
  for (auto section : {Section::train, Section::test}) {
    const auto batch = test::gather_all(images, section);
    colours.emplace(batch.inputs[0].values.begin(), batch.inputs[0].values.end());
  }
  CHECK(colours == std::set<std::vector<float>>{{0, 0, 0}, {1, 0, 0.2f}});
}

TEST_CASE("an image of another size is refused with both files", "[images]") {
  const Gallery gallery;
  gallery.add("a/1.png", plain(1));
  gallery.add("b/2.png", plain(1, 4, 2));
  const auto sentence
    = test::sentence_of<DataError>([&] { ImageFolder({.path = gallery.root()}); });
  CHECK_THAT(sentence, Contains("b/2.png: found 4 by 2") && Contains("a/1.png"));
}

TEST_CASE("of many pictures each has its pixels, and the first wrong one is reported", "[images]") {
  const Gallery gallery;
  for (int i = 100; i < 300; ++i)
    gallery.add("a/" + std::to_string(i) + ".png", plain(static_cast<std::uint8_t>(i - 100)));
  const ImageFolder images(
    {.path = gallery.root(), .split = "ordered", .validation_fraction = 0, .test_fraction = 0});
  const auto batch = test::gather_all(images, Section::train);
  const auto& pixels = batch.inputs[0].values;
  const auto width = pixels.size() / 200;
  for (std::size_t i = 0; i < 200; ++i)
    CHECK(pixels[i * width] == Approx(static_cast<double>(i) / 255));
  for (const auto* wrong : {"a/160.png", "a/170.png", "a/299.png"})
    gallery.add(wrong, plain(1, 4, 2));
  CHECK_THAT(test::sentence_of<DataError>([&] { ImageFolder({.path = gallery.root()}); }),
             Contains("a/160.png"));
}

TEST_CASE("a file that is no PNG, or half of one, is refused with its name", "[images]") {
  const Gallery gallery;
  const auto path = gallery.add("a/1.png", plain(1, 50, 50));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
  const auto sentence
    = [&] { return test::sentence_of<DataError>([&] { ImageFolder({.path = gallery.root()}); }); };
  CHECK_THAT(sentence(), Contains("a/1.png"));
  gallery.folder.write("a/1.png", "no image");
  CHECK_THAT(sentence(), Contains("a/1.png") && Contains("PNG"));
}

TEST_CASE("invalid folders of images are refused", "[images]") {
  const Gallery gallery;
  CHECK_THROWS_AS(ImageFolder({.path = gallery.folder.path("missing")}), IoError);
  CHECK_THAT(test::sentence_of<DataError>([&] { ImageFolder({.path = gallery.root()}); }),
             Contains("no folders"));
  std::filesystem::create_directory(gallery.folder.path("empty"));
  CHECK_THAT(test::sentence_of<DataError>([&] { ImageFolder({.path = gallery.root()}); }),
             Contains("empty") && Contains("no file *.png"));
  std::filesystem::create_symlink("loop", gallery.folder.path("loop"));
  CHECK_THAT(test::sentence_of<IoError>([&] { ImageFolder({.path = gallery.root()}); }),
             Contains("loop: Too many levels of symbolic links"));
  CHECK_THROWS_WITH(ImageFolder({}), Contains("give the path"));
  CHECK_THROWS_WITH(ImageFolder({.path = "a", .channels = 2}), Contains("channels is 2"));
}

TEST_CASE("image files count whatever the case of their suffix, and others are reported",
          "[images]") {
  const Gallery gallery;
  gallery.add("a/1.png", plain(1));
  gallery.add("a/2.Png", plain(2));
  gallery.add("b/3.PNG", plain(3));
  gallery.folder.write("b/4.jpg", "no PNG");
  gallery.folder.write("notes.txt", "no folder");
  const ImageFolder images({.path = gallery.root(), .validation_fraction = 0, .test_fraction = 0});
  CHECK(images.size(Section::train) == 3);
  REQUIRE(images.reading_notes().size() == 1);
  CHECK_THAT(images.reading_notes()[0],
             Contains("2 entries are skipped") && Contains("4.jpg") && Contains("notes.txt"));
}

TEST_CASE("colour pictures that become grey are counted", "[images]") {
  const Gallery gallery;
  gallery.add("a/1.png", {1, 1, 3, {255, 0, 51}});
  gallery.add("b/2.png", plain(0, 1, 1));
  ImageFolderOptions options{.path = gallery.root()};
  options.validation_fraction = options.test_fraction = 0;
  CHECK_THAT(ImageFolder(options).reading_notes().at(0),
             Contains("1 of 2 pictures are stored in colours") && Contains("problem.channels=3"));
  options.channels = 3;
  CHECK(ImageFolder(options).reading_notes().empty());
}

TEST_CASE("an ordered split of images is by name within each class", "[images]") {
  const Gallery gallery;
  for (const std::uint8_t i : {0, 1, 2, 3}) {
    gallery.add("a/" + std::to_string(i) + ".png", plain(i));
    gallery.add("b/" + std::to_string(i) + ".png", plain(static_cast<std::uint8_t>(100 + i)));
  }
  const ImageFolder images({.path = gallery.root(),
                            .split = "ordered",
                            .validation_fraction = 0.25,
                            .test_fraction = 0.25});
  const auto batch = test::gather_all(images, Section::test);
  CHECK(batch.targets[0].classes == Buffer<std::int32_t>{0, 1});
  CHECK(batch.inputs[0].values[0] == 3 / 255.f);
  CHECK(batch.inputs[0].values[6] == 103 / 255.f);
}

TEST_CASE("a class without training images is masked, and known to readers with the fit",
          "[images][fit]") {
  const Gallery gallery;
  for (const auto* name : {"a/1.png", "a/2.png", "b/1.png", "b/2.png", "c/1.png"})
    gallery.add(name, plain(static_cast<std::uint8_t>(name[0])));
  ImageFolderOptions options{.path = gallery.root()};
  options.validation_fraction = options.test_fraction = 0;
  const auto first_four = [](const SectionSizes&) {
    return SectionSample{Section::train, {0, 1, 2, 3}};
  };
  const ImageFolder images(options, "", first_four);
  CHECK(images.class_names() == std::vector<std::string>{"a", "b"});
  CHECK(images.spec().targets[0].masked);
  CHECK_THAT(images.reading_notes().at(0),
             Contains("1 of 5 pictures are of a class") && Contains("c"));
  const ImageFolder again(options, images.fit());
  CHECK(test::gather_all(again, Section::train).targets[0].classes.back() == masked_class);
}
