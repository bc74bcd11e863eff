#include "messages/checkpoint/saved_run.hpp"

#include "base/files/durable_file.hpp"
#include "base/files/readable_file.hpp"
#include "messages/checkpoint/foreign_file.hpp"
#include "messages/checkpoint/named_archive.hpp"
#include "messages/checkpoint/saved_header.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

namespace troupe {

namespace {

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

/// What is written behind the header: large pieces go straight to the file, small ones are
/// gathered; all of it is counted and hashed on the way.
class HashedContent {
public:
  /// @param offset where in the file it begins
  HashedContent(DurableFile& file, std::size_t offset, std::uint64_t seed)
    : file_(file),
      offset_(offset),
      hash_(XXH3_createState()) {
    XXH3_64bits_reset_withSeed(hash_.get(), seed);
    gathered_.reserve(gather);
  }

  /// Fills in size and checksum of what was written.
  void finish(SavedHeader& header) {
    flush();
    header.size = size_;
    header.checksum = XXH3_64bits_digest(hash_.get());
  }

  void write(const char* data, std::size_t bytes) {
    if (gathered_.size() + bytes > gather)
      flush();
    if (bytes >= gather)
      put(data, bytes);
    else
      gathered_.append(data, bytes);
  }

private:
  static constexpr std::size_t gather = std::size_t{1} << 16;

  void flush() {
    put(gathered_.data(), gathered_.size());
    gathered_.clear();
  }
  /// Writes pieces that end at multiples of their size in the file, because the kernel then uses
  /// large pages: three times as fast as unaligned pieces for 100 MB.
  void put(const char* data, std::size_t bytes) {
    constexpr std::size_t piece = std::size_t{4} << 20;
    while (bytes > 0) {
      const auto count = std::min(piece - (offset_ + size_) % piece, bytes);
      XXH3_64bits_update(hash_.get(), data, count);
      file_.write(data, count);
      file_.begin_synchronising(offset_ + size_, count);
      data += count;
      bytes -= count;
      size_ += count;
    }
  }

  DurableFile& file_;
  const std::size_t offset_;
  std::unique_ptr<XXH3_state_t, FreeHash> hash_;
  std::string gathered_;
  std::uint64_t size_ = 0;
};

/// Writes magic, header, the length of the JSON, it, and the floats of the blocks.
/// @returns the file's bytes.
template <class T>
std::uint64_t write_checked(const std::filesystem::path& path, std::string_view magic, const T& x) {
  NamedArchiveWriter archive;
  const auto json = archive.describe(x).dump();
  const auto length = static_cast<std::uint64_t>(json.size());
  DurableFile file{path};
  SavedHeader header;
  header.saved_at = next_saved_at();
  const auto head = magic.size() + SavedHeader::bytes;
  file.write(magic.data(), magic.size());
  file.write(header.packed().data(), SavedHeader::bytes); // until all of it is known
  HashedContent content{file, head, header.saved_at};
  content.write(reinterpret_cast<const char*>(&length), sizeof length);
  content.write(json.data(), json.size());
  for (const auto& block : archive.blocks())
    content.write(reinterpret_cast<const char*>(block.view().data()), block.view().size_bytes());
  content.finish(header);
  file.write_at(magic.size(), header.packed().data(), SavedHeader::bytes);
  file.commit();
  return head + header.size;
}

/// Takes out of a run's JSON what only training needs; its blocks are then not read.
void leave_out_training(nlohmann::json& run) {
  if (!run.is_object() || !run.contains("trainers") || !run["trainers"].is_array())
    return; // which the reader refuses
  auto& trainers = run["trainers"];
  if (trainers.size() > 1)
    trainers.erase(trainers.begin() + 1, trainers.end());
  for (auto& trainer : trainers)
    if (trainer.is_object() && trainer.contains("optimizer_slots"))
      trainer["optimizer_slots"] = nlohmann::json::array();
}

/// The file of `write_checked`, whose magic, version and checksum are right.
struct CheckedFile {
  std::filesystem::path path;
  std::string what; ///< "the saved run"
  ReadableFile file;
  std::uint64_t begin; ///< of its content
  SavedHeader header = {};

