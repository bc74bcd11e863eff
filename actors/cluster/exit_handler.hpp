// An actor that ends leaves the answers that it owes unsent, and whoever waits for one would wait
// for ever: here it says them before.
#pragma once

#include "base/exception_text.hpp"
#include "messages/requests/error.hpp"

#include <caf/scheduled_actor.hpp>

#include <exception>
#include <string>

namespace troupe {

/// Calls `speak` with the reason, a sentence, before the actor ends by an exit message or by an
/// exception. Not where it is killed: then there is no time for words.
template <class Self, class Speak>
void install_exit_handler(Self self, Speak speak) {
  self->set_exit_handler([=](caf::exit_msg& exit) {
    speak(sentence(exit.reason));
    self->quit(exit.reason);
  });
  self->set_exception_handler([=](std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      speak(exception_text());
    }
    return caf::scheduled_actor::default_exception_handler(self, error);
  });
}

} // namespace troupe
