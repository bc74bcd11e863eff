// The destructor of an actor system waits for all its actors; after a failure some may never end.
#pragma once

#include <exception>

namespace troupe {

/// Create it before the actor system, so that it is destroyed afterwards.
class ShutdownDeadline {
public:
  ShutdownDeadline() = default;
  ~ShutdownDeadline();
  ShutdownDeadline(const ShutdownDeadline&) = delete;
  ShutdownDeadline& operator=(const ShutdownDeadline&) = delete;

  /// Runs `body`. If it throws and the actor system has not ended some seconds later, the process
  /// ends with the exception's sentences and exit code.
  template <class Body>
  auto run(Body body) {
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
