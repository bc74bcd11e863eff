#include "apps/cluster/holder_files.hpp"

#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <iostream>

namespace troupe {

namespace {

constexpr auto files_deadline = std::chrono::seconds{10};

/// Prints the version that a restored holder has.
void print_version(const SavedHolder& saved, const std::filesystem::path& file) {
  std::cerr << "parameter holder resumes from version " << saved.version << " of " << file.string()
            << std::endl;
}

/// @returns whether `write` succeeded; otherwise prints the reason
bool written(const std::string& what, const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const IoError& e) {
    std::cerr << "the parameter holder's " << what << " was not saved: " << e.what() << std::endl;
    return false;
  }
}

} // namespace

std::optional<SavedHolder> HolderFiles::newest_intact() const {
  std::string damaged;
  for (const auto& file : {newest(), previous()}) {
    std::error_code none;
    if (!std::filesystem::exists(file, none))
      continue;
    try {
      auto saved = load_holder(file);
      if (!damaged.empty())
        std::cerr << "warning: " << damaged << "; the previous state is used" << std::endl;
      print_version(saved, file);
      return saved;
    } catch (const DataError& e) {
      damaged += (damaged.empty() ? "" : "\n") + std::string{e.what()};
    }
  }
  if (!damaged.empty())
    throw DataError(
      damaged
      + "; or move it away: the holder then starts with the parameters of the first worker");
  return {};
}

std::optional<SavedHolder> HolderFiles::restore(caf::scoped_actor& self,
                                                const ParameterHolder& holder) {
  if (folder_.empty())
    return {};
  auto saved = newest_intact();
  if (saved)
    self->request(holder, files_deadline, RestoreHolder{*saved})
      .receive([](const Joined&) {},
               [](const caf::error& error) { throw Failure(ExitCode::data, {sentence(error)}); });
  return saved;
}

bool HolderFiles::save(caf::scoped_actor& self, const ParameterHolder& holder) {
  if (folder_.empty())
    return true;
  auto kept = false;
  self->request(holder, files_deadline, SaveHolder{})
    .receive(
      [&](const SavedHolder& saved) {
        kept = saved.values.empty() || saved.version == saved_version_ || write(saved);
      },
      [](const caf::error& error) {
        std::cerr << "the parameter holder's state was not saved: it did not answer: "
                  << sentence(error) << std::endl;
      });
  return kept;
}

bool HolderFiles::write(const SavedHolder& saved) {
  const auto kept = written("state", [&] {
    std::error_code none; // if killed in between, the previous state remains
    std::filesystem::rename(newest(), previous(), none);
    save_holder(newest(), saved);
  });
  if (!kept)
    return false;
  saved_version_ = saved.version;
  nlohmann::json journal;
  for (const auto& worker : saved.workers)
    journal[std::to_string(worker.worker)] = worker.journal;
  const nlohmann::json summary{{"version", saved.version},
                               {"pushes", saved.pushes},
                               {"mark", saved.mark},
                               {"journal", journal}};
  written("journal", [&] { write_file(folder_ / "holder.json", summary.dump() + "\n"); });
  return true; // a lost summary is no failure: only people read it
}

} // namespace troupe
