#include "apps/commands/ctl.hpp"

#include "apps/folder/run_folder.hpp"
#include "apps/process/standard_streams.hpp"
#include "apps/transport/control_listener.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/reached_actor.hpp"
#include "apps/transport/token.hpp"
#include "apps/transport/trust.hpp"
#include "base/exit_codes.hpp"
#include "base/host_name.hpp"
#include "base/text/number_in.hpp"
#include "messages/control/control_command.hpp"
#include "messages/wire/type_ids.hpp"

#include <CLI/CLI.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <random>
#include <thread>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto silence = 4s; // after which the run counts as frozen
constexpr auto poll_every = 200ms;

struct Target {
  ControlAddress address;
  std::filesystem::path folder; ///< "": the run was given by its address
};

/// Ends the process at once: the actor system would wait for the connection to a frozen peer.
[[noreturn]] void give_up(const std::string& sentence) {
  std::cout << std::flush;
  std::cerr << "troupe: " << sentence << std::endl;
  std::_Exit(static_cast<int>(ExitCode::unavailable));
}

/// The address of the run at `endpoint` with the token from a file, or all fields of a
/// control.json.
ControlAddress address_at(const Endpoint& endpoint, const std::string& path) {
  if (path.empty())
    throw UsageError("a run at host:port needs --token-file: a file with the token, or the "
                     "control.json of its folder");
  std::ifstream file{path};
  std::string text;
  file >> text;
  text = token_in(text);
  if (text.empty())
    throw IoError("there is no token in '" + path
                  + "'; give a file with the token, or the control.json of the run's folder");
  if (text.front() != '{')
    return {endpoint, text};
  auto address = read_control_file(path);
  address.endpoint = endpoint;
  return address;
}

