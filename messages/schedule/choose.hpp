// Which of two values of a record is better: the smaller or the larger one.
#pragma once

#include "base/text/enum_names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// Which of two values of a record is better.
enum class Choose : std::uint8_t {
  by_name, ///< the record's name decides
  min,     ///< the smaller one
  max,     ///< the larger one
};
/// How configurations write the values.
constexpr auto enum_names(Choose) { return name_list("by_name", "min", "max"); }

/// The choice implied by a record's name: `max` for accuracies, R2, AUC and the like, `min` for
/// losses and errors, with any prefix or suffix ("validation_loss", "valAcc", "recall@5"). The last
/// known word decides; "neg" and "negative" reverse it. Nothing if there is no known word, and for
/// records that are no value of the metric itself, such as its deviation.
std::optional<Choose> choice_by_name(std::string_view record);

/// `choose`, or for by_name what the record's name implies.
/// @throws std::invalid_argument if it implies nothing, with the cure.
Choose chosen(Choose choose, const std::string& record);

/// Whether `a` is strictly better than `b`; NaN is worse than any number.
/// @pre choose is min or max
bool is_better(double a, double b, Choose choose);

} // namespace troupe
