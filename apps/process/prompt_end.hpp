// An actor system waits for all its actors when it ends; some that a failure has left behind may
// never have been told to end.
#pragma once

#include <exception>

namespace troupe {

/// Make one before the actor system, so that it goes after it.
class PromptEnd {
public:
  PromptEnd() = default;
  ~PromptEnd();
  PromptEnd(const PromptEnd&) = delete;
  PromptEnd& operator=(const PromptEnd&) = delete;

  /// Runs `body`. Where an exception leaves it and the system has not ended some seconds later, the
  /// process ends with the exception's sentences and exit code.
  template <class Body>
  auto of(Body body) {
    try {
      return body();
    } catch (...) {
      begin(std::current_exception());
      throw;
    }
  }

private:
  void begin(const std::exception_ptr& failure);

  bool begun_ = false;
};

} // namespace troupe