Target target_of(const CtlCommand& command) {
  auto folder = path_of_run(command.run);
  std::error_code ignored;
  if (command.run.find(':') == std::string::npos
      || std::filesystem::is_directory(folder, ignored)) {
    if (!std::filesystem::is_directory(folder, ignored))
      throw IoError("there is no run in '" + folder.string()
                    + "'; give a run's folder, 'latest', or host:port");
    folder = std::filesystem::canonical(folder);
    return {read_control_file(folder / control_file), folder};
  }
  try {
    return {address_at(parse_endpoint(command.run), command.token_file), {}};
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
}

Trust trust_of_client(const CtlCommand& command, const ControlAddress& address) {
  const auto& endpoint = address.endpoint;
  if (!address.own.empty()) {
    Trust trust;
    trust.tls = std::make_shared<const TlsContext>(address.own);
    return trust;
  }
  if (!command.certs.empty())
    return check_trust(identity_in(command.certs, command.name), false, endpoint.host);
  if (address.tls)
    throw ConfigError("the run at " + to_string(endpoint)
                      + " admits only clients with a certificate of its authority: give --certs "
                        "FOLDER and --name NODE, made by `troupe certs node`");
  if (!is_loopback(endpoint.host))
    throw ConfigError("'" + endpoint.host
                      + "' is another machine, and a token is not sent there unencrypted: give "
                        "--certs FOLDER and --name NODE");
  return {};
}

/// The user and the machine, for the log of the run: "ann@n1".
std::string caller_name() {
  const auto* user = getpwuid(geteuid());
  return (user != nullptr ? std::string{user->pw_name} : std::to_string(geteuid())) + "@"
         + host_name();
}

class ControlClient {
public:
  ControlClient(const CtlCommand& command, Target target)
    : command_(command),
      target_(std::move(target)),
      trust_(trust_of_client(command, target_.address)),
      config_(1),
      system_(config_) {}

  int act() {
    const auto answer
      = ask({target_.address.token, command_.verb, command_.arguments, caller_name()});
    const auto refused = answer.lines == std::vector<std::string>{"refused"};
    for (const auto& line : answer.lines)
      if (answer.ok)
        std::cout << line << "\n";
      else
        std::cerr << "troupe: "
                  << (refused ? "the run refuses; is it the right token?" : line.c_str()) << "\n";
    std::cout << std::flush;
    return static_cast<int>(answer.ok ? ExitCode::done
                            : refused ? ExitCode::refused
                                      : ExitCode::configuration);
  }

  int tail(std::uint64_t rows) {
    auto control = reach();
    caf::scoped_actor self{system_};
    const auto follower = std::uint64_t{std::random_device{}()};
    for (std::uint64_t from = 0;;) {
      LogTail tail;
      caf::error silent;
      self->request(control, silence, TailLog{target_.address.token, from, rows, follower})
        .receive([&](LogTail& answer) { tail = std::move(answer); },
                 [&](caf::error& error) { silent = std::move(error); });
      if (silent)
        return end_of(silent);
      if (!tail.ok)
        throw Failure(ExitCode::refused, {"the run refuses; is it the right token?"});
      if (tail.missed > 0)
        std::cerr
          << "troupe: " << tail.missed
          << " rows were skipped because they came too fast; they are in the run's log.jsonl"
          << std::endl;
      for (const auto& line : tail.lines)
        std::cout << line << "\n";
      std::cout << std::flush;
      exit_if_output_closed();
      from = tail.next;
      if (tail.ended || !std::cout)
        return static_cast<int>(ExitCode::done);
      if (tail.lines.empty())
        std::this_thread::sleep_for(poll_every);
    }
  }

private:
  std::string where() const { return "the run at " + to_string(target_.address.endpoint); }

  caf::expected<Control> connect() {
    return reach_within<Control>(system_, target_.address.endpoint, trust_, silence);
  }

  bool has_port() {
    const auto control = connect();
    return control || control.error() != Error::unavailable;
  }

  Control reach() {
    auto control = connect();
    if (!control && !trust_.tls && control.error() == caf::sec::disconnect_during_handshake)
      throw Failure(ExitCode::refused,
                    {where()
                     + " refuses a connection without its certificate: give --token-file "
                       "the control.json of its folder, or --certs FOLDER"});
    if (!control)
      give_up(where() + " does not answer: " + sentence(control.error())
              + "; is it running, and are certificates the same on both sides?");
    return *control;
  }

  /// Waits without a limit while the run answers pings.
  ControlAnswer ask(const ControlRequest& request) {
    struct Heard {
      std::promise<ControlAnswer> answer;
      bool done = false;
    };
    const auto control = reach();
    const auto heard = std::make_shared<Heard>();
    auto answer = heard->answer.get_future();
    const auto lost = [this, heard](const caf::error& error) {
      if (!heard->done)
        give_up(where() + " was reached, but does not answer: " + sentence(error));
    };
    system_.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      self->set_down_handler([=](const caf::down_msg& down) { lost(down.reason); });
      self->monitor(control);
      self->request(control, caf::infinite, request)
        .then(
          [=](const ControlAnswer& given) {
            heard->done = true;
            heard->answer.set_value(given);
            self->quit();
          },
          lost);
      self->send(self, CheckControl{});
      return {
        [=](const CheckControl&) {
          self->request(control, silence, ControlRequest{request.token, "ping", {}})
            .then([=](const ControlAnswer&) { self->delayed_send(self, 1s, CheckControl{}); },
                  lost);
        },
      };
    });
    return answer.get();
  }

  /// A run that has ended has removed its control.json and closed its port.
  int end_of(const caf::error& silent) {
    const auto known = !target_.folder.empty();
    if (known ? !std::filesystem::exists(target_.folder / control_file) : !has_port())
      return static_cast<int>(ExitCode::done);
    give_up(where() + " no longer answers: " + sentence(silent) + "; it is frozen or was killed");
  }

  const CtlCommand& command_;
  Target target_;
  Trust trust_;
  NodeSystemConfig config_;
  caf::actor_system system_;
};

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
  ControlClient client{command, target_of(command)};
  return follows ? client.tail(rows) : client.act();
}

} // namespace troupe
