// Sends orders to runs over the control protocol (messages/control/control.hpp).
#pragma once

#include "messages/control/control.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace troupe {

struct ControlOutcome {
  enum class Kind : std::uint8_t { done, refused, silent };
  Kind kind = Kind::silent;
  std::vector<std::string> lines; ///< the run's answer, or why there is none
};

/// Has an actor system of its own from its first order on.
class RunControlClient {
public:
  RunControlClient();
  ~RunControlClient();
  RunControlClient(const RunControlClient&) = delete;
  RunControlClient& operator=(const RunControlClient&) = delete;

  /// Reaches the run in a folder by its control.json and waits ten seconds for its answer.
  /// @param by who gives the order, for the log
  ControlOutcome ask(const std::filesystem::path& folder, const std::string& verb,
                     const std::vector<std::string>& arguments, const std::string& by);

private:
  caf::actor_system& system();

  std::mutex mutex_;
  std::unique_ptr<caf::actor_system_config> config_;
  std::unique_ptr<caf::actor_system> system_;
};

} // namespace troupe
