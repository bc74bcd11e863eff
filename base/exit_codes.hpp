// How a program of the troupe ends, told to whoever started it: a shell, systemd, Slurm or
// Kubernetes decides by this number whether to start it again. The numbers are sysexits.h's where
// it has one.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

enum class ExitCode : int {
  done = 0,           ///< what was asked for is done
  usage = 2,          ///< the command line cannot be understood
  data = 65,          ///< a data set or checkpoint is damaged or does not fit
  unavailable = 69,   ///< a peer cannot be reached; starting again may help
  internal = 70,      ///< a defect of the program
  io = 74,            ///< a file cannot be read or written
  stopped_early = 75, ///< time limit, SIGTERM or preemption after a complete checkpoint; `resume`
  refused = 77,       ///< whoever was asked does not know us: the wrong token
  configuration = 78, ///< a value of the configuration is wrong; starting again cannot help
  interrupted = 130,  ///< Ctrl-C before a checkpoint was complete (128 + SIGINT)
};

/// Complaints to a user: each a whole sentence that says what is wrong, where, and the cure.
using Sentences = std::vector<std::string>;

/// One sentence per line, without a newline after the last.
inline std::string lines_of(const Sentences& sentences) {
  std::string text;
  for (const auto& sentence : sentences)
    text += (text.empty() ? "" : "\n") + sentence;
  return text;
}

/// Ends the program with an exit code and sentences on stderr. `main` catches it; no actor throws
/// it, because an exception that leaves a handler ends the actor instead of the program.
class Failure : public std::runtime_error {
public:
  Failure(ExitCode code, Sentences sentences)
    : std::runtime_error(lines_of(sentences)),
      code_(code),
      sentences_(std::move(sentences)) {}

  ExitCode code() const { return code_; }
  const Sentences& sentences() const { return sentences_; } ///< `what()` has them as lines

private:
  ExitCode code_;
  Sentences sentences_;
};

/// The command line cannot be understood: exit code 2.
class UsageError : public Failure {
public:
  explicit UsageError(std::string sentence) : Failure(ExitCode::usage, {std::move(sentence)}) {}
};

/// The configuration is wrong, in as many places as there are sentences: exit code 78.
class ConfigError : public Failure {
public:
  explicit ConfigError(Sentences sentences)
    : Failure(ExitCode::configuration, std::move(sentences)) {}
  explicit ConfigError(std::string sentence) : ConfigError(Sentences{std::move(sentence)}) {}
};

/// A file or folder cannot be created, read or written: exit code 74.
class IoError : public Failure {
public:
  explicit IoError(std::string sentence) : Failure(ExitCode::io, {std::move(sentence)}) {}
};

} // namespace troupe
