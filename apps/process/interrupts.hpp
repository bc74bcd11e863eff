#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/loop.hpp"

#include <signal.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A trainer, or the actor that quiesces several.
using Stoppable = caf::typed_actor<caf::reacts_to<Stop>>;

/// The signals that ask a program to end in order: SIGINT; SIGTERM; SIGUSR1 and SIGUSR2, which
/// schedulers send some time before they kill (sbatch --signal, qsub -notify); SIGXCPU, at the
/// limit of processor time; and SIGHUP, which a closing terminal sends, unless it is ignored, as
/// `nohup` has it.
sigset_t signals_to_end();

/// While it lives, turns signals_to_end() and the end of a job's time into messages to the
/// trainers:
///
///   while the program starts, any of them     the process ends at once
///   first SIGINT                              Stop after the epoch
///   second SIGINT, any other signal, drain    Stop after the batch
///   third SIGINT                              the process ends at once
///
/// Once training is over, the first SIGINT only says so, and the next ends the process. When the
/// process ends at once, its exit code is 75 if it saved a state to resume from, else 130.
///
/// Create it before any other thread starts: later threads then inherit its mask and leave these
/// signals to it.
class Interrupts {
public:
  using Moment = std::chrono::steady_clock::time_point; ///< a wall clock could be set meanwhile
  /// @param drain_at when training has to end so that the job ends within its time
  explicit Interrupts(std::optional<Moment> drain_at = {});
  /// Leaves signals to the program that training is a part of, which calls interrupt() instead.
  struct WithoutSignals {};
  explicit Interrupts(WithoutSignals without);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// From now on these trainers receive interrupts too, and the logger reports them. An interrupt
  /// that came before is sent now.
  void register_trainers(std::vector<Stoppable> trainers, Logger logger);
  /// The training that was registered with this logger is over.
  /// @returns whether it was asked to end.
  bool unregister_trainers(const Logger& logger);

  /// Tells people how to resume from what was saved; "" if nothing was.
  using ResumeHint = std::function<std::string()>;
  /// An interrupt that ends the process at once calls `hint`, on a thread of its own.
  void set_resume_hint(ResumeHint hint);

  /// From now on training can be ended in order; register_trainers() and on_interrupt() imply it.
  /// Before, for example while data are read, an interrupt ends the process at once.
  void started();

  /// Ends training, also such as is registered later: level 1 after the epoch, 2 after the batch.
  void interrupt(int level);

  /// Ends the training that is registered now, as an interrupt of this level would; training that
  /// is registered later is not affected. Each trainer receives a level once, so a caller may
  /// repeat the call while another training is just starting.
  void stop(int level, const std::string& why);

  /// Receives the level of an interrupt: 1 ends after the epoch, 2 after the batch.
  using Handler = std::function<void(int level)>;
  /// Calls `handler` at each interrupt, and at once if one came before. It runs on the thread of
  /// the signals and has to be brief. A grid uses it, since it continues between its runs.
  void on_interrupt(Handler handler);

private:
  struct SignalThread;
  std::unique_ptr<SignalThread> thread_;
};

} // namespace troupe
