// An actor system without threads and with a clock of its own.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace troupe {

/// Messages move, and time passes, only while a Caller waits for an answer, or `settle` is called:
/// in the calling thread, in one order, always the same. Computing takes no time.
class VirtualSystem {
public:
  VirtualSystem();

  caf::actor_system& system() { return system_; }
  double now();  ///< seconds since the beginning
  void settle(); ///< delivers what is under way; lets no time pass

private:
  struct Config : caf::actor_system_config {
    Config();
  };

  Config config_;
  caf::actor_system system_{config_};
  double began_ = 0;
};

} // namespace troupe
