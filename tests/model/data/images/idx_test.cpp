#include "base/failure.hpp"
#include "model/data/images/idx.hpp"
#include "model/tensor/random.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <set>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

std::string big_endian(std::uint32_t x) {
  return {char(x >> 24), char(x >> 16), char(x >> 8), char(x)};
}

std::string header(int type, const std::vector<std::uint32_t>& sizes) {
  std::string bytes{0, 0, char(type), char(sizes.size())};
  for (auto size : sizes)
    bytes += big_endian(size);
  return bytes;
}

/// n images of 2 x 3 pixels; pixel p of image i is 10 i + p. Labels are i modulo 4.
std::string images_of(unsigned n) {
  auto bytes = header(8, {n, 2, 3});
  for (unsigned i = 0; i < n; ++i)
    for (unsigned p = 0; p < 6; ++p)
      bytes += char(10 * i + p);
  return bytes;
}

std::string labels_of(unsigned n) {
  auto bytes = header(8, {n});
  for (unsigned i = 0; i < n; ++i)
    bytes += char(i % 4);
  return bytes;
}

std::string gzip(const test::DataFolder& folder, const std::string& bytes) {
  const auto path = folder.path("packed");
  const auto file = gzopen(path.c_str(), "wb");
  REQUIRE(gzwrite(file, bytes.data(), unsigned(bytes.size())) == int(bytes.size()));
  gzclose(file);
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Loads images and labels from these bytes.
Idx load_idx(const test::DataFolder& folder, const std::string& images, const std::string& labels) {
  return Idx({.images = folder.write("images", images), .labels = folder.write("labels", labels)});
}

std::string refusal_of_idx(const std::string& images, const std::string& labels = labels_of(10)) {
  const test::DataFolder folder;
  const auto sentence = test::sentence_of<DataError>([&] { load_idx(folder, images, labels); });
  CHECK_THAT(sentence, Contains(folder.path("images")) || Contains(folder.path("labels")));
  return sentence;
}

/// Every image with its label, whatever the section: pixel 0 identifies the image.
void check_is_whole(const Idx& idx) {
  std::set<int> seen;
  for (auto section : {Section::train, Section::validation, Section::test}) {
    const auto batch = test::gather_all(idx, section);
    for (Index i = 0; i < batch.size; ++i) {
      const auto* image = batch.inputs[0].values.data() + i * 6;
      const auto which = int(std::lround(image[0] * 255)) / 10;
      CHECK(seen.insert(which).second);
      CHECK(batch.targets[0].classes[size_t(i)] == which % 4);
      for (int p = 0; p < 6; ++p)
        CHECK(image[p] == float(10 * which + p) / 255.f);
    }
  }
  CHECK(seen.size() == 10);
}

} // namespace

TEST_CASE("each image of an IDX file is in one section, with its label", "[idx]") {
  const test::DataFolder folder;
  const auto idx = load_idx(folder, images_of(10), labels_of(10));
  CHECK(to_string(idx.spec().inputs[0]) == "images float32 [any, 2, 3]");
  CHECK(idx.spec().targets[0].classes == 4);
  CHECK(idx.class_names() == std::vector<std::string>{"0", "1", "2", "3"});
  CHECK(idx.size(Section::train) == 8);
  CHECK(idx.size(Section::validation) == 1);
  CHECK(idx.size(Section::test) == 1);
  check_is_whole(idx);
}

TEST_CASE("a gzip IDX file is recognised by its first bytes, not its name", "[idx]") {
  const test::DataFolder folder;
  check_is_whole(load_idx(folder, gzip(folder, images_of(10)), gzip(folder, labels_of(10))));
}

TEST_CASE("the seed of the split determines which image goes where", "[idx]") {
  const test::DataFolder folder;
  IdxOptions options{.images = folder.write("i", images_of(20)),
                     .labels = folder.write("l", labels_of(20))};
  const Idx one(options), two(options);
  options.split_seed = 1;
  const Idx other(options);
  const auto values
    = [](const Idx& idx) { return test::gather_all(idx, Section::train).inputs[0].values; };
  CHECK(values(one) == values(two));
  CHECK(values(one) != values(other));
}

