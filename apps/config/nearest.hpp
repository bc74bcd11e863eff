// What a user meant who misspelled a word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::config {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, no place
/// edited twice (optimal string alignment): Damerau, "A technique for computer detection and
/// correction of spelling errors", CACM 7(3), 1964. Time |a| |b|.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known word closest to `word`, the first of equals; capitals and '-' for '_' cost nothing.
/// @returns nothing where more than a third of the word (but at least one letter) is wrong.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

/// "unknown key 'epoch_limt' in training (run.yaml:3:3); did you mean 'epoch_limit'? known keys:
/// epoch_limit, loss_stop".
/// `section`: its path, "" for the top level. `elsewhere`: suggested where no known key is close.
std::string unknown_key(std::string_view key, std::string_view section, std::string_view source,
                        const std::vector<std::string>& known, std::string_view elsewhere = "");

} // namespace troupe::config
