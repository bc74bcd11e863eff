#include "base/files/data_error.hpp"

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

DataError::DataError(const std::string& sentence)
  : std::runtime_error(without_control_characters(sentence)) {}

FileError::FileError(const std::string& sentence)
  : std::runtime_error(without_control_characters(sentence)) {}

} // namespace troupe
