// What a run's log knows of its own past: each start of a run, the first and every resume, begins a
// log of its own, and says of which log it is the continuation, and from where.
#pragma once

#include "messages/log/log.hpp"

#include <map>
#include <string>

namespace troupe {

/// How a log begins.
struct LogStart {
  std::string id;           ///< 32 hexadecimal digits, no other log's; "" for a log without lineage
  std::string resumed_from; ///< id of the log that this one continues; "" for a first start
  std::map<WorkerId, Step> resumed_at; ///< the batch from which each worker goes on
  FIELDS(id, resumed_from, resumed_at);
};

/// True for a row that was written before `start` and does not count any more: its batch lies
/// beyond the one from which its worker goes on, so that it will be trained and written once more.
bool superseded(const LogStart& start, const RowKey& row);

/// 32 hexadecimal digits from the system's source of randomness.
std::string new_log_id();

/// Takes what says how a run ended ("outcome", "reason", "training_finished") out of a status: a
/// run that goes on has not ended.
void reopen(Records& status);

} // namespace troupe
