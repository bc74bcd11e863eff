// The actor system of a program, with Troupe's messages.
//
//   LocalSystem system;
//   const auto timer = spawn_timer(system);
//   const auto used = system.ask<UsedTime>(timer, GetUsedTime{}, "the timer").seconds;
#pragma once

#include "messages/requests/caller.hpp"
#include "messages/wire/type_ids.hpp" // of what it sends

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <functional>
#include <string>

namespace troupe {

namespace detail {

/// A base, so that it is there before the actor system and after it.
struct LocalSystemConfig {
  caf::actor_system_config of_system;
};

} // namespace detail

/// An actor system in which the thread that made it sends and asks. Its end waits for its actors,
/// each of which ends with its last handle.
class LocalSystem : private detail::LocalSystemConfig, public caf::actor_system {
public:
  /// @param add_to adds what a program has of its own, such as its messages
  explicit LocalSystem(const std::function<void(caf::actor_system_config& config)>& add_to
                       = nullptr);

  /// A message without an answer.
  template <class Actor, class Message>
  void send(const Actor& actor, Message message) {
    caller_->send(actor, std::move(message));
  }

  /// Caller::ask: waits for the answer.
  template <class Answer, class Actor, class Request, class Deadline = std::chrono::seconds>
  Answer ask(const Actor& actor, const Request& request, const std::string& actor_name,
             const Deadline& deadline = std::chrono::seconds{30}) {
    return caller_.ask<Answer>(actor, request, actor_name, deadline);
  }

  /// Its thread, for requests whose answers are received later.
  Caller& caller() { return caller_; }

private:
  Caller caller_;
};

} // namespace troupe
