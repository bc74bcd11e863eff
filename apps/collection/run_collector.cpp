#include "apps/collection/run_collector.hpp"

#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/file_content.hpp"
#include "base/files/head_checksum.hpp"
#include "base/files/private_files.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>
#include <utility>

namespace troupe {

namespace {

namespace fs = std::filesystem;
using FileClock = fs::file_time_type::clock;

double unix_time_of_file(fs::file_time_type time) {
  return std::chrono::duration<double>(FileClock::to_sys(time).time_since_epoch()).count();
}

fs::file_time_type file_time_of(double unix_time) {
  using std::chrono::system_clock;
  const auto since
    = std::chrono::duration_cast<system_clock::duration>(std::chrono::duration<double>(unix_time));
  return FileClock::from_sys(system_clock::time_point{since});
}

std::optional<CopiedFile> copy_at(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  if (error)
    return {};
  return CopiedFile{bytes, unix_time_of_file(fs::last_write_time(path, error))};
}

/// Whether it has files of its own, and not only folders.
bool has_files(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry{folder, error}, end; !error && entry != end;
       entry.increment(error))
    if (!entry->is_directory(error))
      return true;
  return false;
}

} // namespace

RunCollector::RunCollector(RemoteDashboard dashboard, fs::path into)
  : dashboard_(std::move(dashboard)),
    into_(std::move(into)) {}

CollectedAmount RunCollector::pass(const Listener& listener) {
  const auto [machine, folders] = dashboard_.files();
  std::vector<Lack> lacks;
  std::uint64_t all = 0;
  CollectedAmount amount;
  for (const auto& folder : folders) {
    if (!is_ours(machine, folder, listener))
      continue;
    const auto before = lacks.size();
    for (const auto& file : folder.files)
      if (const auto from = first_lacking(file, copy_at(into_ / folder.path / file.name))) {
        lacks.push_back({&folder, &file, *from});
        all += file.bytes - std::min(*from, file.bytes);
      }
    amount.folders += lacks.size() > before ? 1 : 0;
  }
  for (const auto& lack : lacks) {
    auto goes_on = true;
    copy_file(lack, into_ / lack.folder->path / lack.file->name, [&](std::uint64_t bytes) {
      amount.bytes += bytes;
      return goes_on = listener.go_on(amount.bytes, all);
    });
    if (!goes_on)
      break;
    ++amount.files;
  }
  return amount;
}

/// Any folder that was not copied from there is left as it is.
bool RunCollector::is_ours(const std::string& machine, const RemoteFolder& folder,
                           const Listener& listener) {
  const auto copy = into_ / folder.path;
  const auto mark = nlohmann::ordered_json{{"machine", machine}, {"id", folder.id}}.dump() + "\n";
  if (file_content(copy / collected_file) == mark)
    return true;
  if (!has_files(copy)) {
    make_private_folder(copy);
    write_file(copy / collected_file, mark);
    return true;
  }
  if (refused_.insert(copy.string()).second)
    listener.say("'" + copy.string() + "' is there already and is no copy of the run at " + host()
                 + ", so that run is left out; collect into another folder with --into");
  return false;
}

void RunCollector::copy_file(const Lack& lack, const fs::path& copy,
                             const std::function<bool(std::uint64_t bytes)>& go_on) {
  const auto& file = *lack.file;
  auto at = lack.from;
  std::optional<std::uint32_t> head;
  if (std::ifstream begin{copy, std::ios::binary}; at > 0)
    head = head_checksum(begin, at);
  const auto next_piece = [&]() -> std::string {
    if (at >= file.bytes)
      return {};
    auto piece = dashboard_.bytes_of(*lack.folder, file, at, std::exchange(head, std::nullopt));
    if (piece.replaced) {
      fs::resize_file(copy, 0);
      at = 0;
      piece = dashboard_.bytes_of(*lack.folder, file, at, {});
    }
    at += piece.bytes.size();
    return go_on(piece.bytes.size()) ? piece.bytes : "";
  };
  make_private_folder(copy.parent_path());
  if (only_grows(file.name)) {
    std::ofstream out{copy, std::ios::binary | (lack.from == 0 ? std::ios::trunc : std::ios::app)};
    for (auto piece = next_piece(); !piece.empty(); piece = next_piece())
      if (!out.write(piece.data(), static_cast<std::streamsize>(piece.size())).flush())
        throw IoError("cannot write '" + copy.string()
                      + "'; make room on its disk, or collect into another folder with --into");
    return;
  }
  std::string content;
  for (auto piece = next_piece(); !piece.empty(); piece = next_piece())
    content += piece;
  if (content.size() != file.bytes)
    return; // it has changed meanwhile, or was given up: the next pass copies it
  write_file(copy, content);
  fs::last_write_time(copy, file_time_of(file.changed));
}

} // namespace troupe
