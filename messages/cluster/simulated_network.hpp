// A network that exists in numbers only: when what one node sends to another arrives.
#pragma once

#include "base/records.hpp"
#include "model/tensor/random.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace troupe {

struct SimulatedNetworkOptions {
  double latency = 0.0005;   ///< seconds that each message is on its way
  double jitter = 0;         ///< seconds at most on top, drawn for each message
  double bandwidth = 1.25e8; ///< bytes per second of each node's line, each way; inf: no limit
  double loss = 0;           ///< share of messages that are lost, and sent again; in [0, 1)
  FIELDS(latency, jitter, bandwidth, loss);
};

/// @returns what of the options cannot be, as a sentence; "" where they are sound.
std::string defect(const SimulatedNetworkOptions& options);

/// A node that is cut off from all others for a while.
struct Outage {
  std::size_t node = 0;
  double from = 0, until = 0; ///< seconds
};

/// Nodes with a line each to one switch. Decides; does not send.
///
/// A block occupies the sender's line and the receiver's at once, for its bytes / bandwidth, so
/// that many who send to one wait for each other. What fits into one packet passes between the
/// packets of blocks. As on a TCP connection nothing overtakes anything of its kind between the
/// same nodes, and a loss costs the time after which it is noticed: 0.2 s, twice as long each time
/// (RFC 6298 with Linux's least value). Draws with the same key are the same for the same messages
/// in the same order.
class SimulatedNetwork {
public:
  static constexpr std::size_t packet = 1500; ///< bytes

  SimulatedNetwork(const SimulatedNetworkOptions& options, std::size_t nodes,
                   std::vector<Outage> outages, RandomKey key);

  /// When a message of so many bytes arrives that is sent at `now`, >= 0 and never falling.
  /// @returns nothing where an outage swallows it, with all else on the connection.
  std::optional<double> arrival(std::size_t from, std::size_t to, std::size_t bytes, double now);

  /// Whether no outage keeps two nodes apart.
  bool connects(std::size_t a, std::size_t b, double now) const;
  /// When an outage parts them next; nothing: never.
  std::optional<double> next_outage(std::size_t a, std::size_t b, double now) const;

private:
  struct Line {
    double free_out = 0, free_in = 0; ///< seconds
  };

  double retransmissions();

  SimulatedNetworkOptions options_;
  std::vector<Line> lines_; ///< by node
  std::vector<Outage> outages_;
  std::map<std::tuple<std::size_t, std::size_t, bool>, double>
    last_; ///< arrival, by from, to, whether it is a block
  Random random_;
};

} // namespace troupe
