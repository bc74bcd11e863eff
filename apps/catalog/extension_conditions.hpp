// When an extension of a configuration acts: its section's triggers, and the records that it waits
// for.
#pragma once

#include "base/config/node.hpp"
#include "base/exit_codes.hpp"
#include "messages/schedule/condition.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The keys of an extension's section that are conditions.
const std::vector<std::string>& condition_keys();

/// Adds what the section's key says: a trigger of `trigger_names()`, or
///
///   on_record: {after_epoch: validation_loss_best_so_far, after_batch: [first, second]}
///
/// for a condition for each record of each callback, true where the row has it and it is truthy. A
/// falsy trigger takes a default away, an empty or falsy record an earlier source's.
/// @param key one of condition_keys()
/// @param path of the extension, for sentences
/// @returns what is wrong with it, as sentences; nothing is added then.
Sentences read_condition(const std::string& key, const config::Node& value, const std::string& path,
                         Conditions& conditions);

/// The records that the conditions wait for, each once.
std::vector<std::string> awaited_records(const Conditions& conditions);

} // namespace troupe
