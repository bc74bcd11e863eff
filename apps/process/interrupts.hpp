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

/// A trainer, or the quiescence of several.
using Stoppable = caf::typed_actor<caf::reacts_to<Stop>>;

/// What asks a program to end in order: SIGINT; SIGTERM; SIGUSR1 and SIGUSR2, which schedulers send
/// some time before they kill (sbatch --signal, qsub -notify); SIGXCPU, at the limit of processor
/// time; and SIGHUP, which a terminal sends that is closed, unless it is ignored: whoever says
/// `nohup` wants it to go on.
sigset_t signals_to_end();

/// Turns signals_to_end() and the end of a job's time into messages to the trainers, while it
/// lives:
///
///   while the program starts, any of them     the process ends at once
///   first SIGINT                              Stop after the epoch
///   second SIGINT, any other signal, drain    Stop after the batch
///   third SIGINT                              the process ends at once
///
/// Once training is over there is nothing left to stop: then the first SIGINT says so, and the next
/// ends the process, too. The exit code of an end at once is 75 where something was saved to go on
/// from, else 130.
///
/// Make one before any other thread starts: threads that are started later leave these signals to
/// it.
class Interrupts {
public:
  using Moment = std::chrono::steady_clock::time_point; ///< which nobody sets, unlike a wall clock
  /// @param drain_at when the time of the job is so far used up that training has to end
  explicit Interrupts(std::optional<Moment> drain_at = {});
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// From now on these trainers, too, hear of interrupts, and the logger says what happens. An
  /// interrupt that came before is passed on now.
  void tell(std::vector<Stoppable> trainers, Logger logger);
  /// Those told with this logger hear of them no more: their training is over.
  /// @returns whether somebody has asked them to end.
  bool untell(const Logger& logger);

  /// Tells people how to go on from what was saved; "" where nothing was.
  using Resumption = std::function<std::string()>;
  /// Whom an interrupt ends at once asks `how`, from a thread of its own.
  void resume_by(Resumption how);

  /// What can be ended in order has begun, as it has with tell() and listen(), too. Until then,
  /// data are read for example, an interrupt ends the process at once.
  void started();

  /// Ends the training of those who are told now, as an interrupt of this level would, but of
  /// nobody who is told later. Each hears of a level once, so that whoever waits for one that is
  /// just beginning may say it again.
  void stop(int level, const std::string& why);

  /// How hard somebody interrupts: 1 ends after the epoch, 2 after the batch.
  using Listen = std::function<void(int level)>;
  /// Calls `listen` at each interrupt, whoever trains, from a thread of its own and hence briefly;
  /// at once where one came before. Of a grid, which goes on between its runs.
  void listen(Listen listen);

private:
  struct Listener;
  std::unique_ptr<Listener> listener_;
};

} // namespace troupe
