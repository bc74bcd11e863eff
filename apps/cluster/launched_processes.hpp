// The processes of a launched cluster: started, started again, listened to and ended.
#pragma once

#include "actors/log/console.hpp"
#include "apps/cluster/restart_budget.hpp"
#include "apps/process/child_process.hpp"

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What a process is started with, each time.
struct LaunchedStart {
  LaunchedRole role = LaunchedRole::worker;
  std::string name;                                  ///< of its lines
  std::filesystem::path folder;                      ///< where it saves
  std::vector<std::string> arguments = {};           ///< of its command line
  std::map<std::string, std::string> variables = {}; ///< of its environment
};

/// Places are numbers from 0, in the order of the first starts. An end counts once reap() has seen
/// it, so that all who ask between two looks hear the same.
class LaunchedProcesses {
public:
  /// @param quiet their lines are not printed
  explicit LaunchedProcesses(bool quiet) : quiet_(quiet) {}

  /// @returns its place. @throws IoError
  std::size_t start(LaunchedStart what);
  /// Starts what has ended there once more. @throws IoError, and then nothing has changed.
  void start_again(std::size_t place);
  /// From its next start on. What it can take up again may depend on its first life.
  void change_arguments(std::size_t place, std::vector<std::string> arguments);

  std::size_t size() const { return all_.size(); }
  const std::string& name(std::size_t place) const { return all_.at(place).what.name; }
  LaunchedProcess process(std::size_t place) const;
  std::size_t running(LaunchedRole role) const; ///< how many
  /// What a process that has ended leaves, as a RestartBudget asks for it.
  Crash crash(std::size_t place) const;
  /// "failed with exit code 70", "was ended by signal 9 (Killed)"
  std::string end_text(std::size_t place) const;
  const std::string& last_line(std::size_t place) const { return all_.at(place).last_line; }

  /// Waits up to so many milliseconds for lines and prints them, each with the name of who said it.
  void print_lines(int milliseconds);
  void reap();
  /// Whoever is stopped goes on, to hear of it.
  void signal(LaunchedRole role, int number);
  /// Asks all to end, and ends who has not within `grace` seconds: a worker's exit code is then
  /// that of an end at once, 75 where it has a state to go on from, else 130. Holders are asked
  /// once the others have ended, who still need them, or half of the time is over.
  void end_all(double grace);

private:
  using SavedAt = std::optional<std::filesystem::file_time_type>;

  struct Launched {
    LaunchedStart what;
    std::unique_ptr<ChildProcess> child;
    SavedAt saved_before = {};  ///< its newest state when it was started the last time
    std::string last_line = {}; ///< of this life
    bool ended_late = false;    ///< by end_all
  };

  static SavedAt saved_at(const LaunchedStart& what);
  void print_lines_of(Launched& one);
  bool any_runs(bool holders_too) const;
  void end_late(Launched& one, double grace);
  void wait_for_end(bool of_holders_too, std::chrono::steady_clock::time_point until);

  Console console_{{}};
  bool quiet_;
  std::deque<Launched> all_;
};

} // namespace troupe
