// Sends requests to actors from a thread outside the actor system, and waits for the answers.
#pragma once

#include "base/failure.hpp"
#include "messages/requests/error.hpp"

#include <caf/blocking_actor.hpp>
#include <caf/scoped_execution_unit.hpp>

#include <chrono>
#include <string>

namespace troupe {

/// Like caf::scoped_actor, but also works under virtual time: no other thread delivers messages
/// there, so the waiting thread runs the scheduler and advances the clock until the answer is
/// there.
class Caller {
public:
  /// @param system in which the actors are
  explicit Caller(caf::actor_system& system);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  /// For requests whose answers are received later.
  caf::blocking_actor* operator->() const;

  /// @param actor_name at the beginning of a sentence
  /// @param deadline of the answer; by default that of an actor that answers at once
  /// @throws Failure for an error
  template <class Answer, class Actor, class Request, class Deadline = std::chrono::seconds>
  Answer ask(const Actor& actor, const Request& request, const std::string& actor_name,
             const Deadline& deadline = std::chrono::seconds{30}) {
    Answer result;
    (*this)
      ->request(actor, deadline, request)
      .receive([&](Answer& answer) { result = std::move(answer); },
               [&](caf::error& error) {
                 throw Failure(ExitCode::internal, {actor_name + " answered: " + sentence(error)});
               });
    return result;
  }

  /// For messages to this thread.
  caf::actor handle() const { return self_; }

private:
  caf::scoped_execution_unit context_;
  caf::actor self_;
};

} // namespace troupe
