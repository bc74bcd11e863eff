#pragma once

#include "messages/log/log.hpp"

#include <cstdint>
#include <string>

namespace troupe {

/// For which worker holders are reached, and how long it waits.
struct RemoteHolderOptions {
  WorkerId worker = 0;        ///< whose messages it carries
  WorkerId workers = 0;       ///< in the cluster; 0: not known
  std::size_t shards = 1;     ///< holders, each with a range of the block
  std::string cluster;        ///< the cluster's secret
  bool is_reader = false;     ///< the worker only pulls
  std::uint64_t process = 0;  ///< see Join::process
  double lease = 1;           ///< seconds between renewals
  double join_deadline = 60;  ///< seconds to reach the first parameters, or to report the end
  double resend_deadline = 2; ///< seconds for which a push waits for a lost connection
  Logger logger;              ///< may be null
};

} // namespace troupe
