#pragma once

#include "actors/control/control_breakpoints.hpp"
#include "actors/control/control_job.hpp"
#include "actors/control/control_log.hpp"
#include "messages/requests/request_within.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace troupe {

/// Does what remote control is asked for, command by command, at the trainers, and answers.
class ControlCommands {
public:
  /// @param options, attached, breakpoints outlive this
  /// @param plan called for what has to wait for the next batch
  /// @param poll_later called when `poll` is to be called soon
  void begin(ControlActor::pointer self, const ControlOptions& options,
             AttachedExtensions& attached, ControlBreakpoints& breakpoints, ControlLog log,
             std::function<void(const ControlJobPtr&)> plan, std::function<void()> poll_later);

  void perform(const ControlJobPtr& job);
  /// Looks again whether those have come to rest that are waited for.
  void poll();

private:
  /// A command whose answer waits until its trainers are at rest.
  struct Waiting {
    ControlJobPtr job;
    double until = 0; ///< seconds on the clock
  };

  double now() const;
  bool together(const ControlJob& job) const;
  template <class Message>
  void tell(const ControlJob& job, const Message& message);
  template <class Request>
  void hold(const ControlJobPtr& job, const Request& request);
  void stop(const ControlJobPtr& job);
  void resume(const ControlJobPtr& job);
  void show_status(const ControlJobPtr& job);
  void set(const ControlJobPtr& job);
  void save(const ControlJobPtr& job);
  void save_at(const ControlJobPtr& job, const LoopEvent& event);
  void written(const ControlJobPtr& job, const Row& row);
  void evaluate(const ControlJobPtr& job);
  void measured(const ControlJobPtr& job, const SavedTrainer& at, const Evaluated& evaluated);
  void attach(const ControlJobPtr& job);
  void detach(const ControlJobPtr& job);
  void set_breakpoint(const ControlJobPtr& job);
  void await_pause(const ControlJobPtr& job, double until);
  void conclude(const ControlJobPtr& job);
  void finish(const ControlJobPtr& job, const std::vector<Status>& statuses);
  bool was_resumed(const ControlJob& job) const { return resumes_ != job.resumes_before; }

  /// Asks the job's trainers, and goes on when all have answered or are late.
  template <class Answer, class Request>
  void ask(const ControlJobPtr& job, const Request& request,
           std::function<void(std::size_t trainer, Answer& answer)> each,
           std::function<void()> then, std::chrono::seconds deadline = std::chrono::seconds{600});
  void ask_status(const ControlJobPtr& job, std::function<void(const std::vector<Status>&)> then);

  ControlActor::pointer self_ = nullptr;
  const ControlOptions* options_ = nullptr;
  AttachedExtensions* attached_ = nullptr;
  ControlBreakpoints* breakpoints_ = nullptr;
  ControlLog log_;
  std::function<void(const ControlJobPtr&)> plan_;
  std::function<void()> poll_later_;
  std::vector<Waiting> waiting_;
  std::uint64_t resumes_ = 0; ///< commands that have let training go on
};

} // namespace troupe