  DataError damaged(const std::string& how) const {
    return DataError(what + " '" + path.string() + "' " + how
                     + "; resume from another one, or start a new run");
  }
  /// @param offset in the content @throws std::runtime_error
  void read(std::uint64_t offset, std::span<std::byte> to) const {
    if (file.read_at(begin + offset, to) != to.size())
      throw std::runtime_error("it cannot be read to its end");
  }
};

/// @throws std::runtime_error for a content that `write_checked` has not written
template <class T>
T read_content(const CheckedFile& file, RunPart part) {
  std::uint64_t length = 0;
  if (file.header.size < sizeof length)
    throw std::runtime_error("it is empty");
  file.read(0, std::as_writable_bytes(std::span{&length, 1}));
  const auto rest = file.header.size - sizeof length;
  if (length > rest)
    throw std::runtime_error("it announces " + std::to_string(length) + " bytes of JSON and has "
                             + std::to_string(rest));
  std::string text(length, '\0');
  file.read(sizeof length, std::as_writable_bytes(std::span{text}));
  NamedArchiveReader archive{rest - length, [&](std::uint64_t offset, std::span<std::byte> to) {
                               file.read(sizeof length + length + offset, to);
                             }};
  T x;
  auto json = nlohmann::json::parse(text);
  if (part == RunPart::parameters)
    leave_out_training(json);
  archive.read(json, x);
  if (part == RunPart::all)
    archive.finish();
  return x;
}

/// The checksum of what is in a file from `begin` on.
std::uint64_t checksum_of(const ReadableFile& file, std::uint64_t begin, std::uint64_t seed) {
  const std::unique_ptr<XXH3_state_t, FreeHash> hash{XXH3_createState()};
  XXH3_64bits_reset_withSeed(hash.get(), seed);
  std::vector<std::byte> piece(std::size_t{1} << 20);
  for (auto at = begin;;) {
    const auto count = file.read_at(at, piece);
    XXH3_64bits_update(hash.get(), piece.data(), count);
    if (count < piece.size())
      return XXH3_64bits_digest(hash.get());
    at += count;
  }
}

CheckedFile checked_file(const std::filesystem::path& path, std::string_view magic,
                         const std::string& what) {
  auto opened = ReadableFile::open(path);
  if (!opened)
    throw IoError("cannot read " + what + " '" + path.string()
                  + "'; a run that was stopped cleanly has one in its folder");
  CheckedFile checked{path, what, std::move(*opened), magic.size() + SavedHeader::bytes};
  std::string head(std::size_t{1} << 16, '\0'); // enough to recognise other programs' files
  head.resize(checked.file.read_at(0, std::as_writable_bytes(std::span{head})));
  const auto header
    = head.starts_with(magic) ? SavedHeader::unpacked(head, magic.size()) : std::nullopt;
  if (const auto other = foreign_file(head); !other.empty())
    throw DataError(what + " '" + path.string() + "' was not written by Troupe: " + other);
  if (!header)
    throw checked.damaged("was not written by Troupe");
  if (header->version != SavedHeader::newest_version)
    throw checked.damaged("has format " + std::to_string(header->version) + ", this program reads "
                          + std::to_string(SavedHeader::newest_version));
  if (checked.file.size() - checked.begin != header->size
      || checksum_of(checked.file, checked.begin, header->saved_at) != header->checksum)
    throw checked.damaged("is damaged: its checksum is wrong");
  checked.header = *header;
  return checked;
}

/// Reads what `write_checked` wrote. `check` throws for a content that cannot be used.
template <class T, class Check>
T read_checked(const std::filesystem::path& path, std::string_view magic, const std::string& what,
               RunPart part, Check check) {
  const auto file = checked_file(path, magic, what);
  try {
    auto x = read_content<T>(file, part);
    check(x);
    note_saved_at(file.header.saved_at);
    return x;
  } catch (const std::exception& e) {
    throw file.damaged(std::string{"cannot be read: "} + e.what());
  }
}

/// Users of the parameters address them by the layout.
/// @throws std::runtime_error if layout and parameters do not match.
void check_sound(const SavedTrainer& trainer) {
  if (const auto defect = trainer.layout.defect(); !defect.empty())
    throw std::runtime_error("its layout is unsound: " + defect);
  if (const auto size = trainer.parameters.values.size(); size != trainer.layout.size())
    throw std::runtime_error("it has " + std::to_string(size) + " parameters for a layout of "
                             + std::to_string(trainer.layout.size()));
}

/// The part of a trainer that a file of parameters keeps.
SavedTrainer parameters_alone(const SavedTrainer& trainer) {
  SavedTrainer result;
  result.layout = trainer.layout;
  result.parameters = trainer.parameters;
  result.position = trainer.position;
  return result;
}

} // namespace

std::uint64_t save_run(const std::filesystem::path& path, const SavedRun& run, RunPart part) {
  if (part == RunPart::all)
    return write_checked(path, run_magic, run);
  SavedRun parameters;
  parameters.trainers = {parameters_alone(run.trainers.at(0))};
  parameters.log = run.log;
  return write_checked(path, run_magic, parameters);
}

SavedRun load_run(const std::filesystem::path& path, RunPart part) {
  return read_checked<SavedRun>(path, run_magic, "the saved run", part, [](const SavedRun& run) {
    if (run.trainers.empty())
      throw std::runtime_error("it has no trainer");
    for (const auto& trainer : run.trainers)
      check_sound(trainer);
  });
}

void check_run_file(const std::filesystem::path& path) {
  note_saved_at(checked_file(path, run_magic, "the saved run").header.saved_at);
}

void save_holder(const std::filesystem::path& path, const SavedHolder& holder) {
  write_checked(path, holder_magic, holder);
}

SavedHolder load_holder(const std::filesystem::path& path) {
  return read_checked<SavedHolder>(path, holder_magic, "the saved parameter holder", RunPart::all,
                                   [](const SavedHolder&) {});
}

} // namespace troupe
