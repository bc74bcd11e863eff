// Starts, restarts, reads and ends the processes of a launched cluster.
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

/// How to start a process.
struct LaunchedStart {
  LaunchedRole role = LaunchedRole::worker;
  std::string name;                                  ///< prefix of its lines
  std::filesystem::path folder;                      ///< folder where it saves its state
  std::vector<std::string> arguments = {};           ///< command line
  std::map<std::string, std::string> variables = {}; ///< additions to its environment
};

/// A process's place is its index in the order of the first starts. An end counts once reap() has
/// seen it, so that all calls between two reaps agree.
class LaunchedProcesses {
public:
  /// @param quiet do not print their lines
  explicit LaunchedProcesses(bool quiet) : quiet_(quiet) {}

  /// @returns its place. @throws IoError
  std::size_t start(LaunchedStart what);
  /// Restarts a process that has ended. @throws IoError without any change.
  void restart(std::size_t place);
  /// Sets the arguments for later starts, which may depend on the first one.
  void change_arguments(std::size_t place, std::vector<std::string> arguments);

  std::size_t size() const { return all_.size(); }
  const std::string& name(std::size_t place) const { return all_.at(place).what.name; }
  LaunchedProcess process(std::size_t place) const;
  std::size_t running(LaunchedRole role) const; ///< number of running processes
  /// Describes the crash of a process for a RestartBudget.
  Crash crash(std::size_t place) const;
  /// "failed with exit code 70", "was ended by signal 9 (Killed)"
  std::string end_text(std::size_t place) const;
  const std::string& last_line(std::size_t place) const { return all_.at(place).last_line; }

  /// Waits up to this time for lines and prints them with the names of their processes.
  void print_lines(int milliseconds);
  void reap();
  /// Also continues stopped processes, so that they receive the signal.
  void signal(LaunchedRole role, int number);
  /// Asks all processes to end, and kills those that have not after `grace` seconds. The exit code
  /// of a killed worker is 75 if it has a state to resume from, else 130. Holders are asked once
  /// the processes that need them have ended, or after half of the time.
  void end_all(double grace);

private:
  using SavedAt = std::optional<std::filesystem::file_time_type>;

  struct Launched {
    LaunchedStart what;
    std::unique_ptr<ChildProcess> child;
    SavedAt saved_before = {};  ///< time of its newest state at its last start
    std::string last_line = {}; ///< since its last start
    bool ended_late = false;    ///< killed by end_all
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
