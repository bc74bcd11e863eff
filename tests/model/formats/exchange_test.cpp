#include "base/failure.hpp"
#include "model/formats/npz.hpp"
#include "model/formats/parameter_file.hpp"
#include "model/formats/safetensors.hpp"
#include "model/formats/zip_writer.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/rounds.hpp"

#include <catch2/catch.hpp>

#include <optional>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

using Write = void (*)(const ByteSink&, const NamedParameters&);

NamedParameters three_parameters() {
  NamedParameters parameters;
  parameters.layout.add("linear0.weight", {2, 3});
  parameters.layout.add("linear0.bias", {3});
  parameters.layout.add("conv2d0.weight", {1, 2, 2, 1});
  parameters.values = Block(parameters.layout.size());
  auto number = 0.5f;
  for (auto& value : parameters.values.edit())
    value = number *= -1.25f;
  parameters.metadata = {{"format", "troupe"}, {"run", "digits \"7\""}};
  return parameters;
}

std::string written(Write write, const NamedParameters& parameters = three_parameters()) {
  std::string bytes;
  write([&bytes](const void* data,
                 std::size_t size) { bytes.append(static_cast<const char*>(data), size); },
        parameters);
  return bytes;
}

/// A safetensors file with this header and a number of data bytes.
std::string tensors(const std::string& header, const std::string& data) {
  std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + header + data;
}

std::string one_tensor(const std::string& dtype, const std::string& shape,
                       const std::string& offsets) {
  return R"({"w":{"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets
         + "}}";
}

std::vector<float> values_of(const NamedParameters& parameters) {
  return {parameters.values.view().begin(), parameters.values.view().end()};
}

/// Reads a file that may be damaged: the message that refuses it, or "" where it is accepted.
std::optional<std::string> refusal_of_file(const std::string& path) {
  try {
    read_parameter_file(path);
    return {};
  } catch (const DataError& error) {
    return error.what();
  }
}

} // namespace

TEST_CASE("written parameters are read back with names, shapes and bits", "[exchange]") {
  const test::DataFolder folder;
  const auto parameters = three_parameters();
  for (const auto& [name, write] :
       {std::pair<std::string, Write>{"a.npz", write_npz}, {"a.safetensors", write_safetensors}}) {
    const auto read = read_parameter_file(folder.write(name, written(write)));
    CHECK(read.layout.difference(parameters.layout).empty());
    CHECK(read.values == parameters.values);
  }
}

TEST_CASE("safetensors keep the metadata", "[exchange]") {
  const test::DataFolder folder;
  const auto path = folder.write("a.safetensors", written(write_safetensors));
  CHECK(read_safetensors(path).metadata == three_parameters().metadata);
}

TEST_CASE("the numbers in safetensors begin at a multiple of eight bytes", "[exchange]") {
  const auto bytes = written(write_safetensors);
  CHECK((bytes.size() - 4 * 13) % 8 == 0);
}

TEST_CASE("every numeric type of safetensors is read", "[exchange]") {
  const test::DataFolder folder;
  const auto read = [&](const std::string& dtype, const std::string& data) {
    return values_of(read_safetensors(folder.write(
      "a.safetensors",
      tensors(one_tensor(dtype, "[1]", "[0," + std::to_string(data.size()) + "]"), data))));
  };
  const std::vector<float> expected{-2.5f};
  CHECK(read("F16", {"\x00\xc1", 2}) == expected);
  CHECK(read("BF16", {"\x20\xc0", 2}) == expected);
  CHECK(read("F32", {"\x00\x00\x20\xc0", 4}) == expected);
  CHECK(read("F64", {"\x00\x00\x00\x00\x00\x00\x04\xc0", 8}) == expected);
  CHECK(read("I64", {"\x03\x00\x00\x00\x00\x00\x00\x00", 8}) == std::vector<float>{3});
  CHECK(read("I8", "\xfe") == std::vector<float>{-2});
  CHECK(read("U8", "\xfe") == std::vector<float>{254});
}

TEST_CASE("a single number is read as an array of one", "[exchange]") {
  const test::DataFolder folder;
  const auto read = read_safetensors(
    folder.write("a.safetensors", tensors(one_tensor("U8", "[]", "[0,1]"), "\x07")));
  CHECK(read.layout.parameters().front().shape == Shape{1});
  CHECK(values_of(read) == std::vector<float>{7});
}

