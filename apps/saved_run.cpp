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

constexpr std::string_view magic = "troupe saved run\n";
constexpr std::uint32_t format_version = 1;

} // namespace

void save_run(const std::filesystem::path& path, const SavedRun& run) {
  std::ostringstream content;
  {
    cereal::PortableBinaryOutputArchive archive{content};
    archive(run.trainers, run.shared.has_value());
    if (run.shared)
      archive(*run.shared);
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

SavedRun load_run(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    throw IoError("cannot read the saved run '" + path.string()
                  + "'; a run that was stopped in good order has one in its folder");
  std::ostringstream content;
  content << file.rdbuf();
  const auto bytes = content.str();
  const auto damaged = [&path](const std::string& what) {
    return Failure(ExitCode::data, {"the saved run '" + path.string() + "' " + what
                                    + "; resume from another one, or train anew"});
  };
  constexpr auto head = magic.size() + 4 + 8 + 8;
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
  SavedRun run;
  try {
    std::istringstream stream{bytes.substr(head)};
    cereal::PortableBinaryInputArchive archive{stream};
    auto shared = false;
    archive(run.trainers, shared);
    if (shared)
      archive(run.shared.emplace());
  } catch (const std::exception& e) {
    throw damaged(std::string{"cannot be read: "} + e.what());
  }
  return run;
}

} // namespace troupe
