#include "base/failure.hpp"
#include "model/data/arrays/npy.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <limits>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

template <class Number>
std::string npy_bytes(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A .npy file as numpy.save writes it.
std::string npy_file(const std::string& descr, const std::string& shape, const std::string& data,
                     const std::string& fortran = "False") {
  std::string header
    = "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': (" + shape + "), }";
  header.resize(118, ' ');
  header.back() = '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
}

std::string little(std::size_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text += static_cast<char>(number >> 8 * i & 0xff);
  return text;
}

/// An archive of one member, compressed if `pack`.
std::string zip_of(const std::string& name, const std::string& bytes, bool pack) {
  auto data = bytes;
  if (pack) { // ZIP stores zlib's data without its header of 2 and checksum of 4 bytes
    auto size = compressBound(bytes.size());
    data.resize(size);
    compress(reinterpret_cast<Bytef*>(data.data()), &size,
             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    data = data.substr(2, size - 6);
  }
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), uInt(bytes.size()));
  const auto shared = little(20, 2) + little(0, 2) + little(pack ? 8 : 0, 2) + little(0, 4)
                      + little(sum, 4) + little(data.size(), 4) + little(bytes.size(), 4)
                      + little(name.size(), 2) + little(0, 2);
  const auto local = "PK\x03\x04" + shared + name + data;
  const auto directory = "PK\x01\x02" + little(20, 2) + shared + little(0, 8) + little(0, 6) + name;
  return local + directory + "PK\x05\x06" + little(0, 4) + little(1, 2) + little(1, 2)
         + little(directory.size(), 4) + little(local.size(), 4) + little(0, 2);
}

std::string npy_sentence(const std::string& path) {
  return test::sentence_of<DataError>([&] { read_npy(path); });
}

} // namespace

TEST_CASE("NumPy arrays are read whatever their type and byte order", "[npy]") {
  const test::DataFolder folder;
  const auto read = [&folder](const std::string& descr, const std::string& data) {
    return read_npy(folder.write("a.npy", npy_file(descr, "2, 1", data)));
  };
  const Buffer<float> expected{3, 200};
  CHECK(read("<f4", npy_bytes<float>({3, 200})).values == expected);
  CHECK(read("<f8", npy_bytes<double>({3, 200})).values == expected);
  CHECK(read("|u1", npy_bytes<std::uint8_t>({3, 200})).values == expected);
  CHECK(read("<i8", npy_bytes<std::int64_t>({3, 200})).values == expected);
  CHECK(read(">i2", std::string("\0\x03\0\xc8", 4)).values == expected);
  CHECK(read("<i8", npy_bytes<std::int64_t>({-1, 0})).values == Buffer<float>{-1, 0});
  CHECK(read("<i4", npy_bytes<std::int32_t>({1, 2})).whole);
  CHECK_FALSE(read("<f4", npy_bytes<float>({1, 2})).whole);
  CHECK(read("<f4", npy_bytes<float>({1, 2})).shape == Shape{2, 1});
}

TEST_CASE("an array is found in an archive, stored or compressed", "[npy]") {
  const test::DataFolder folder;
  const auto array = npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3}));
  for (const auto pack : {false, true}) {
    const auto path = folder.write("a.npz", zip_of("x.npy", array, pack));
    CHECK(read_npy(path + ":x").values == Buffer<float>{1, 2, 3});
    CHECK_THAT(npy_sentence(path + ":y"), Contains("no y.npy") && Contains("x.npy"));
  }
}

TEST_CASE("a column-major array is read row by row", "[npy]") {
  const test::DataFolder folder;
  const auto path = folder.write(
    "a.npy", npy_file("<f4", "2, 3", npy_bytes<float>({11, 21, 12, 22, 13, 23}), "True"));
  CHECK(read_npy(path).values == Buffer<float>{11, 12, 13, 21, 22, 23});
}

TEST_CASE("half precision is read in either byte order", "[npy]") {
  const test::DataFolder folder;
  CHECK(read_npy(folder.write("a.npy", npy_file("<f2", "1,", {"\x00\xc1", 2}))).values
        == Buffer<float>{-2.5f});
  CHECK(read_npy(folder.write("a.npy", npy_file(">f2", "1,", {"\xc1\x00", 2}))).values
        == Buffer<float>{-2.5f});
}

