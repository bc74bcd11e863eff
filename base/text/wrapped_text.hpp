// Wraps text to the width of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// The columns that a text takes on a terminal: continuation bytes of UTF-8 and escape sequences
/// for colours take none.
std::size_t columns_of(std::string_view text);

/// Wraps the text to lines of at most `columns`: a line ends after a separator, or at a blank where
/// the text between two separators is longer than a line.
/// @param separator like ";", which a blank follows; "" ends a line at any blank
/// @param indent before each line but the first
std::string wrapped(const std::string& text, const std::string& separator, std::size_t columns,
                    const std::string& indent = "");

/// Folds a line of several parts to at most `columns`, only between parts: a sentence or a command
/// stays as it is. Between parts are two blanks or more ("loss 0.3  accuracy 0.9"); the first may
/// also be a head with a colon ("epoch 1: loss 0.3  accuracy 0.9"). Later lines are indented to the
/// second part where each part fits there, otherwise by four blanks.
std::string folded_between_parts(const std::string& line, std::size_t columns);

} // namespace troupe
