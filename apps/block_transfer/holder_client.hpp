// A client of parameter holders over TCP or TLS: for the workers of a run, or by itself.
//
//   HolderClient client{{.holders = {parse_endpoint("n1:4000")}, .trust = Trust{identity}}};
//   client.join(model->layout(), {"easgd", {{"elasticity", 0.3f}}});
//   parameters = client.push(parameters).values;
#pragma once

#include "apps/transport/trust.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/cluster/cluster_spec.hpp"
#include "messages/log/log.hpp"
#include "model/codecs/wire_format.hpp"

#include <caf/fwd.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Where the holders of a cluster are, and who connects to them.
struct HolderAccess {
  std::vector<Endpoint> holders; ///< in the order of their shards
  Trust trust = {};              ///< by default plain TCP, on loopback only
  std::string token = "";        ///< that all processes of the cluster share; "": none
  WorkerId worker = 0;           ///< its number in the cluster; of a run: its first one
  WorkerId workers = 0;          ///< in the cluster; 0: unknown
  bool is_reader = false;        ///< only pulls: no round waits for it
  WireOptions wire = {};         ///< the format in which pushes cross the network
  double join_deadline = 60;     ///< seconds to reach the holders
  Staleness staleness = {};      ///< of this client's pushes: by default they wait for no worker
};

/// For RunActorsOptions::connection_to_holder: connects each worker of a run.
/// @param system made with NodeSystemConfig
std::function<RemoteHolder(WorkerId worker, const Logger& logger)>
connection_to(caf::actor_system& system, const HolderAccess& access);

/// A worker, or a reader, of a cluster. All functions block, and serve one thread. They throw
/// Failure with the holder's sentence: with ExitCode::unavailable if it cannot be reached.
class HolderClient {
public:
  /// In an actor system of its own; it connects when it joins.
  /// @throws ConfigError without holders, and for plain TCP to another machine
  explicit HolderClient(const HolderAccess& access);
  ~HolderClient(); ///< leaves
  HolderClient(const HolderClient&) = delete;
  HolderClient& operator=(const HolderClient&) = delete;

  /// Takes part. @param layout of the parameters, the same for all workers
  /// @param rule by which this worker's pushes change them
  Joined join(const Layout& layout, const UpdateRule& rule = {});
  /// The first parameters of the cluster, if there are none yet. @returns the current ones
  Parameters create(const Block& values);
  /// The newest parameters.
  Parameters pull();
  /// Changes the shared parameters by the rule. @param own the worker's parameters, which it has
  /// trained since the last answer
  /// @returns what the worker continues with
  Parameters push(const Block& own);
  /// Some elements of one parameter.
  Part pull_part(const Selection& selection);
  /// Who takes part.
  HolderStatus status();
  /// Ends taking part; join() may follow.
  void leave();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace troupe