TEST_CASE("an invalid safetensors header is refused with the defect", "[exchange]") {
  const test::DataFolder folder;
  const auto sentence = [&](const std::string& bytes) {
    return test::sentence_of<DataError>(
      [&] { read_safetensors(folder.write("a.safetensors", bytes)); });
  };
  const auto header = [&](const std::string& text) { return sentence(tensors(text, "12345678")); };
  CHECK_THAT(sentence("short"), Contains("too short"));
  CHECK_THAT(sentence(std::string(16, '\xff')), Contains("says that its header has"));
  CHECK_THAT(header("{nothing"), Contains("not JSON"));
  CHECK_THAT(header("[1]"), Contains("not a JSON object"));
  CHECK_THAT(header(one_tensor("F8_E4M3", "[8]", "[0,8]")), Contains("\"F8_E4M3\", expected F64"));
  CHECK_THAT(header(one_tensor("F32", "[3]", "[0,8]")), Contains("[3] needs 12"));
  CHECK_THAT(header(one_tensor("F32", "[-2]", "[0,8]")), Contains("whole numbers"));
  CHECK_THAT(header(one_tensor("F32", "[0]", "[0,8]")), Contains("without elements"));
  CHECK_THAT(header(one_tensor("F32", "[2]", "[4,8]")), Contains("expected to begin at 0"));
  CHECK_THAT(header(one_tensor("F32", "[2]", "[0,16]")), Contains("of 8 bytes"));
  CHECK_THAT(header(one_tensor("F32", "[1]", "[0,4]")), Contains("arrays end at 4"));
  CHECK_THAT(header(one_tensor("F32", "[4294967296,4294967296]", "[0,8]")),
             Contains("more elements"));
  // cure: elements than a file holds; save it
  CHECK_NOTHROW(read_safetensors(
    folder.write("w.safetensors", tensors(one_tensor("F32", "[2]", "[0,8]"), "12345678"))));
  CHECK_THAT(header(R"({"w":{"dtype":"F32","shape":[2]}})"), Contains("no data_offsets"));
  CHECK_THAT(header(R"({"__metadata__":{"a":1}})"), Contains("not a text"));
  CHECK_THAT(header(R"({"w":{},"w":{}})"), Contains("'w' incorrectly: it occurs twice"));
  CHECK_THAT(header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
             Contains("'b'") && Contains("expected to begin at 8"));
}

TEST_CASE("a safetensors header nested too deeply for the stack is refused", "[exchange]") {
  const test::DataFolder folder;
  constexpr std::size_t levels = 300'000;
  const auto deep = std::string(levels, '[') + std::string(levels, ']');
  for (const auto& header :
       {one_tensor("F32", deep, "[0,8]"), one_tensor("F32", "[2]", deep), R"({"w":)" + deep + "}",
        R"({"__metadata__":)" + deep + "}", R"({"__metadata__":{"a":)" + deep + "}}"})
    CHECK_THAT(test::sentence_of<DataError>([&] {
                 read_safetensors(folder.write("a.safetensors", tensors(header, "12345678")));
               }),
               Contains("levels deep"));
}

TEST_CASE("a truncated parameter file is refused", "[exchange]") {
  const test::DataFolder folder;
  for (const auto& [name, write] :
       {std::pair<std::string, Write>{"a.npz", write_npz}, {"a.safetensors", write_safetensors}}) {
    const auto good = written(write);
    const std::size_t unneeded = name == "a.npz" ? 2 : 0; // the size of a comment
    for (std::size_t size = 1; size < good.size() - unneeded; ++size)
      CHECK(refusal_of_file(folder.write(name, good.substr(0, size))));
  }
}

TEST_CASE("a parameter file with wrong bits is refused or read, and never crashes", "[exchange]") {
  const test::DataFolder folder;
  for (const auto& [name, write] :
       {std::pair<std::string, Write>{"a.npz", write_npz}, {"a.safetensors", write_safetensors}}) {
    const auto good = written(write);
    for (std::size_t bit = 0; bit < 8 * good.size(); bit += test::one_of(7)) {
      auto wrong = good;
      wrong[bit / 8] ^= static_cast<char>(1 << bit % 8);
      const auto sentence = refusal_of_file(folder.write(name, wrong));
      CHECK((!sentence || sentence->find(name) != std::string::npos));
    }
  }
}

TEST_CASE("an archive of 4 GiB is refused before it is written", "[exchange]") {
  std::size_t bytes = 0;
  ZipWriter zip([&bytes](const void*, std::size_t size) { bytes += size; });
  const std::string_view pieces[] = {{"x", std::size_t{0xffffffff}}}; // never read
  CHECK_THAT(test::sentence_of<DataError>([&] { zip.add("a.npy", pieces); }),
             Contains("write .safetensors"));
  CHECK(bytes == 0);
}

TEST_CASE("an array of an archive that is not a NumPy array is refused", "[exchange]") {
  const test::DataFolder folder;
  std::string bytes;
  ZipWriter zip([&bytes](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  });
  const std::string_view pieces[] = {"text"};
  zip.add("notes.txt", pieces);
  zip.finish();
  CHECK_THAT(*refusal_of_file(folder.write("a.npz", bytes)), Contains("'notes.txt'"));
}
