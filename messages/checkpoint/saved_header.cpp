#include "messages/checkpoint/saved_header.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>

namespace troupe {

namespace {

std::atomic<std::uint64_t> newest_moment{0};

std::uint64_t nanoseconds(std::chrono::system_clock::time_point time) {
  const auto count
    = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::chrono::nanoseconds::rep>(count, 0));
}

std::uint64_t time_of_file(const std::filesystem::path& path) {
  std::error_code vanished;
  const auto time = std::filesystem::last_write_time(path, vanished);
  if (vanished)
    return 0;
  using Time = std::chrono::system_clock::time_point;
  return nanoseconds(
    std::chrono::time_point_cast<Time::duration>(std::chrono::file_clock::to_sys(time)));
}

} // namespace

std::string SavedHeader::packed() const {
  std::string text;
  const auto add = [&text](const auto& number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  add(version);
  add(size);
  add(checksum);
  add(saved_at);
  return text;
}

std::optional<SavedHeader> SavedHeader::unpacked(std::string_view text, std::size_t begin) {
  SavedHeader header;
  const auto take = [&text, &begin](auto& number) {
    std::memcpy(&number, text.data() + begin, sizeof number);
    begin += sizeof number;
  };
  if (text.size() < begin + bytes)
    return {};
  take(header.version);
  take(header.size);
  take(header.checksum);
  take(header.saved_at);
  return header;
}

std::uint64_t next_saved_at() {
  auto before = newest_moment.load();
  auto moment = before;
  do
    moment = std::max(before + 1, nanoseconds(std::chrono::system_clock::now()));
  while (!newest_moment.compare_exchange_weak(before, moment));
  return moment;
}

void note_saved_at(std::uint64_t saved_at) {
  auto before = newest_moment.load();
  while (before < saved_at && !newest_moment.compare_exchange_weak(before, saved_at)) {
  }
}

std::uint64_t saved_at_of(const std::filesystem::path& path) {
  std::string text(run_magic.size() + SavedHeader::bytes, '\0');
  std::ifstream file{path, std::ios::binary};
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (text.starts_with(run_magic))
    if (const auto header = SavedHeader::unpacked(text, run_magic.size());
        header && header->saved_at > 0)
      return header->saved_at;
  return time_of_file(path);
}

} // namespace troupe
