// The exceptions for what a program cannot help: each is a sentence for people, and has the exit
// code of a program that ends by it. A wrong argument is std::invalid_argument.
#pragma once

#include "base/exit_codes.hpp"
#include "base/text/text.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Error messages for users: each a whole sentence that says what is wrong, where, and the cure.
using Sentences = std::vector<std::string>;

/// One sentence per line, without a newline after the last.
inline std::string lines_of(const Sentences& sentences) { return joined(sentences, "\n"); }

/// Ends the program with an exit code and sentences on stderr. `main` catches it. Actors never
/// throw it: an exception that leaves a handler ends the actor instead of the program.
class Failure : public std::runtime_error {
public:
  /// @param sentences one for each mistake
  Failure(ExitCode code, Sentences sentences)
    : std::runtime_error(lines_of(sentences)),
      code_(code),
      sentences_(std::move(sentences)) {}

  /// Which the program ends with.
  ExitCode code() const { return code_; }
  const Sentences& sentences() const { return sentences_; } ///< `what()` joins them as lines

private:
  ExitCode code_;
  Sentences sentences_;
};

/// The command line is invalid: exit code 2.
class UsageError : public Failure {
public:
  /// @param sentence what is wrong, and the cure
  explicit UsageError(std::string sentence) : Failure(ExitCode::usage, {std::move(sentence)}) {}
};

/// The configuration is wrong, with one sentence for each mistake: exit code 78.
class ConfigError : public Failure {
public:
  /// @param sentences one for each mistake
  explicit ConfigError(Sentences sentences)
    : Failure(ExitCode::configuration, std::move(sentences)) {}
  /// @param sentence what is wrong, and the cure
  explicit ConfigError(std::string sentence) : ConfigError(Sentences{std::move(sentence)}) {}
};

/// The file was read, but its content cannot be used: exit code 65. The sentence names the file,
/// the place in it, what was found, what was expected and what to do.
class DataError : public Failure {
public:
  /// Text quoted from the file may hold anything: control characters except line ends become ?.
  explicit DataError(std::string sentence);
};

/// A file, folder or connection cannot be created, read or written: exit code 74. The data may be
/// sound: a disk may only need to be mounted.
class IoError : public Failure {
public:
  /// As DataError. @param sentence which file, the system's reason, and the cure
  explicit IoError(std::string sentence);
};

} // namespace troupe
