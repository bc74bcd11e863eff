#include "apps/commands/ctl.hpp"

#include "apps/process/standard_streams.hpp"
#include "apps/transport/control_client.hpp"
#include "base/failure.hpp"
#include "base/text/number_in.hpp"
#include "messages/control/control_command.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto poll_every = 200ms;

/// Ends the process at once: the actor system would wait for the connection to a frozen peer.
[[noreturn]] void give_up(const std::string& sentence) {
  std::cout << std::flush;
  std::cerr << "troupe: " << sentence << std::endl;
  std::_Exit(static_cast<int>(ExitCode::unavailable));
}

int act(ControlClient& client, const CtlCommand& command) {
  const auto answer = client.ask(command.verb, command.arguments);
  for (const auto& line : answer.lines)
    if (answer.ok)
      std::cout << line << "\n";
    else
      std::cerr << "troupe: " << line << "\n";
  std::cout << std::flush;
  return static_cast<int>(answer.ok ? ExitCode::done : ExitCode::configuration);
}

int follow(ControlClient& client, std::uint64_t rows) {
  for (;;) {
    const auto tail = client.next_rows(rows);
    if (tail.missed > 0)
      std::cerr << "troupe: " << tail.missed
                << " rows were skipped because they came too fast; they are in the run's log.jsonl"
                << std::endl;
    for (const auto& line : tail.lines)
      std::cout << line << "\n";
    std::cout << std::flush;
    exit_if_output_closed();
    if (tail.ended || !std::cout)
      return static_cast<int>(ExitCode::done);
    if (tail.lines.empty())
      std::this_thread::sleep_for(poll_every);
  }
}

std::uint64_t rows_in(const std::vector<std::string>& arguments) {
  if (arguments.empty())
    return 10;
  const auto rows = number_in<std::uint64_t>(arguments.front());
  if (arguments.size() > 1 || !rows)
    throw UsageError("'tail' takes the number of past rows to print first, like: tail 20");
  return *rows;
}

} // namespace

void add_ctl(CLI::App& app, CtlCommand& command) {
  auto* ctl = app.add_subcommand("ctl", "Control a run that was started with --control");
  ctl->add_option("run", command.run, "the run's folder, 'latest', or host:port")->required();
  ctl->add_option("action", command.verb, "the action, see below")->required();
  ctl->add_option("arguments", command.arguments, "arguments of the action");
  ctl->add_option("--token-file", command.token_file,
                  "with host:port: a file with the token, or the run's control.json");
  ctl->add_option("--certs", command.certs, "folder with ca.pem, <name>.pem and <name>.key");
  ctl->add_option("--name", command.name, "name of the certificate")->capture_default_str();
  ctl->footer(
    "\nActions (at=N: after batch N, before the next begins):\n"
    "  status [json]                              the position of training, and its extensions\n"
    "  pause [at=N], resume, step [BATCHES]       pause; resume; train so many batches and pause\n"
    "  stop [after_batch|after_epoch|now] [at=N]  save and end the run\n"
    "  set learning_rate=VALUE [at=N]\n"
    "  save [FILE] [at=N]                         save a checkpoint into the run's folder\n"
    "  evaluate [train|validation|test] [at=N]\n"
    "  attach TYPE[:NAME] [KEY=VALUE...] [at=N]   as in the configuration's extensions\n"
    "  detach NAME [at=N]\n"
    "  break [CONDITION]                          pause where \"loss is nan\", \"gradient_norm > "
    "10\"; or list\n"
    "  unbreak NUMBER|all                         remove breakpoints\n"
    "  tail [ROWS]                                follow the log until the run ends\n"
    "\nExamples:\n  troupe ctl latest status\n"
    "  troupe ctl latest set learning_rate=0.001 at=1000\n"
    "  troupe ctl latest attach printing:often every_n_batches=10\n");
}

int ctl(const CtlCommand& command) {
  const auto follows = command.verb == "tail";
  const auto rows = follows ? rows_in(command.arguments) : 0;
  if (!follows)
    try {
      parse_control_command(command.verb, command.arguments); // before the run is contacted
    } catch (const std::invalid_argument& e) {
      throw UsageError(e.what());
    }
  ControlClient client{{command.run, command.token_file, command.certs, command.name}};
  try {
    return follows ? follow(client, rows) : act(client, command);
  } catch (const Failure& e) {
    if (e.code() == ExitCode::unavailable)
      give_up(e.what());
    throw;
  }
}

} // namespace troupe
