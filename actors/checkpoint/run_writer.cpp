#include "actors/checkpoint/run_writer.hpp"

#include "actors/checkpoint/separate_parts.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// "checkpoint.bin" -> "checkpoint.2.bin"; 0 is the path itself.
fs::path predecessor(const fs::path& path, std::uint32_t number) {
  if (number == 0)
    return path;
  auto older = path;
  older.replace_filename(path.stem().string() + "." + std::to_string(number)
                         + path.extension().string());
  return older;
}

/// Gives a file a second name, or a copy if the file system has no links.
/// @returns a negative number on failure; `errno` says why.
int give_name(const fs::path& path, const char* name, bool& linked) {
  linked = link(path.c_str(), name) == 0;
  if (linked)
    return 0;
  if (errno == EEXIST)
    return -1;
  std::error_code failed;
  if (fs::copy_file(path, name, failed))
    return 0;
  if (failed != std::errc::file_exists)
    unlink(name);
  errno = failed.value();
  return -1;
}

/// Keeps the file at a path when a new one replaces it. The path never lacks a file: the old one
/// gets a second name, and loses the first only to its successor.
class Predecessor {
public:
  /// @param keep number of files, including the path's own
  Predecessor(fs::path path, std::uint32_t keep) : path_(std::move(path)), keep_(keep) {
    std::error_code error; // a new file is written even if the old one cannot be kept
    if (keep < 2 || !fs::exists(path_, error))
      return;
    try {
      second_name_
        = make_beside(path_, [this](const char* name) { return give_name(path_, name, linked_); });
    } catch (const IoError&) {
    }
  }
  ~Predecessor() {
    std::error_code ignored;
    // If the disk only failed to keep the new name, this is the last name of the file.
    if (linked_ && fs::hard_link_count(second_name_, ignored) == 1)
      shift_predecessors();
    if (!second_name_.empty())
      fs::remove(second_name_, ignored);
  }
  Predecessor(const Predecessor&) = delete;
  Predecessor& operator=(const Predecessor&) = delete;

  /// The path has its new file: renumbers the predecessors, and drops the oldest.
  void shift_predecessors() {
    std::error_code ignored;
    if (second_name_.empty())
      return;
    for (auto number = keep_ - 1; number > 1; --number)
      if (const auto newer = predecessor(path_, number - 1); fs::exists(newer, ignored))
        fs::rename(newer, predecessor(path_, number), ignored);
    fs::rename(second_name_, predecessor(path_, 1), ignored);
    second_name_.clear();
    linked_ = false;
  }

private:
  fs::path path_, second_name_;
  std::uint32_t keep_;
  bool linked_ = false; ///< otherwise the second name is a copy
};

/// Reports the first of several errors.
void note(RunWritten& result, const std::exception& error) {
  if (result.error.empty())
    result.error = error.what();
}

RunWritten write(const WriteRun& request) {
  RunWritten result;
  const auto began = std::chrono::steady_clock::now();
  for (const auto& path : request.paths) {
    try {
      make_private_folder(fs::path{path}.parent_path());
      Predecessor before{path, request.keep};
      result.bytes += save_run(path, request.run);
      before.shift_predecessors();
      result.paths.push_back(path);
    } catch (const std::exception& e) {
      note(result, e);
      continue; // its parts would seem to belong to the previous state
    }
    for (const auto part : request.separate)
      try {
        result.bytes += write_part(path, part, request);
      } catch (const std::exception& e) {
        note(result, e);
      }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

RunWritten amend(const AmendModel& request) {
  RunWritten result;
  const auto began = std::chrono::steady_clock::now();
  try {
    auto run = load_run(request.path);
    if (!run.card)
      throw DataError("'" + request.path + "' is not the file of a kept model");
    run.card->status = request.status;
    run.card->causes = request.causes;
    run.card->status_timestamp = request.status_timestamp;
    result.bytes = save_run(request.path, run);
    result.paths.push_back(request.path);
  } catch (const std::exception& e) {
    result.error = e.what();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

RunWriter::behavior_type run_writer() {
  return {[](const WriteRun& request) { return write(request); },
          [](const AmendModel& request) { return amend(request); }};
}

} // namespace

RunWriter spawn_run_writer(caf::actor_system& system) {
  return system.spawn<caf::detached>(run_writer);
}

RunWriter spawn_scheduled_run_writer(caf::actor_system& system) { return system.spawn(run_writer); }

RunWriter spawn_no_run_writer(caf::actor_system& system) {
  return system.spawn([]() -> RunWriter::behavior_type {
    return {[](const WriteRun& request) {
              RunWritten written;
              written.paths = request.paths;
              return written;
            },
            [](const AmendModel& request) {
              RunWritten written;
              written.paths = {request.path};
              return written;
            }};
  });
}

} // namespace troupe
