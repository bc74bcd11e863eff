#include "apps/cluster/launched_processes.hpp"

#include "apps/cluster/holder_files.hpp"
#include "apps/folder/run_files.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <utility>

namespace troupe {

namespace {

std::unique_ptr<ChildProcess> started(const LaunchedStart& what) {
  return std::make_unique<ChildProcess>(what.name, what.arguments, -1, what.variables);
}

/// The paths of the states of a process of this role.
std::vector<std::filesystem::path> states_of(const LaunchedStart& what) {
  switch (what.role) {
  case LaunchedRole::holder: return HolderFiles{what.folder}.states();
  case LaunchedRole::worker: return states_in(what.folder, checkpoints_of(what.folder));
  case LaunchedRole::evaluator: break;
  }
  return {};
}

} // namespace

LaunchedProcesses::SavedAt LaunchedProcesses::saved_at(const LaunchedStart& what) {
  SavedAt newest;
  for (const auto& state : states_of(what)) {
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(state, missing);
    if (!missing && is_there(state))
      newest = newest ? std::max(*newest, time) : time;
  }
  return newest;
}

std::size_t LaunchedProcesses::start(LaunchedStart what) {
  const auto before = saved_at(what);
  auto child = started(what);
  all_.push_back({std::move(what), std::move(child), before});
  return all_.size() - 1;
}

void LaunchedProcesses::restart(std::size_t place) {
  auto& one = all_.at(place);
  print_lines_of(one); // the remaining lines end with the pipe
  console_.flush();
  const auto before = saved_at(one.what);
  one.child = started(one.what);
  one.saved_before = before;
  one.last_line.clear();
}

void LaunchedProcesses::change_arguments(std::size_t place, std::vector<std::string> arguments) {
  all_.at(place).what.arguments = std::move(arguments);
}

LaunchedProcess LaunchedProcesses::process(std::size_t place) const {
  const auto& one = all_.at(place);
  if (one.child->running())
    return {one.what.role, std::nullopt};
  if (one.ended_late && one.what.role != LaunchedRole::holder)
    return {one.what.role,
            static_cast<int>(saved_at(one.what) ? ExitCode::stopped_early : ExitCode::interrupted)};
  return {one.what.role, one.child->exit_code()};
}

std::size_t LaunchedProcesses::running(LaunchedRole role) const {
  return static_cast<std::size_t>(
    std::count_if(all_.begin(), all_.end(), [role](const Launched& one) {
      return one.what.role == role && one.child->running();
    }));
}

Crash LaunchedProcesses::crash(std::size_t place) const {
  const auto& one = all_.at(place);
  const auto saved = saved_at(one.what);
  return {one.what.role, place, saved.has_value(), saved != one.saved_before};
}

std::string LaunchedProcesses::end_text(std::size_t place) const {
  const auto code = process(place).code.value_or(0);
  constexpr int signals = 128;
  if (code <= signals || code == static_cast<int>(ExitCode::interrupted))
    return "failed with exit code " + std::to_string(code);
  return "was ended by signal " + std::to_string(code - signals) + " (" + strsignal(code - signals)
         + ")";
}

void LaunchedProcesses::print_lines_of(Launched& one) {
  for (auto line : one.child->read_lines()) {
    line.pop_back(); // the line feed
    if (!quiet_)
      console_.say({Level::info, "[" + one.what.name + "] " + line});
    if (!line.empty())
      one.last_line = std::move(line);
  }
}

void LaunchedProcesses::print_lines(int milliseconds) {
  std::vector<pollfd> polls;
  for (const auto& one : all_)
    if (one.child->output() >= 0)
      polls.push_back({one.child->output(), POLLIN, 0});
  poll(polls.data(), polls.size(), milliseconds);
  for (auto& one : all_)
    print_lines_of(one);
  console_.flush();
}

void LaunchedProcesses::reap() {
  for (auto& one : all_)
    one.child->reap();
}

void LaunchedProcesses::signal(LaunchedRole role, int number) {
  for (auto& one : all_)
    if (one.what.role == role) {
      one.child->signal(number);
      one.child->signal(SIGCONT);
    }
}

bool LaunchedProcesses::any_runs(bool holders_too) const {
  return std::any_of(all_.begin(), all_.end(), [holders_too](const Launched& one) {
    return one.child->running() && (holders_too || one.what.role != LaunchedRole::holder);
  });
}

void LaunchedProcesses::wait_for_end(bool of_holders_too,
                                     std::chrono::steady_clock::time_point until) {
  for (reap(); any_runs(of_holders_too) && std::chrono::steady_clock::now() < until; reap())
    print_lines(50);
}

void LaunchedProcesses::end_all(double grace) {
  using std::chrono::steady_clock;
  const auto began = steady_clock::now();
  const auto after = [began](double seconds) {
    return began
           + std::chrono::duration_cast<steady_clock::duration>(
             std::chrono::duration<double>(seconds));
  };
  signal(LaunchedRole::worker, SIGTERM);
  signal(LaunchedRole::evaluator, SIGTERM);
  wait_for_end(false, after(grace / 2));
  signal(LaunchedRole::holder, SIGTERM);
  wait_for_end(true, after(grace));
  print_lines(0);
  for (auto& one : all_)
    if (one.child->running())
      end_late(one, grace);
  wait_for_end(true, steady_clock::now() + std::chrono::seconds{1});
}

void LaunchedProcesses::end_late(Launched& one, double grace) {
  std::cerr << "troupe: " << one.what.name << " did not end within " << grace
            << " s and is killed now" << std::endl;
  one.ended_late = true;
  one.child->signal(SIGKILL);
}

} // namespace troupe
