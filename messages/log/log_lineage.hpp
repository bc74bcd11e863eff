// The lineage of a run's log. Each start of a run, the first and every resume, begins a new log
// that names the log it continues, and from which batch.
#pragma once

#include "messages/log/log.hpp"

#include <map>
#include <string>

namespace troupe {

/// The start of a log.
struct LogStart {
  std::string id;           ///< 32 hexadecimal digits, unique; "" for a log without lineage
  std::string resumed_from; ///< id of the log that this one continues; "" for a first start
  std::map<WorkerId, Step> resumed_at; ///< the batch from which each worker continues
  TROUPE_FIELDS(id, resumed_from, resumed_at);
};

/// Whether a row was written before `start` and no longer counts: its batch lies beyond the one
/// from which its worker continues, so that it will be trained and written again.
bool superseded(const LogStart& start, const RowKey& row);

/// 32 hexadecimal digits from the system's source of randomness.
std::string new_log_id();

/// Removes how a run ended ("outcome", "reason", "training_finished") from a status: a resumed run
/// has not ended.
void reopen(Records& status);

} // namespace troupe
