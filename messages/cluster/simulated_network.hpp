// A network that exists only in numbers: when a message from one node arrives at another.
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
  double latency = 0.0005;   ///< seconds that each message travels
  double jitter = 0;         ///< at most so many seconds more, drawn for each message
  double bandwidth = 1.25e8; ///< bytes per second of each node's link, in each direction; inf: no
                             ///< limit
  double loss = 0;           ///< share of messages that are lost and sent again; in [0, 1)
  TROUPE_FIELDS(latency, jitter, bandwidth, loss);
};

/// @returns what is wrong with the options, as a sentence; "" if they are valid.
std::string defect(const SimulatedNetworkOptions& options);

/// A node that is cut off from all others for a time.
struct Outage {
  std::size_t node = 0;
  double from = 0, until = 0; ///< seconds
};

/// Nodes, each with a link to one switch. Decides; does not send.
///
/// A block occupies the sender's and the receiver's link at once, for its bytes / bandwidth, so
/// that several senders to one receiver wait for each other. A message that fits into one packet
/// passes between the packets of blocks. As on a TCP connection, messages of the same kind between
/// the same nodes stay in order, and a loss costs the time after which it is noticed: 0.2 s,
/// doubled each time (RFC 6298 with Linux's minimum). Draws with the same key are the same for the
/// same messages in the same order.
class SimulatedNetwork {
public:
  static constexpr std::size_t packet = 1500; ///< bytes

  SimulatedNetwork(const SimulatedNetworkOptions& options, std::size_t nodes,
                   std::vector<Outage> outages, RandomKey key);

  /// When a message of `bytes` arrives that is sent at `now`, >= 0 and never decreasing.
  /// @returns nothing if an outage drops it, with all else on the connection.
  std::optional<double> arrival(std::size_t from, std::size_t to, std::size_t bytes, double now);

  /// Whether no outage separates the two nodes.
  bool connects(std::size_t a, std::size_t b, double now) const;
  /// When an outage separates them next; nothing: never.
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
    last_; ///< last arrival, by from, to and whether it is a block
  Random random_;
};

} // namespace troupe
