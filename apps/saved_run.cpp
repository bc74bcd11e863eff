#include "troupe/apps/saved_run.hpp"

#include "troupe/apps/run_folder.hpp"

#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <sstream>

namespace troupe {

// The format of a block: length, then its floats in bulk.

template <class Archive>
void save(Archive& archive, const Block& block) {
  archive(static_cast<std::uint64_t>(block.size()));
  archive(cereal::binary_data(block.view().data(), block.view().size_bytes()));
}

template <class Archive>
void load(Archive& archive, Block& block) {
  std::uint64_t size = 0;
  archive(size);
  if (size > largest_block)
    throw cereal::Exception("a block of " + std::to_string(size) + " numbers");
  block = size == 0 ? Block{} : Block::uninitialized(static_cast<Index>(size));
  auto values = block.edit();
  archive(cereal::binary_data(values.data(), values.size_bytes()));
}

namespace {

constexpr std::string_view run_magic = "troupe saved run\n", holder_magic = "troupe saved holder\n";
constexpr std::uint32_t format_version = 2;

/// Writes magic, version, size, checksum and what `fill` gives to the archive.
template <class Fill>
void write_checked(const std::filesystem::path& path, std::string_view magic, Fill fill) {
  std::ostringstream content;
  {
    cereal::PortableBinaryOutputArchive archive{content};
    fill(archive);
  }
  const auto bytes = content.str();
  std::string file{magic};
  const auto append
    = [&file](auto number) { file.append(reinterpret_cast<const char*>(&number), sizeof number); };
  append(format_version);
  append(static_cast<std::uint64_t>(bytes.size()));
  append(static_cast<std::uint64_t>(XXH3_64bits(bytes.data(), bytes.size())));
  file += bytes;
  write_file(path, file);
}

/// Reads what `write_checked` wrote, and lets `take` have the archive. `what`: "the saved run".
template <class Take>
void read_checked(const std::filesystem::path& path, std::string_view magic,
                  const std::string& what, Take take) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    throw IoError("cannot read " + what + " '" + path.string()
                  + "'; a run that was stopped in good order has one in its folder");
  std::ostringstream content;
  content << file.rdbuf();
  const auto bytes = content.str();
  const auto damaged = [&](const std::string& how) {
    return Failure(ExitCode::data, {what + " '" + path.string() + "' " + how
                                    + "; resume from another one, or train anew"});
  };
  const auto head = magic.size() + 4 + 8 + 8;
  if (bytes.size() < head || bytes.compare(0, magic.size(), magic) != 0)
    throw damaged("is none of ours");
  std::uint32_t version = 0;
  std::uint64_t size = 0, checksum = 0;
  std::memcpy(&version, bytes.data() + magic.size(), 4);
  std::memcpy(&size, bytes.data() + magic.size() + 4, 8);
  std::memcpy(&checksum, bytes.data() + magic.size() + 12, 8);
  if (version != format_version)
    throw damaged("has format " + std::to_string(version) + ", this program reads "
                  + std::to_string(format_version));
  if (bytes.size() - head != size || XXH3_64bits(bytes.data() + head, size) != checksum)
    throw damaged("is damaged: its checksum is wrong");
  try {
    std::istringstream stream{bytes.substr(head)};
    cereal::PortableBinaryInputArchive archive{stream};
    take(archive);
  } catch (const std::exception& e) {
    throw damaged(std::string{"cannot be read: "} + e.what());
  }
}

} // namespace

void save_run(const std::filesystem::path& path, const SavedRun& run) {
  write_checked(path, run_magic, [&run](auto& archive) {
    archive(run.trainers, run.shared.has_value());
    if (run.shared)
      archive(*run.shared);
  });
}

SavedRun load_run(const std::filesystem::path& path) {
  SavedRun run;
  read_checked(path, run_magic, "the saved run", [&run](auto& archive) {
    auto shared = false;
    archive(run.trainers, shared);
    if (shared)
      archive(run.shared.emplace());
  });
  return run;
}

void save_holder(const std::filesystem::path& path, const SavedHolder& holder) {
  write_checked(path, holder_magic, [&holder](auto& archive) { archive(holder); });
}

SavedHolder load_holder(const std::filesystem::path& path) {
  SavedHolder holder;
  read_checked(path, holder_magic, "the saved parameter holder",
               [&holder](auto& archive) { archive(holder); });
  return holder;
}

} // namespace troupe