TEST_CASE("images that are written during training are refused", "[idx]") {
  const test::DataFolder folder;
  const auto plain = load_idx(folder, images_of(10), labels_of(10));
  folder.write("labels", labels_of(2)); // which are in memory
  check_is_whole(plain);
  std::filesystem::resize_file(folder.path("images"), images_of(2).size());
  CHECK_THAT(test::sentence_of<DataError>([&] { test::gather_all(plain, Section::train); }),
             Contains("images was written while it was in use"));
}

TEST_CASE("floats in an IDX file are unchanged", "[idx]") {
  auto bytes = header(0x0D, {10, 2});
  for (int i = 0; i < 20; ++i)
    bytes += big_endian(std::bit_cast<std::uint32_t>(float(i) * 0.5f - 3));
  const test::DataFolder folder;
  const auto idx = load_idx(folder, bytes, labels_of(10));
  const auto batch = test::gather_all(idx, Section::train);
  CHECK(idx.spec().inputs[0].shape == Shape{any_size, 2});
  CHECK(batch.inputs[0].values[1] - batch.inputs[0].values[0] == 0.5f);
  bytes.replace(bytes.size() - 4, 4, big_endian(0x7FC00000));
  CHECK_THAT(refusal_of_idx(bytes), Contains("byte 88") && Contains("finite"));
}

TEST_CASE("separate files make the test section", "[idx]") {
  const test::DataFolder folder;
  IdxOptions options{.images = folder.write("i", images_of(10)),
                     .labels = folder.write("l", labels_of(10)),
                     .test_images = folder.write("ti", images_of(3)),
                     .test_labels = folder.write("tl", labels_of(3))};
  const Idx idx(options);
  CHECK(idx.size(Section::train) == 9);
  CHECK(idx.size(Section::validation) == 1);
  CHECK(idx.size(Section::test) == 3);
  const auto batch = test::gather_all(idx, Section::test);
  CHECK(batch.inputs[0].values[6] == 10 / 255.f);
  CHECK(batch.targets[0].classes[2] == 2);

  folder.write("tl", header(8, {3}) + std::string{0, 9, 0});
  CHECK_THAT(test::sentence_of<DataError>([&] { Idx{options}; }),
             Contains("tl, byte 9") && Contains("label 9"));
  folder.write("ti", header(8, {3, 6}) + std::string(18, 'x'));
  CHECK_THAT(test::sentence_of<DataError>([&] { Idx{options}; }), Contains("[3, 6]"));
}

TEST_CASE("a file that is not IDX is refused, with the place", "[idx]") {
  CHECK_THAT(refusal_of_idx("\x89PNG and so on"), Contains("images, byte 0: found 89 50 4e 47"));
  CHECK_THAT(refusal_of_idx(header(0x0B, {10, 2, 3})),
             Contains("byte 2: found elements of type 0x0b"));
  CHECK_THAT(refusal_of_idx(labels_of(10)),
             Contains("byte 3: found 1 dimensions") && Contains("swapped"));
  CHECK_THAT(refusal_of_idx(images_of(10), images_of(10)),
             Contains("labels, byte 3: found 3 dimensions"));
  CHECK_THAT(refusal_of_idx(images_of(10), header(0x0D, {1}) + "1234"), Contains("labels, byte 2"));
  CHECK_THAT(refusal_of_idx(header(8, {0, 2, 3})), Contains("byte 4: size 1 of 3 is 0"));
  CHECK_THAT(refusal_of_idx(""), Contains("is empty"));
  CHECK_THAT(refusal_of_idx(images_of(10) + "x"),
             Contains("byte 76: found more bytes after the 60"));
  CHECK_THAT(refusal_of_idx(images_of(10), labels_of(9)),
             Contains("byte 4: found 9 labels, expected 10"));
}

TEST_CASE("sizes that the file cannot hold are refused before memory is allocated", "[idx]") {
  CHECK_THAT(refusal_of_idx(header(8, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF})), Contains("2^32"));
  CHECK_THAT(refusal_of_idx(header(8, {60000, 200, 300}) + "abc"),
             Contains("need 3600000000 bytes of elements, the file can hold only 19"));
  const test::DataFolder folder;
  CHECK_THAT(refusal_of_idx(gzip(folder, header(8, {60000, 200, 300}))), Contains("can hold only"));
}

