#include "base/failure.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// A zero byte would end the sentence before its cure; an escape sequence would change the
/// terminal.
std::string without_control_characters(std::string sentence) {
  std::replace_if(
    sentence.begin(), sentence.end(),
    [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; }, '?');
  return sentence;
}

} // namespace

DataError::DataError(std::string sentence)
  : Failure(ExitCode::data, {without_control_characters(std::move(sentence))}) {}

IoError::IoError(std::string sentence)
  : Failure(ExitCode::io, {without_control_characters(std::move(sentence))}) {}

} // namespace troupe
