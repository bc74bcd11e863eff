// Exit codes of all Troupe programs. A shell, systemd, Slurm or Kubernetes decides by this number
// whether to restart a process. The numbers follow sysexits.h where it has one.
#pragma once

#include "base/text/text.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// How a program ends.
enum class ExitCode : int {
  done = 0,           ///< success
  usage = 2,          ///< the command line is invalid
  data = 65,          ///< a data set or checkpoint is damaged or does not fit
  unavailable = 69,   ///< a peer cannot be reached; a restart may help
  internal = 70,      ///< training failed, threads or memory ran out, or a bug in Troupe
  io = 74,            ///< a file cannot be read or written
  stopped_early = 75, ///< time limit, SIGTERM or preemption after a complete checkpoint; `resume`
  refused = 77,       ///< the peer does not accept our token
  configuration = 78, ///< a value of the configuration is wrong; a restart cannot help
  interrupted = 130,  ///< Ctrl-C before a checkpoint was complete (128 + SIGINT)
};

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

/// A file or folder cannot be created, read or written: exit code 74.
class IoError : public Failure {
public:
  /// @param sentence which file, why, and the cure
  explicit IoError(std::string sentence) : Failure(ExitCode::io, {std::move(sentence)}) {}
};

} // namespace troupe