TEST_CASE("damaged arrays are refused with the byte", "[npy]") {
  const test::DataFolder folder;
  const auto sentence
    = [&](const std::string& bytes) { return npy_sentence(folder.write("a.npy", bytes)); };
  const auto good = npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3}));
  CHECK_THAT(sentence("no array at all"), Contains("a.npy, byte 0"));
  CHECK_THAT(sentence(good.substr(0, 60)), Contains("byte 60: found the end"));
  CHECK_THAT(sentence(good.substr(0, good.size() - 1)), Contains("byte 139: found 11 bytes"));
  CHECK_THAT(sentence(good + "x"), Contains("found 13 bytes"));
  CHECK_THAT(sentence(npy_file("<f4", "4294967296, 4294967296", "")), Contains("found 0 bytes"));
  CHECK_THAT(sentence(npy_file("<f4", "-1,", "")), Contains("shape"));
  CHECK_THAT(sentence(npy_file("<U8", "1,", "")), Contains("astype"));
}

TEST_CASE("an archive that is truncated anywhere or has a wrong bit is refused", "[npy]") {
  const test::DataFolder folder;
  const auto array = npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3}));
  for (const auto pack : {false, true}) {
    const auto good = zip_of("x.npy", array, pack);
    const auto comment_size = 2; // the last bytes, which are not needed
    for (std::size_t size = 1; size < good.size() - comment_size; ++size)
      npy_sentence(folder.write("a.npz", good.substr(0, size)) + ":x");
    auto wrong = good;
    wrong[60] = static_cast<char>(wrong[60] ^ 1);
    npy_sentence(folder.write("a.npz", wrong) + ":x");
  }
}

TEST_CASE("a problem of arrays has classes where the targets are integers", "[npy]") {
  const test::DataFolder folder;
  const auto x
    = folder.write("x.npy", npy_file("<f4", "4, 2", npy_bytes<float>({0, 0, 1, 1, 2, 2, 3, 3})));
  const auto y
    = folder.write("y.npy", npy_file("<i8", "4,", npy_bytes<std::int64_t>({0, 1, 2, 3})));
  const Npy npy({.inputs = x, .targets = y, .validation_fraction = 0.25, .test_fraction = 0.25});
  CHECK(to_string(npy.spec().inputs[0]) == "inputs float32 [any, 2]");
  CHECK(to_string(npy.spec().targets[0]) == "targets class_index [any]");
  CHECK(npy.spec().targets[0].classes == 4);
  const auto batch = test::gather_all(npy, Section::train);
  CHECK(batch.size == 2);
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(batch.inputs[0].values[2 * i + 1] == static_cast<float>(batch.targets[0].classes[i]));
}

TEST_CASE("a problem of arrays is a regression where the targets are floats", "[npy]") {
  const test::DataFolder folder;
  const auto x = folder.write("x.npy", npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3})));
  const Npy npy({.inputs = x, .targets = x, .validation_fraction = 0, .test_fraction = 0.3});
  CHECK(to_string(npy.spec().targets[0]) == "targets float32 [any, 1]");
  const auto batch = test::gather_all(npy, Section::train);
  CHECK(batch.inputs[0].values == batch.targets[0].values);
}

TEST_CASE("inputs of every form make the same batches", "[npy]") {
  const test::DataFolder folder;
  const auto y = folder.write("y.npy", npy_file("<f4", "2,", npy_bytes<float>({1, 2})));
  const auto rows = npy_file("<f4", "2, 3", npy_bytes<float>({11, 12, 13, 21, 22, 23}));
  const auto inputs_of = [&](const std::string& x) {
    const Npy npy({.inputs = x, .targets = y, .validation_fraction = 0, .test_fraction = 0});
    return std::pair{test::gather_all(npy, Section::train).inputs[0].values, npy.fit()};
  };
  const auto expected = inputs_of(folder.write("x.npy", rows));
  CHECK(expected.first == Buffer<float>{11, 12, 13, 21, 22, 23});
  for (const auto& x :
       {folder.write("u.npy", npy_file("|u1", "2, 3", "\x0b\x0c\x0d\x15\x16\x17")),
        folder.write("d.npy", npy_file("<f8", "2, 3", npy_bytes<double>({11, 12, 13, 21, 22, 23}))),
        folder.write("c.npy",
                     npy_file("<f4", "2, 3", npy_bytes<float>({11, 21, 12, 22, 13, 23}), "True")),
        folder.write("z.npz", zip_of("x.npy", rows, true)) + ":x"})
    CHECK(inputs_of(x) == expected);
}

