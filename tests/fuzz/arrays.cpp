// Files of arrays: parameters of other programs, and data.
#include "base/failure.hpp"
#include "model/formats/idx_reader.hpp"
#include "model/formats/npy_reader.hpp"
#include "model/formats/npy_writer.hpp"
#include "model/formats/npz.hpp"
#include "model/formats/safetensors.hpp"
#include "model/formats/zip_member.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/parser.hpp"

#include <zlib.h>

#include <cstring>
#include <numeric>

namespace troupe::fuzz {

namespace {

NamedParameters some_parameters() {
  NamedParameters parameters;
  parameters.layout.add("linear0.weight", {3, 2});
  parameters.layout.add("linear0.bias", {2});
  std::vector<float> values(8);
  std::iota(values.begin(), values.end(), -3.5f);
  parameters.values = Block::copy_of(values);
  parameters.metadata = {{"program", "troupe"}};
  return parameters;
}

template <class Write>
std::string written_by(Write write) {
  std::string bytes;
  write([&bytes](const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  });
  return bytes;
}

/// What is read can be written.
void write_again(const NamedParameters& parameters) {
  if (!parameters.layout.defect().empty() || parameters.values.size() != parameters.layout.size())
    report("a layout that is not that of its values: " + parameters.layout.defect());
  written_by([&](const ByteSink& sink) { write_safetensors(sink, parameters); });
  written_by([&](const ByteSink& sink) { write_npz(sink, parameters); });
}

// -- safetensors
// ------------------------------------------------------------------------------------

void parse_safetensors(std::string_view input) {
  static InputFile file;
  accept_or_refuse<DataError, IoError>([&] { write_again(read_safetensors(file.hold(input))); });
}

std::string tensor_file(const std::string& header, const std::string& numbers) {
  const std::uint64_t size = header.size();
  return std::string{reinterpret_cast<const char*>(&size), sizeof size} + header + numbers;
}

std::vector<std::string> safetensors_seeds() {
  std::vector<std::string> seeds{
    written_by([](const ByteSink& sink) { write_safetensors(sink, some_parameters()); })};
  for (const auto* type :
       {"F64", "F16", "BF16", "I64", "I32", "I16", "I8", "U64", "U32", "U16", "U8", "BOOL"}) {
    const std::string name = type;
    const std::size_t size = name.ends_with("64")   ? 8
                             : name.ends_with("32") ? 4
                             : name.ends_with("16") ? 2
                                                    : 1;
    seeds.push_back(tensor_file(R"({"a":{"dtype":")" + name
                                  + R"(","shape":[1,3],"data_offsets":[0,)"
                                  + std::to_string(3 * size) + "]}}",
                                std::string(3 * size, '\x3c')));
  }
  return seeds;
}

// -- npy, npz
// ---------------------------------------------------------------------------------------

void parse_npy_file(std::string_view input) {
  accept_or_refuse<DataError, IoError>([&] { parse_npy(std::string{input}, "x.npy"); });
}

std::vector<std::string> npy_seeds() {
  std::vector<std::string> seeds{npy_header({2, 3}) + std::string(24, '\x3f')};
  for (const auto* descr :
       {"<f8", "<f2", "|b1", "|u1", "|i1", ">u2", ">i2", "<u4", ">i4", "<u8", "<i8"}) {
    const std::string type = descr;
    const auto header = "{'descr': '" + type + "', 'fortran_order': True, 'shape': (2, 3), }\n";
    const std::string_view version{"\x93NUMPY\x01\x00", 8};
    seeds.push_back(std::string{version} + static_cast<char>(header.size()) + '\0' + header
                    + std::string(6 * std::size_t(type.back() - '0'), '\x01'));
  }
  const std::string wide{"\x93NUMPY\x02\x00\x3b\x00\x00\x00", 12};
  seeds.push_back(wide + "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }  \n1234");
  return seeds;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

/// Puts right the checksums of an archive's files that are stored as they are, behind which no
/// change of one of them would ever come.
std::string with_checksums(std::string archive) {
  constexpr std::size_t checksum_in_entry = 16;
  try {
    for (const auto& member : zip_directory(archive, ""))
      if (member.method == 0 && member.packed_size == member.size
          && member.entry + checksum_in_entry + 4 <= archive.size()
          && member.local + 30 <= archive.size()) {
        const auto names = number_at(archive, member.local + 26);
        const auto data = member.local + 30 + (names & 0xffff) + (names >> 16);
        if (data > archive.size() || member.size > archive.size() - data)
          continue;
        const auto sum = static_cast<std::uint32_t>(
          crc32_z(0, reinterpret_cast<const Bytef*>(archive.data() + data), member.size));
        std::memcpy(archive.data() + member.entry + checksum_in_entry, &sum, sizeof sum);
      }
  } catch (const DataError&) {
    return archive;
  }
  return archive;
}

void parse_npz(std::string_view input) {
  static InputFile file;
  const auto raw = take_choice(input, 2) == 1;
  accept_or_refuse<DataError, IoError>([&] {
    write_again(read_npz(file.hold(raw ? std::string{input} : with_checksums(std::string{input}))));
  });
}

/// An archive whose only file is packed.
std::string packed_archive() {
  const auto array = npy_header({4, 8}) + std::string(128, '\0');
  std::string packed(array.size(), '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(array.data()));
  stream.avail_in = static_cast<uInt>(array.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  auto bytes = [](std::uint64_t number, int count) {
    return std::string{reinterpret_cast<const char*>(&number), static_cast<std::size_t>(count)};
  };
  const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(array.data()), array.size());
  const auto sizes = bytes(8, 2) + bytes(0, 4) + bytes(sum, 4) + bytes(packed.size(), 4)
                     + bytes(array.size(), 4) + bytes(5, 2) + bytes(0, 2);
  const auto local = "PK\x03\x04" + bytes(20, 2) + bytes(0, 2) + sizes + "a.npy" + packed;
  const auto entry = "PK\x01\x02" + bytes(20, 2) + bytes(20, 2) + bytes(0, 2) + sizes
                     + std::string(14, '\0') + "a.npy";
  return local + entry + "PK\x05\x06" + bytes(0, 4) + bytes(1, 2) + bytes(1, 2)
         + bytes(entry.size(), 4) + bytes(local.size(), 4) + bytes(0, 2);
}

std::vector<std::string> npz_seeds() {
  const auto stored = written_by([](const ByteSink& sink) { write_npz(sink, some_parameters()); });
  const std::string with_checksums(1, '\0'), raw(1, '\1');
  return {with_checksums + stored, raw + stored, raw + packed_archive()};
}

// -- idx
// --------------------------------------------------------------------------------------------

std::string gzipped(std::string_view bytes) {
  std::string packed(compressBound(bytes.size()) + 32, '\0');
  z_stream stream{};
  constexpr int gzip = 16;
  deflateInit2(&stream, 1, Z_DEFLATED, gzip + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

void parse_idx(std::string_view input) {
  static InputFile file;
  const auto packed = take_choice(input, 2) == 1;
  accept_or_refuse<DataError, IoError>(
    [&] { read_idx(file.hold(packed ? gzipped(input) : std::string{input}), "images", 1, 4); });
}

std::vector<std::string> idx_seeds() {
  const std::string images{"\0\0\x08\x03\0\0\0\2\0\0\0\2\0\0\0\2ABCDEFGH", 24};
  const std::string floats{"\0\0\x0d\x01\0\0\0\2\x3f\x80\0\0\xbf\x80\0\0", 16};
  const std::string plain(1, '\0'), packed(1, '\1');
  return {plain + images, plain + floats, packed + images, plain + gzipped(images)};
}

} // namespace

std::vector<Parser> array_parsers() {
  return {{"safetensors", parse_safetensors, safetensors_seeds},
          {"npy", parse_npy_file, npy_seeds},
          {"npz", parse_npz, npz_seeds},
          {"idx", parse_idx, idx_seeds}};
}

} // namespace troupe::fuzz
