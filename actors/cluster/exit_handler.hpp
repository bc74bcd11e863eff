// Answers pending requests before an actor ends, because their senders would wait forever.
#pragma once

#include "base/exception_text.hpp"
#include "messages/requests/error.hpp"

#include <caf/scheduled_actor.hpp>

#include <exception>
#include <string>

namespace troupe {

/// Calls `answer` with the reason, a sentence, before the actor ends by an exit message or an
/// exception. It is not called if the actor is killed.
template <class Self, class Answer>
void install_exit_handler(Self self, Answer answer) {
  self->set_exit_handler([=](caf::exit_msg& exit) {
    answer(sentence(exit.reason));
    self->quit(exit.reason);
  });
  self->set_exception_handler([=](std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      answer(exception_text());
    }
    return caf::scheduled_actor::default_exception_handler(self, error);
  });
}

} // namespace troupe
