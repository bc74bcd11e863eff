// When a configured extension acts: the triggers in its section and the records it waits for.
#pragma once

#include "base/config/node.hpp"
#include "base/failure.hpp"
#include "messages/schedule/condition.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The keys of an extension's section that are conditions.
const std::vector<std::string>& condition_keys();

/// Adds the conditions of a key in the section: a trigger of `trigger_names()`, or
///
///   on_record: {after_epoch: validation_loss_best_so_far, after_batch: [first, second]}
///
/// which adds a condition for each record of each callback, true if the row has the record and it
/// is truthy. A falsy trigger removes a default, an empty or falsy record that of an earlier
/// source.
/// @param key one of condition_keys()
/// @param path of the extension, for error messages
/// @returns its errors, as sentences; nothing is added then.
Sentences read_condition(const std::string& key, const config::Node& value, const std::string& path,
                         Conditions& conditions);

/// The records that the conditions wait for, without duplicates.
std::vector<std::string> awaited_records(const Conditions& conditions);

} // namespace troupe
