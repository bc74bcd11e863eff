#include "apps/transport/control_client.hpp"

#include "apps/folder/run_folder.hpp"
#include "apps/transport/reached_actor.hpp"
#include "apps/transport/token.hpp"
#include "base/failure.hpp"
#include "base/host_name.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/event_based_actor.hpp>
#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <future>
#include <random>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto silence = 4s; // after which the run counts as frozen

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

Trust trust_of_client(const ControlAccess& access, const ControlAddress& address) {
  const auto& endpoint = address.endpoint;
  if (!address.own.empty()) {
    Trust trust;
    trust.tls = std::make_shared<const TlsContext>(address.own);
    return trust;
  }
  if (!access.certs.empty())
    return check_trust(identity_in(access.certs, access.name), false, endpoint.host);
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

Failure refused_by_run() {
  return {ExitCode::refused, {"the run refuses; is it the right token?"}};
}

Failure run_unavailable(const std::string& sentence) { return {ExitCode::unavailable, {sentence}}; }

} // namespace

ControlClient::Target ControlClient::target_of(const ControlAccess& access) {
  auto folder = path_of_run(access.run);
  std::error_code ignored;
  if (access.run.find(':') == std::string::npos || std::filesystem::is_directory(folder, ignored)) {
    if (!std::filesystem::is_directory(folder, ignored))
      throw IoError("there is no run in '" + folder.string()
                    + "'; give a run's folder, 'latest', or host:port");
    folder = std::filesystem::canonical(folder);
    return {read_control_file(folder / control_file), folder};
  }
  try {
    return {address_at(parse_endpoint(access.run), access.token_file), {}};
  } catch (const std::invalid_argument& e) {
    throw UsageError(e.what());
  }
}

ControlClient::ControlClient(const ControlAccess& access)
  : target_(target_of(access)),
    trust_(trust_of_client(access, target_.address)),
    config_(1),
    system_(config_),
    follower_(std::random_device{}()) {}

std::string ControlClient::where() const {
  return "the run at " + to_string(target_.address.endpoint);
}

caf::expected<Control> ControlClient::connect() {
  return reach_within<Control>(system_, target_.address.endpoint, trust_, silence);
}

bool ControlClient::has_port() {
  const auto control = connect();
  return control || control.error() != Error::unavailable;
}

Control ControlClient::reach() {
  auto control = connect();
  if (!control && !trust_.tls && control.error() == caf::sec::disconnect_during_handshake)
    throw Failure(ExitCode::refused,
                  {where()
                   + " refuses a connection without its certificate: give --token-file "
                     "the control.json of its folder, or --certs FOLDER"});
  if (!control)
    throw run_unavailable(where() + " does not answer: " + sentence(control.error())
                          + "; is it running, and are certificates the same on both sides?");
  return *control;
}

ControlAnswer ControlClient::ask(const std::string& verb,
                                 const std::vector<std::string>& arguments) {
  struct Heard {
    std::promise<ControlAnswer> answer;
    bool done = false;
  };
  const auto control = reach();
  const ControlRequest request{target_.address.token, verb, arguments, caller_name()};
  const auto heard = std::make_shared<Heard>();
  auto answer = heard->answer.get_future();
  system_.spawn([=, where = where()](caf::event_based_actor* self) -> caf::behavior {
    const auto lost = [=](const caf::error& error) {
      if (!heard->done)
        heard->answer.set_exception(std::make_exception_ptr(
          run_unavailable(where + " was reached, but does not answer: " + sentence(error))));
      heard->done = true;
      self->quit();
    };
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
          .then([=](const ControlAnswer&) { self->delayed_send(self, 1s, CheckControl{}); }, lost);
      },
    };
  });
  auto given = answer.get();
  if (!given.ok && given.lines == std::vector<std::string>{"refused"})
    throw refused_by_run();
  return given;
}

LogTail ControlClient::next_rows(std::uint64_t rows) {
  if (!followed_)
    followed_ = reach();
  caf::scoped_actor self{system_};
  LogTail tail;
  caf::error silent;
  self->request(followed_, silence, TailLog{target_.address.token, from_, rows, follower_})
    .receive([&](LogTail& answer) { tail = std::move(answer); },
             [&](caf::error& error) { silent = std::move(error); });
  if (silent)
    return end_of(silent);
  if (!tail.ok)
    throw refused_by_run();
  from_ = tail.next;
  return tail;
}

/// A run that has ended has removed its control.json and closed its port.
LogTail ControlClient::end_of(const caf::error& silent) {
  const auto known = !target_.folder.empty();
  if (known ? std::filesystem::exists(target_.folder / control_file) : has_port())
    throw run_unavailable(where() + " no longer answers: " + sentence(silent)
                          + "; it is frozen or was killed");
  LogTail end;
  end.ok = end.ended = true;
  return end;
}

} // namespace troupe
