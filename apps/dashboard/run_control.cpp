#include "apps/dashboard/run_control.hpp"

#include "apps/transport/control_listener.hpp"
#include "apps/transport/node_system.hpp"
#include "apps/transport/reached_actor.hpp"
#include "base/failure.hpp"
#include "messages/control/control_command.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>

namespace troupe {

namespace {

using namespace std::chrono_literals;

ControlOutcome silent(const std::string& sentence) {
  return {ControlOutcome::Kind::silent, {sentence}};
}

Trust trust_of_run(const ControlAddress& address) {
  Trust trust;
  if (!address.own.empty())
    trust.tls = std::make_shared<const TlsContext>(address.own);
  else if (address.tls)
    throw ConfigError("the run admits only certificates of its cluster; steer it with `troupe ctl "
                      "FOLDER --certs CERTS`");
  return trust;
}

} // namespace

RunControlClient::RunControlClient() = default;
RunControlClient::~RunControlClient() = default;

caf::actor_system& RunControlClient::system() {
  const std::lock_guard lock{mutex_};
  if (system_ == nullptr) {
    config_ = std::make_unique<NodeSystemConfig>(1);
    system_ = std::make_unique<caf::actor_system>(*config_);
  }
  return *system_;
}

ControlOutcome RunControlClient::ask(const std::filesystem::path& folder, const std::string& verb,
                                     const std::vector<std::string>& arguments,
                                     const std::string& by) {
  try {
    parse_control_command(verb, arguments);
    const auto address = read_control_file(folder / control_file);
    auto control = reach_within<Control>(system(), address.endpoint, trust_of_run(address), 3s);
    if (!control)
      return silent("the run does not answer: " + sentence(control.error())
                    + "; look whether it still trains");
    caf::scoped_actor self{system()};
    ControlOutcome outcome;
    self->request(*control, 10s, ControlRequest{address.token, verb, arguments, by})
      .receive(
        [&](ControlAnswer& answer) {
          outcome = {answer.ok ? ControlOutcome::Kind::done : ControlOutcome::Kind::refused,
                     std::move(answer.lines)};
        },
        [&](caf::error& error) {
          outcome = silent("the run was reached, but has not answered within 10 seconds: "
                           + sentence(error) + "; the order may still take effect");
        });
    return outcome;
  } catch (const std::invalid_argument& error) {
    return {ControlOutcome::Kind::refused, {error.what()}};
  } catch (const Failure& error) {
    return silent(error.what());
  }
}

} // namespace troupe
