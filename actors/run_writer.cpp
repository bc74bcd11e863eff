#include "troupe/actors/run_writer.hpp"

#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <unistd.h>

#include <chrono>
#include <filesystem>

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

/// Keeps what is at the path under the names of its predecessors. The path itself never lacks a
/// file: what is there gets a second name, and loses the first only to its successor.
void keep_predecessors(const fs::path& path, std::uint32_t keep) {
  std::error_code ignored; // an older file that cannot be kept is no reason to write no new one
  if (keep < 2 || !fs::exists(path, ignored))
    return;
  for (auto number = keep - 1; number > 1; --number)
    if (const auto newer = predecessor(path, number - 1); fs::exists(newer, ignored))
      fs::rename(newer, predecessor(path, number), ignored);
  const auto last = predecessor(path, 1);
  fs::remove(last, ignored);
  if (link(path.c_str(), last.c_str()) != 0)
    fs::copy_file(path, last, ignored); // a file system without links
}

fs::path beside(const fs::path& path, const std::string& part) {
  auto other = path;
  other.replace_filename(path.stem().string() + "_" + part + path.extension().string());
  return other;
}

RunWritten write(const WriteRun& request) {
  RunWritten result;
  const auto began = std::chrono::steady_clock::now();
  for (const auto& path : request.paths) {
    try {
      if (fs::path{path}.has_parent_path())
        fs::create_directories(fs::path{path}.parent_path());
      keep_predecessors(path, request.keep);
      result.bytes += save_run(path, request.run);
      for (const auto& part : request.separate)
        result.bytes += save_run(beside(path, part), request.run, RunPart::parameters);
      result.paths.push_back(path);
    } catch (const std::exception& e) {
      if (result.error.empty())
        result.error = e.what();
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

RunWritten amend(const AmendRun& request) {
  RunWritten result;
  const auto began = std::chrono::steady_clock::now();
  try {
    auto run = load_run(request.path);
    for (const auto& [record, value] : request.records)
      run.extensions[request.name][record] = value;
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
          [](const AmendRun& request) { return amend(request); }};
}

} // namespace

RunWriter spawn_run_writer(caf::actor_system& system) {
  return system.spawn<caf::detached>(run_writer);
}

RunWriter spawn_scheduled_run_writer(caf::actor_system& system) { return system.spawn(run_writer); }

} // namespace troupe
