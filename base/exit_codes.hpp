// Exit codes of all Troupe programs. A shell, systemd, Slurm or Kubernetes decides by this number
// whether to restart a process. The numbers follow sysexits.h where it has one.
#pragma once

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

} // namespace troupe
