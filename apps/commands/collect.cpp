#include "apps/commands/collect.hpp"

#include "apps/collection/run_collector.hpp"
#include "apps/dashboard/access.hpp"
#include "apps/process/interrupts.hpp"
#include "base/failure.hpp"
#include "base/files/file_content.hpp"
#include "base/text/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <memory>

namespace troupe {

namespace {

std::string token_in_file(const std::string& file) {
  if (file.empty())
    return "";
  const auto text = file_content(file);
  if (!text)
    throw IoError("cannot read '" + file + "'; give the file of the dashboard's tokens");
  return role_tokens_in(*text, file).read;
}

std::string size_text(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// One dashboard, and what people have been told of it.
class FollowedDashboard {
public:
  FollowedDashboard(RunCollector collector, const sigset_t& ends)
    : collector_(std::move(collector)),
      ends_(ends) {}

  /// @returns whether a signal asked for the end. @throws Failure
  bool pass() {
    auto ended = false;
    auto told = std::chrono::steady_clock::now();
    const auto amount = collector_.pass({say, [&](std::uint64_t copied, std::uint64_t of) {
                                           timespec at_once{};
                                           ended = sigtimedwait(&ends_, nullptr, &at_once) > 0;
                                           if (const auto now = std::chrono::steady_clock::now();
                                               now - told > std::chrono::seconds{1}) {
                                             told = now;
                                             say(size_text(copied) + " of " + size_text(of)
                                                 + " copied from " + collector_.host());
                                           }
                                           return !ended;
                                         }});
    if (!std::exchange(reached_, true))
      say(quantity(amount.folders, "folder") + " with " + quantity(amount.files, "new file") + ", "
          + size_text(amount.bytes) + ", copied from " + collector_.host());
    else if (std::exchange(away_, false))
      say(collector_.host() + " answers again; copied what was lacking, "
          + size_text(amount.bytes));
    return ended;
  }

  /// Like pass(), but one that does not answer is said once, and tried again by the next call.
  bool pass_or_say() {
    try {
      return pass();
    } catch (const IoError&) {
      throw;
    } catch (const Failure& failure) {
      if (!std::exchange(away_, true))
        say(std::string{failure.what()} + "; it is tried again");
      return false;
    }
  }

private:
  static void say(const std::string& sentence) { std::cerr << sentence << std::endl; }

  RunCollector collector_;
  sigset_t ends_;
  bool reached_ = false, away_ = false;
};

/// @returns whether a signal came meanwhile
bool wait_for_signal(const sigset_t& ends, double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  timespec time{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  return sigtimedwait(&ends, nullptr, &time) > 0;
}

} // namespace

void add_collect(CLI::App& app, CollectCommand& command) {
  auto* collect = app.add_subcommand(
    "collect", "Copy logs and other small files of runs from dashboards of other machines");
  collect
    ->add_option("dashboards", command.dashboards, "addresses, as `troupe dashboard` prints them")
    ->required();
  collect->add_option("--into", command.into, "folder of the copies")->capture_default_str();
  collect->add_flag("--follow", command.follow, "copy what is new, until Ctrl-C");
  collect
    ->add_option("--every", command.every,
                 "seconds between two looks of --follow, or nine times what one takes")
    ->check(CLI::Range(0.1, 86400.0))
    ->capture_default_str();
  collect->add_option("--token-file", command.token_file,
                      "the dashboards' --token-file, for addresses without a token");
  collect->add_option("--certs", command.certs,
                      "folder with the ca.pem of the dashboards' certificates (--tls)");
  collect->footer("\nExamples:\n  troupe collect 'http://127.0.0.1:8000/?token=...'\n"
                  "  troupe collect --follow --certs certs --token-file tokens.json "
                  "https://n1:8000 https://n2:8000\n");
}

int collect_runs(const CollectCommand& command) {
  const auto token = token_in_file(command.token_file);
  const auto authority = command.certs.empty() ? std::string{} : command.certs + "/ca.pem";
  const auto ends = signals_to_end();
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::vector<FollowedDashboard> dashboards;
  for (const auto& text : command.dashboards)
    dashboards.emplace_back(
      RunCollector{RemoteDashboard{dashboard_address(text, token), authority}, command.into}, ends);
  auto ended = false;
  for (auto pause = 0.0; !ended && !wait_for_signal(ends, pause);) {
    const auto began = std::chrono::steady_clock::now();
    for (auto& dashboard : dashboards)
      ended = ended || (command.follow ? dashboard.pass_or_say() : dashboard.pass());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    pause = std::max(command.every, 9 * took.count()); // at most a tenth of a dashboard's time
    ended = ended || !command.follow;
  }
  return static_cast<int>(ExitCode::done);
}

} // namespace troupe
