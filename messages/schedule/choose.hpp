// Which of two values of a record is better: the smaller or the larger one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

enum class Choose : std::uint8_t {
  by_name, ///< as the record's name says
  min,     ///< the smaller one
  max,     ///< the larger one
};

std::string to_string(Choose choose);
bool from_text(std::string_view text, Choose& choose); ///< false for an unknown word

/// What a record's name says: `max` for accuracies, R2, AUC and the like, `min` for losses and
/// errors, whatever stands before or behind ("validation_loss", "valAcc", "recall@5"). The last
/// word that says something decides; "neg" and "negative" turn it round. Nothing where no word
/// does, and for what is no value of the metric itself, such as its deviation.
std::optional<Choose> choice_by_name(std::string_view record);

/// `choose`, or what the record's name says in its place.
/// @throws std::invalid_argument where it says nothing, with the cure.
Choose chosen(Choose choose, const std::string& record);

/// Whether `a` is strictly better than `b`; NaN is worse than any number.
/// @pre choose is min or max
bool is_better(double a, double b, Choose choose);

} // namespace troupe
