#include "model/formats/npz.hpp"

#include "base/failure.hpp"
#include "model/formats/array_collector.hpp"
#include "model/formats/data_file.hpp"
#include "model/formats/npy_reader.hpp"
#include "model/formats/npy_writer.hpp"
#include "model/formats/zip_member.hpp"
#include "model/formats/zip_writer.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr std::string_view npy_suffix = ".npy";

/// Refuses archives that are too large when decompressed, before decompressing them.
void check_unpacked_size(const std::vector<ZipMember>& members, const std::string& path) {
  std::uint64_t all = 0;
  for (const auto& member : members)
    all += member.size;
  if (all > parameter_file_limit)
    throw DataError(path + " unpacks to " + std::to_string(all) + " bytes; at most "
                    + std::to_string(parameter_file_limit) + " are read; leave arrays out");
}

} // namespace

NamedParameters read_npz(const std::string& path) {
  const auto archive = read_text(path, parameter_file_limit);
  const auto members = zip_directory(archive, path);
  check_unpacked_size(members, path);
  ArrayCollector arrays(path);
  std::vector<float> all;
  for (const auto& member : members) {
    if (!member.name.ends_with(npy_suffix))
      throw DataError(path + " has a file '" + member.name
                      + "', which is not a .npy array; write the archive with numpy.savez");
    const auto array = parse_npy(unpack(archive, member, path), path + ":" + member.name);
    arrays.add(member.name.substr(0, member.name.size() - npy_suffix.size()), array.shape);
    all.insert(all.end(), array.values.begin(), array.values.end());
  }
  return {arrays.layout(), Block::copy_of(all), {}};
}

void write_npz(const ByteSink& sink, const NamedParameters& parameters) {
  ZipWriter zip(sink);
  for (const auto& parameter : parameters.layout.parameters()) {
    const auto header = npy_header(parameter.shape);
    const auto values = parameters.values.view().subspan(
      static_cast<std::size_t>(parameter.offset), static_cast<std::size_t>(parameter.size()));
    const std::string_view pieces[]
      = {header, {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
    zip.add(parameter.name + std::string{npy_suffix}, pieces);
  }
  zip.finish();
}

} // namespace troupe