TEST_CASE("inputs that are written during training are refused, replaced ones stay", "[npy]") {
  const test::DataFolder folder;
  const auto file = npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3}));
  const auto x = folder.write("x.npy", file), y = folder.write("y.npy", file);
  const Npy npy({.inputs = x, .targets = y, .validation_fraction = 0, .test_fraction = 0});
  std::filesystem::rename(folder.write("other.npy", npy_file("<f4", "1,", npy_bytes<float>({9}))),
                          x);
  CHECK(test::gather_all(npy, Section::train).inputs[0].values == Buffer<float>{1, 2, 3});
  const Npy written({.inputs = y, .targets = y, .validation_fraction = 0, .test_fraction = 0});
  std::filesystem::resize_file(y, file.size() - 4);
  CHECK_THAT(test::sentence_of<DataError>([&] { test::gather_all(written, Section::train); }),
             Contains("y.npy was written while it was in use"));
}

TEST_CASE("arrays that do not match are refused", "[npy]") {
  const test::DataFolder folder;
  const auto x = folder.write("x.npy", npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3})));
  const auto y = folder.write("y.npy", npy_file("<f4", "2,", npy_bytes<float>({1, 2})));
  const auto below = folder.write("b.npy", npy_file("|i1", "3,", "\xfe\x01\x02"));
  const auto sentence
    = [](const NpyOptions& options) { return test::sentence_of<DataError>([&] { Npy{options}; }); };
  CHECK_THAT(sentence({.inputs = x, .targets = y}), Contains("y.npy has 2 rows, expected 3"));
  CHECK_THAT(sentence({.inputs = x, .targets = below}), Contains("classes from -2"));
  CHECK_THROWS_WITH(Npy({}), Contains("both inputs and targets"));
  const auto empty = folder.write("e.npy", npy_file("<i8", "3, 0", ""));
  const auto endless = folder.write("n.npy", npy_file("<f4", "1000000000000, 0", ""));
  CHECK_THAT(sentence({.inputs = x, .targets = empty}), Contains("e.npy has the shape [3, 0]"));
  CHECK_THAT(sentence({.inputs = endless, .targets = endless}), Contains("at least one number"));
}

TEST_CASE("masked targets are counted, and labels of -1 and 1 are refused", "[npy]") {
  const test::DataFolder folder;
  const auto problem_of = [&folder](const std::vector<std::int64_t>& labels) {
    const auto rows = std::to_string(labels.size());
    NpyOptions options;
    options.inputs = folder.write(
      "x.npy", npy_file("<f4", rows + ",", npy_bytes(std::vector<float>(labels.size(), 1.0f))));
    options.targets = folder.write("y.npy", npy_file("<i8", rows + ",", npy_bytes(labels)));
    return Npy{options};
  };
  using Lines = std::vector<std::string>;
  CHECK(problem_of({0, 1, -1, 1, -1}).reading_notes()
        == Lines{"2 of 5 targets are -1 and do not count"});
  CHECK(problem_of({0, 1, 1, 2}).reading_notes().empty());
  CHECK(problem_of({-1, 2, 1}).reading_notes() // 0 may be a class that does not occur
        == Lines{"1 of 3 targets are -1 and do not count"});
  CHECK_THAT(test::sentence_of<DataError>([&] {
               problem_of({1, -1, -1, 1});
             }),
             Contains("y.npy has the classes -1 and 1") && Contains("save two classes as 0 and 1"));
}

