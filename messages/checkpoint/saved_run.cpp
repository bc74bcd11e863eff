#include "messages/checkpoint/saved_run.hpp"

#include "base/files/durable_file.hpp"
#include "messages/checkpoint/foreign_file.hpp"
#include "messages/checkpoint/saved_header.hpp"
#include "model/formats/saved_archive.hpp"

#include <cereal/archives/portable_binary.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <streambuf>

namespace troupe {

// The format of a block: its length, then its floats.

template <class Archive>
void save(Archive& archive, const Block& block) {
  archive(static_cast<std::uint64_t>(block.size()));
  archive(cereal::binary_data(block.view().data(), block.view().size_bytes()));
}

void load(SavedArchive& archive, Block& block) {
  std::uint64_t size = 0;
  archive(size);
  if (size > largest_block || size > archive.left() / sizeof(float))
    throw cereal::Exception("a block has " + std::to_string(size) + " numbers, for which "
                            + std::to_string(archive.left()) + " bytes are there");
  block = size == 0 ? Block{} : Block::uninitialized(static_cast<Index>(size));
  auto values = block.edit();
  archive(cereal::binary_data(values.data(), values.size_bytes()));
}

// A recorded value: its kind, then the value.

template <class Archive>
void save(Archive& archive, const Value& value) {
  archive(static_cast<std::uint8_t>(value.index()));
  std::visit([&archive](const auto& x) { archive(x); }, value);
}

void load(SavedArchive& archive, Value& value) {
  std::uint8_t kind = 0;
  archive(kind);
  const auto read = [&](auto x) {
    archive(x);
    value = Value{std::move(x)};
  };
  switch (kind) {
  case 0: read(false); break;
  case 1: read(std::int64_t{}); break;
  case 2: read(0.0); break;
  case 3: read(std::string{}); break;
  default: throw cereal::Exception("a value of kind " + std::to_string(kind));
  }
}

namespace {

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

/// The archive writes into this buffer. Large pieces go straight to the file, small ones are
/// gathered; everything is counted and hashed. A failed write throws through the stream.
class HashingBuffer : public std::streambuf {
public:
  /// @param offset where in the file the archive begins
  HashingBuffer(DurableFile& file, std::size_t offset, std::uint64_t seed)
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

protected:
  std::streamsize xsputn(const char* data, std::streamsize count) override {
    const auto bytes = static_cast<std::size_t>(count);
    if (gathered_.size() + bytes > gather)
      flush();
    if (bytes >= gather)
      put(data, bytes);
    else
      gathered_.append(data, bytes);
    return count;
  }
  int_type overflow(int_type c) override {
    const auto letter = traits_type::to_char_type(c);
    return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
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

/// Writes magic, header and what `fill` writes to the archive. @returns the file's bytes.
template <class Fill>
std::uint64_t write_checked(const std::filesystem::path& path, std::string_view magic, Fill fill) {
  DurableFile file{path};
  SavedHeader header;
  header.saved_at = next_saved_at();
  const auto head = magic.size() + header.bytes();
  file.write(magic.data(), magic.size());
  file.write(header.packed().data(), header.bytes()); // a placeholder until size and checksum are
                                                      // known
  HashingBuffer buffer{file, head, header.saved_at};
  {
    std::ostream stream{&buffer};
    stream.exceptions(std::ios::badbit | std::ios::failbit); // the buffer's exceptions pass through
    cereal::PortableBinaryOutputArchive archive{stream};
    fill(archive);
  }
  buffer.finish(header);
  file.write_at(magic.size(), header.packed().data(), header.bytes());
  file.commit();
  return head + header.size;
}

/// Reads what `write_checked` wrote, and calls `take` with the archive. `what`: "the saved run".
template <class Take>
void read_checked(const std::filesystem::path& path, std::string_view magic,
                  const std::string& what, Take take) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    throw FileError("cannot read " + what + " '" + path.string()
                    + "'; a run that was stopped in good order has one in its folder");
  std::ostringstream content;
  content << file.rdbuf();
  const auto bytes = std::move(content).str();
  const auto damaged = [&](const std::string& how) {
    return DataError(what + " '" + path.string() + "' " + how
                     + "; resume from another one, or start a new run");
  };
  const auto header
    = bytes.starts_with(magic) ? SavedHeader::unpacked(bytes, magic.size()) : std::nullopt;
  if (const auto other = foreign_file(bytes); !other.empty())
    throw DataError(what + " '" + path.string() + "' was not written by Troupe: " + other);
  if (!header)
    throw damaged("was not written by Troupe");
  if (header->version < SavedHeader::oldest_version
      || header->version > SavedHeader::newest_version)
    throw damaged("has format " + std::to_string(header->version) + ", this program reads "
                  + std::to_string(SavedHeader::oldest_version) + " and "
                  + std::to_string(SavedHeader::newest_version));
  const auto head = magic.size() + header->bytes();
  if (bytes.size() - head != header->size
      || XXH3_64bits_withSeed(bytes.data() + head, header->size, header->saved_at)
           != header->checksum)
    throw damaged("is damaged: its checksum is wrong");
  try {
    SavedArchive archive{std::string_view{bytes}.substr(head)};
    take(archive);
  } catch (const std::exception& e) {
    throw damaged(std::string{"cannot be read: "} + e.what());
  }
  note_saved_at(header->saved_at);
}

/// Users of the parameters address them by the layout.
/// @throws cereal::Exception if layout and parameters do not match.
void check_sound(const SavedTrainer& trainer) {
  if (const auto defect = trainer.layout.defect(); !defect.empty())
    throw cereal::Exception("its layout is unsound: " + defect);
  if (const auto size = trainer.parameters.values.size(); size != trainer.layout.size())
    throw cereal::Exception("it has " + std::to_string(size) + " parameters for a layout of "
                            + std::to_string(trainer.layout.size()));
}

/// The part of a trainer that a file of parameters keeps.
SavedTrainer parameters_of(const SavedTrainer& trainer) {
  SavedTrainer result;
  result.layout = trainer.layout;
  result.parameters = trainer.parameters;
  result.position = trainer.position;
  return result;
}

} // namespace

std::uint64_t save_run(const std::filesystem::path& path, const SavedRun& run, RunPart part) {
  return write_checked(path, run_magic, [&](auto& archive) {
    if (part == RunPart::all)
      archive(run);
    else
      archive(SavedRun{{parameters_of(run.trainers.at(0))}, {}, run.log, {}});
  });
}

SavedRun load_run(const std::filesystem::path& path) {
  SavedRun run;
  read_checked(path, run_magic, "the saved run", [&run](auto& archive) {
    archive(run);
    if (run.trainers.empty())
      throw cereal::Exception("it has no trainer");
    for (const auto& trainer : run.trainers)
      check_sound(trainer);
  });
  return run;
}

void check_run_file(const std::filesystem::path& path) {
  read_checked(path, run_magic, "the saved run", [](auto&) {});
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
