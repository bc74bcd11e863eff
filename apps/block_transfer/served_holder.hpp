// A parameter holder that processes reach over TCP or TLS, as a part of a program.
#pragma once

#include "actors/parameters/parameter_holder.hpp"
#include "apps/transport/trust.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <caf/actor_system.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace troupe {

/// Where a holder listens, and who is admitted.
struct ServedHolderOptions {
  Endpoint endpoint = {"127.0.0.1", 0}; ///< port 0: any free one
  Trust trust = {};                     ///< by default plain TCP, on loopback only
  std::string token = "";               ///< that all processes share; "": none
  ParameterHolderOptions holder = {};   ///< how it waits for workers
};

/// Serves a parameter holder while it lives. Its functions block.
class ServedHolder {
public:
  /// @param system made with NodeSystemConfig; it outlives the holder
  /// @throws IoError if it cannot listen; ConfigError for plain TCP that other machines reach
  explicit ServedHolder(caf::actor_system& system, ServedHolderOptions options = {});
  ~ServedHolder(); ///< ends the holder; members get errors
  ServedHolder(const ServedHolder&) = delete;
  ServedHolder& operator=(const ServedHolder&) = delete;

  std::uint16_t port() const; ///< on which it listens
  /// Who takes part, and the version of the parameters. @throws Failure if the holder has failed
  HolderStatus status() const;
  /// Waits until workers have joined, and all of them have left. @throws as status()
  void wait_for_end() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace troupe