TEST_CASE("numbers of an array that are not finite are refused with array, row and column",
          "[npy]") {
  const test::DataFolder folder;
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = folder.write("x.npy", npy_file("<f4", "2, 2", npy_bytes<float>({0, 1, 2, nan})));
  const auto cube
    = folder.write("c.npy", npy_file("<f8", "2, 1, 2", npy_bytes<double>({0, 1, 2, 1e300})));
  const auto y = folder.write("y.npy", npy_file("<f4", "2,", npy_bytes<float>({nan, nan})));
  const auto good = folder.write("g.npy", npy_file("<f4", "2,", npy_bytes<float>({1, 2})));
  const auto sentence = [](const std::string& inputs, const std::string& targets) {
    return test::sentence_of<DataError>(
      [&] { Npy(NpyOptions{.inputs = inputs, .targets = targets}); });
  };
  CHECK_THAT(sentence(x, good), Contains("x.npy, row 1, column 1: found nan, expected a number"));
  CHECK_THAT(sentence(cube, good),
             Contains("c.npy, row 1, place [0, 1]: found inf, or a number too large"));
  CHECK_THAT(sentence(good, y), Contains("y.npy, row 0: found nan") && Contains("so are 1 others"));
}

TEST_CASE("one-hot targets are classes where they are integers, and this is reported", "[npy]") {
  const test::DataFolder folder;
  const auto x = folder.write("x.npy", npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3})));
  NpyOptions options{.inputs = x};
  options.validation_fraction = options.test_fraction = 0;
  options.targets
    = folder.write("y.npy", npy_file("|u1", "3, 3", std::string("\0\0\1\1\0\0\0\1\0", 9)));
  const Npy classes(options);
  CHECK(classes.spec().targets[0].shape == Shape{any_size});
  CHECK(classes.spec().targets[0].classes == 3);
  CHECK(test::gather_all(classes, Section::train).targets[0].classes
        == Buffer<std::int32_t>{2, 0, 1});
  CHECK_THAT(classes.reading_notes().at(0), Contains("one-hot") && Contains("3 classes"));
  options.targets
    = folder.write("f.npy", npy_file("<f4", "3, 3", npy_bytes<float>({0, 0, 1, 1, 0, 0, 0, 1, 0})));
  const Npy numbers(options);
  CHECK(numbers.spec().targets[0].type == ElementType::float32);
  CHECK_THAT(numbers.reading_notes().at(0), Contains("one-hot") && Contains("save integers"));
  options.targets = folder.write("m.npy", npy_file("|u1", "3, 2", std::string("\1\1\0\1\1\0", 6)));
  CHECK(Npy(options).reading_notes().empty()); // two positions of two classes
}

TEST_CASE("classes with huge gaps are refused with a way to renumber them", "[npy]") {
  const test::DataFolder folder;
  const auto x = folder.write("x.npy", npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3})));
  const auto y
    = folder.write("y.npy", npy_file("<i8", "3,", npy_bytes<std::int64_t>({0, 7, 999999})));
  CHECK_THAT(test::sentence_of<DataError>([&] { Npy(NpyOptions{.inputs = x, .targets = y}); }),
             Contains("has 3 different classes, but the largest is 999999")
               && Contains("numpy.unique"));
}

TEST_CASE("arrays are read with the classes of the earlier run", "[npy][fit]") {
  const test::DataFolder folder;
  const auto x = folder.write("x.npy", npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3})));
  const auto load = [&](const std::string& type, const std::string& data, const std::string& fit) {
    NpyOptions options{.inputs = x, .targets = folder.write("y.npy", npy_file(type, "3,", data))};
    options.validation_fraction = options.test_fraction = 0;
    return Npy(options, fit);
  };
  const auto labels = [](const std::vector<std::int64_t>& values) { return npy_bytes(values); };
  const auto first = load("<i8", labels({0, 2, 1}), "");
  CHECK(load("<i8", labels({0, 0, 1}), first.fit()).spec().targets[0].classes == 3);
  CHECK_THAT(test::sentence_of<DataError>([&] {
               load("<i8", labels({0, 3, 1}), first.fit());
             }),
             Contains("y.npy, row 1: found class 3, expected 0 to 2"));
  const auto numbers = load("<f4", npy_bytes<float>({1, 2, 3}), "");
  CHECK(load("<i8", labels({0, 3, 1}), numbers.fit()).spec().targets[0].type
        == ElementType::float32);
  CHECK(load("<i8", labels({0, 2, 1}), "").fit() == first.fit());
  CHECK(load("<i8", labels({0, 1, 2}), "").fit() != first.fit()); // other data
}