TEST_CASE("a truncated IDX file is refused", "[idx]") {
  const test::DataFolder folder;
  const auto whole = images_of(10), packed = gzip(folder, whole);
  const auto labels = folder.write("labels", labels_of(10));
  for (const auto& bytes : {whole, packed})
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      const auto images = folder.write("images", bytes.substr(0, n));
      REQUIRE_THROWS_AS(Idx({.images = images, .labels = labels}), DataError);
    }
}

TEST_CASE("a gzip IDX file with one wrong byte is refused, or loads what its header says",
          "[idx]") {
  const test::DataFolder folder;
  const auto packed = gzip(folder, images_of(10));
  const auto labels = folder.write("labels", labels_of(10));
  for (std::size_t i = 0; i < packed.size(); ++i) {
    auto bytes = packed;
    bytes[i] = char(bytes[i] ^ 0x20);
    const auto images = folder.write("images", bytes);
    try {
      check_is_whole(Idx({.images = images, .labels = labels})); // time or system in gzip's header
    } catch (const DataError&) {
    }
  }
}

TEST_CASE("random bytes after the beginning of an IDX header are refused or load", "[idx]") {
  const test::DataFolder folder;
  const auto labels = folder.write("labels", labels_of(10));
  Random random(RandomKey{5});
  for (int round = 0; round < 500; ++round) {
    auto bytes = images_of(10);
    for (Index changes = 1 + random.below(4); changes > 0; --changes)
      bytes[size_t(random.below(16))] = char(random.below(round % 2 == 0 ? 256 : 14));
    const auto images = folder.write("images", bytes);
    try {
      const Idx idx({.images = images, .labels = labels});
      CHECK(idx.size(Section::train) == 8);
    } catch (const DataError&) {
    }
  }
}

TEST_CASE("files that cannot be read are another error than bad data", "[idx]") {
  const test::DataFolder folder;
  const auto labels = folder.write("labels", labels_of(10));
  const auto sentence = [&](const std::string& images) {
    return test::sentence_of<IoError>([&] { Idx({.images = images, .labels = labels}); });
  };
  CHECK_THAT(sentence(folder.path("none")), Contains("none does not exist"));
  CHECK_THAT(sentence(folder.path("")), Contains("is a folder"));
  CHECK_THAT(sentence("/dev/zero"), Contains("is a special file"));
}

TEST_CASE("invalid options of idx are refused", "[idx]") {
  const test::DataFolder folder;
  IdxOptions options{.images = folder.write("i", images_of(10)),
                     .labels = folder.write("l", labels_of(10))};
  auto changed = options;
  changed.validation_fraction = 1;
  CHECK_THROWS_AS(Idx(changed), std::invalid_argument);
  changed = options;
  changed.validation_fraction = changed.test_fraction = 0.5;
  CHECK_THROWS_AS(Idx(changed), std::invalid_argument);
  changed = options;
  changed.test_images = options.images;
  CHECK_THROWS_AS(Idx(changed), std::invalid_argument);
  CHECK_THROWS_AS(Idx({}), std::invalid_argument);
  Batch batch;
  CHECK_THROWS_AS(Idx(options).gather(Section::test, std::vector<Index>{1}, batch),
                  std::out_of_range);
}

TEST_CASE("the 10,000 images of MNIST split into 8,000, 1,000 and 1,000", "[idx]") {
  if (!test::has_real_data("mnist-10k"))
    return;
  const Idx idx({.images = test::real_data("mnist-10k/t10k-images-idx3-ubyte.gz"),
                 .labels = test::real_data("mnist-10k/t10k-labels-idx1-ubyte.gz")});
  CHECK(to_string(idx.spec().inputs[0]) == "images float32 [any, 28, 28]");
  CHECK(idx.spec().targets[0].classes == 10);
  CHECK(idx.size(Section::train) == 8000);
  CHECK(idx.size(Section::validation) == 1000);
  const auto batch = test::gather_all(idx, Section::test);
  CHECK(batch.size == 1000);
  const auto& labels = batch.targets[0].classes;
  CHECK(std::set<int>(labels.begin(), labels.end()).size() == 10);
}
