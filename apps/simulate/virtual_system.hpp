// An actor system without threads and with its own clock.
#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

namespace troupe {

/// Messages are delivered and time passes only while a Caller waits for an answer or in `settle`:
/// in the calling thread, always in the same order. Computing takes no virtual time.
class VirtualSystem {
public:
  VirtualSystem();

  caf::actor_system& system() { return system_; }
  double now();  ///< seconds since the start
  void settle(); ///< delivers messages in flight without passing time

private:
  struct Config : caf::actor_system_config {
    Config();
  };

  Config config_;
  caf::actor_system system_{config_};
  double began_ = 0;
};

} // namespace troupe
