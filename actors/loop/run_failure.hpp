#pragma once

#include "actors/loop/trainer_log.hpp"
#include "actors/loop/training.hpp"

#include <string>

namespace troupe {

/// Training fails with this sentence: on_error comes next. Of several errors the first is the
/// run's; the others are written to the log.
void fail_run(Training& training, const TrainerLog& log, const std::string& sentence);

/// Counts the batches that are still computed; fails the run where one failed.
void settle_or_fail(Training& training, const TrainerLog& log);

} // namespace troupe
