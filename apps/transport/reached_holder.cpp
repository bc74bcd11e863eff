#include "apps/transport/reached_holder.hpp"

#include "actors/access/entry_point.hpp"
#include "apps/transport/introduction.hpp"
#include "apps/transport/reached_actor.hpp"
#include "apps/transport/token.hpp"
#include "base/failure.hpp"
#include "base/text/text.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr const char* holder_name = "parameter holder";
constexpr auto introduction_deadline = 3s;

caf::expected<Introduction<ParameterHolder>>
introduce_to_holder(caf::actor_system& system, const caf::expected<EntryPoint>& entry,
                    const std::string& token) {
  if (!entry)
    return entry.error();
  return introduce_to<ParameterHolder>(system, *entry, holder_name, token, introduction_deadline);
}

caf::expected<ParameterHolder> handle_of(const caf::expected<Introduction<ParameterHolder>>& made) {
  if (!made)
    return made.error();
  return made->handle;
}

} // namespace

EntryPoint holder_entry_point(const ParameterHolder& holder, const std::string& token,
                              const Logger& logger) {
  const auto report = [logger](const std::string& line) {
    if (logger)
      caf::anon_send(logger, Say{Level::warning, line});
  };
  return entry_point_of<ParameterHolder>(holder, {holder_name, token, draw_token, report});
}

caf::expected<ParameterHolder> reach_holder(caf::actor_system& system, const Endpoint& endpoint,
                                            const Trust& trust, const std::string& token,
                                            const Cancelled& cancelled) {
  return handle_of(introduce_to_holder(
    system, reach_actor<EntryPoint>(system, endpoint, trust, cancelled), token));
}

caf::expected<ParameterHolder> reach_holder_within(caf::actor_system& system,
                                                   const Endpoint& endpoint, const Trust& trust,
                                                   const std::string& token,
                                                   caf::timespan deadline) {
  return handle_of(introduce_to_holder(
    system, reach_within<EntryPoint>(system, endpoint, trust, deadline), token));
}

void check_join_deadline(double seconds) {
  constexpr double longest = 1e9; // the clock counts nanoseconds in 64 bits
  if (!(seconds > 0 && seconds <= longest))
    throw UsageError("--join-deadline " + shortest(seconds)
                     + ": give a number of seconds above 0, like 60");
}

bool wait_for_holder(caf::actor_system& system, const Endpoint& endpoint, const Trust& trust,
                     const std::string& token, double deadline,
                     const std::atomic<bool>& interrupted) {
  const auto began = std::chrono::steady_clock::now();
  const auto waited = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  const auto cancelled = [&] { return interrupted || waited() >= deadline; };
  auto said = false;
  auto pause = 50ms;
  while (!interrupted) {
    const auto holder = introduce_to_holder(
      system, reach_actor<EntryPoint>(system, endpoint, trust, cancelled), token);
    if (holder) {
      caf::anon_send_exit(holder->handle, caf::exit_reason::user_shutdown);
      if (trust.tls && !holder->token_required)
        std::cerr << "warning: the parameter holder at " << to_string(endpoint)
                  << " asks for no token: every certificate of its authority is accepted; start it "
                     "with a TROUPE_TOKEN"
                  << std::endl;
      return true;
    }
    if (holder.error() == Error::invalid_options)
      throw Failure(ExitCode::refused, {"the parameter holder at " + to_string(endpoint)
                                        + " refuses this process: " + sentence(holder.error())});
    if (!said && waited() >= 2) {
      said = true;
      std::cerr << "waiting for the parameter holder at " << to_string(endpoint) << " (at most "
                << deadline << " s): " << sentence(holder.error()) << std::endl;
    }
    if (waited() >= deadline)
      throw Failure(ExitCode::unavailable,
                    {"the parameter holder at " + to_string(endpoint) + " could not be reached for "
                     + shortest(deadline) + " s, the last answer was: " + sentence(holder.error())
                     + "; is it running, and are its certificates from the same authority?"});
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, 1000ms);
  }
  return false;
}

} // namespace troupe
