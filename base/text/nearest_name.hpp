// Finds the name that a misspelled one stands for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`, with no
/// place edited twice (optimal string alignment): Damerau, "A technique for computer detection and
/// correction of spelling errors", CACM 7(3), 1964. Time |a| |b|.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name closest to `name`, the first among equals; differences in case and '-' for '_'
/// cost nothing. If none is close, a name whose words begin with the letters of `name`: lr for
/// learning_rate.
/// @returns nothing if more than a third of the name (but at least one letter) is wrong
std::optional<std::string> nearest_name(std::string_view name,
                                        const std::vector<std::string>& known);

/// "; did you mean 'epoch_limit'?", for the end of a sentence; "" if no known name is close.
/// @param rest appended to the sentence: "; did you mean 'epoch_limit'? <rest>", or "; <rest>"
std::string suggestion(std::string_view name, const std::vector<std::string>& known,
                       std::string_view rest = {});

} // namespace troupe
