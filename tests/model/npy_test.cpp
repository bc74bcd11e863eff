#include "troupe/model/problems/data_error.hpp"
#include "troupe/model/problems/npy.hpp"
#include "troupe/tests/support/data_files.hpp"

#include <catch2/catch.hpp>
#include <zlib.h>

#include <cstring>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

template <class Number>
std::string npy_bytes(const std::vector<Number>& values) {
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// A file *.npy as numpy.save writes it.
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

/// An archive of one member, packed where `pack`.
std::string zip_of(const std::string& name, const std::string& bytes, bool pack) {
  auto data = bytes;
  if (pack) { // what zlib packs, less its header of 2 and checksum of 4 bytes, is what ZIP wants
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

TEST_CASE("arrays of NumPy are read whatever their type and byte order", "[npy]") {
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

TEST_CASE("an array that lies column by column is read row by row", "[npy]") {
  const test::DataFolder folder;
  const auto path = folder.write(
    "a.npy", npy_file("<f4", "2, 3", npy_bytes<float>({11, 21, 12, 22, 13, 23}), "True"));
  CHECK(read_npy(path).values == Buffer<float>{11, 12, 13, 21, 22, 23});
}

TEST_CASE("half precision is read from either byte order", "[npy]") {
  const test::DataFolder folder;
  CHECK(read_npy(folder.write("a.npy", npy_file("<f2", "1,", {"\x00\xc1", 2}))).values
        == Buffer<float>{-2.5f});
  CHECK(read_npy(folder.write("a.npy", npy_file(">f2", "1,", {"\xc1\x00", 2}))).values
        == Buffer<float>{-2.5f});
}

TEST_CASE("arrays that are damaged are refused with their byte", "[npy]") {
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

TEST_CASE("an archive that is cut anywhere or has a wrong bit is refused", "[npy]") {
  const test::DataFolder folder;
  const auto array = npy_file("<f4", "3,", npy_bytes<float>({1, 2, 3}));
  for (const auto pack : {false, true}) {
    const auto good = zip_of("x.npy", array, pack);
    const auto comment_size = 2; // the last bytes, which nobody needs
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

TEST_CASE("arrays that do not belong together are refused", "[npy]") {
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

TEST_CASE("targets that are masked are counted, and labels of -1 and 1 are refused", "[npy]") {
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
  CHECK(problem_of({0, 1, -1, 1, -1}).reading() == Lines{"2 of 5 targets are -1 and do not count"});
  CHECK(problem_of({0, 1, 1, 2}).reading().empty());
  CHECK(problem_of({-1, 2, 1}).reading() // 0 may be a class that does not occur
        == Lines{"1 of 3 targets are -1 and do not count"});
  CHECK_THAT(test::sentence_of<DataError>([&] {
               problem_of({1, -1, -1, 1});
             }),
             Contains("y.npy has the classes -1 and 1") && Contains("save two classes as 0 and 1"));
}
