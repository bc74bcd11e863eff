// State of the remote control actor; control.cpp maps messages to it.
#pragma once

#include "actors/control/control_options.hpp"
#include "messages/control/control_command.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace troupe {

/// The messages of control besides its public interface.
using ControlActor = RunControl::extend<caf::replies_to<AskGate>::with<GateAnswer>,
                                        caf::replies_to<SaveExtension>::with<SavedExtension>,
                                        caf::reacts_to<Written>, caf::reacts_to<CheckControl>>;

/// A command being executed, at some of the trainers.
struct ControlJob {
  ControlCommand command;
  std::vector<std::size_t> trainers;
  std::vector<AttachedExtension> extensions; ///< attach: those spawned; detach: those to detach
  std::optional<LoopEvent> event;            ///< set if a gate executes it
  std::vector<std::uint64_t> plans;          ///< its parts waiting for their batch
  std::uint64_t resumes_before = 0;          ///< value of resumes_ when it began
  std::vector<std::string> lines, errors;    ///< of the answer
  /// Lets the trainer that waits at the gate continue; does nothing without a gate.
  std::function<void()> release = [] {};
  std::function<void(const ControlAnswer&)> finish = [](const ControlAnswer&) {};
};
using ControlJobPtr = std::shared_ptr<ControlJob>;

class ControlState {
public:
  static constexpr const char* name = "control";
  using Self = ControlActor::stateful_pointer<ControlState>;

  ~ControlState();
  void begin(Self self, ControlOptions options);

  // -- messages ----------------------------------------------------------------------------

  caf::typed_response_promise<ControlAnswer> request(const ControlRequest& request);
  LogTail tail(const TailLog& tail);
  caf::typed_response_promise<GateAnswer> gate(const LoopEvent& event);
  void written(const Row& row);
  caf::typed_response_promise<Drained> drain();
  caf::typed_response_promise<SavedExtension> save_attached();
  void check();

private:
  /// A gate that waits for its batch to execute a job at one trainer.
  struct Plan {
    ControlJobPtr job;
    SubscriptionId subscription = 0;
    bool begun = false;
  };
  struct Waiting {
    ControlJobPtr job;
    double until = 0;
  };

  double now() const;
  bool knows(const std::string& token); ///< counts and reports a wrong one
  void tick();

  // -- jobs: control_jobs.cpp ---------------------------------------------------------------

  void prepare(ControlJob& job); ///< throws if it cannot be executed
  void perform(const ControlJobPtr& job);
  /// Sends the order to quiescence, and answers when all workers are paused or the deadline is
  /// over.
  template <class Order>
  void hold_together(const ControlJobPtr& job, const Order& order);
  void set(const ControlJobPtr& job);
  void save(const ControlJobPtr& job);
  void save_at(const ControlJobPtr& job, const LoopEvent& event);
  void evaluate(const ControlJobPtr& job);
  void measured(const ControlJobPtr& job, const SavedTrainer& at, const Evaluated& evaluated);
  void attach(const ControlJobPtr& job);
  void detach(const ControlJobPtr& job);
  void end(const AttachedExtension& extension);
  void await_pause(const ControlJobPtr& job, double until);
  bool was_resumed(const ControlJob& job) const { return resumes_ != job.resumes_before; }
  void conclude(const ControlJobPtr& job);
  void finish(const ControlJobPtr& job, const std::vector<Status>& statuses);
  void note(const ControlJob& job, const Write& row);

  /// Sends the request to the job's trainers; calls `then` once all have answered or timed out.
  template <class Answer, class Request>
  void ask(const ControlJobPtr& job, const Request& request,
           std::function<void(std::size_t trainer, Answer& answer)> each,
           std::function<void()> then, std::chrono::seconds deadline = std::chrono::seconds{600}) {
    const auto left = std::make_shared<std::size_t>(job->trainers.size());
    for (const auto trainer : job->trainers)
      request_within(self_, options_.trainers[trainer], deadline, request)
        .then(
          [=](Answer& answer) {
            each(trainer, answer);
            if (--*left == 0)
              then();
          },
          [=](const caf::error& error) {
            no_answer(*job, trainer, error);
            if (--*left == 0)
              then();
          });
  }
  static void no_answer(ControlJob& job, std::size_t trainer, const caf::error& error) {
    job.errors.push_back("the trainer of worker " + std::to_string(trainer)
                         + " answered: " + sentence(error));
  }
  void ask_status(const ControlJobPtr& job, std::function<void(const std::vector<Status>&)> then);

  // -- plans: control_plans.cpp -------------------------------------------------------------

  void plan(const ControlJobPtr& job);
  void plan_at(const ControlJobPtr& job, std::size_t trainer, std::function<void()> then);
  void subscribe_plan(const ControlJobPtr& job, std::size_t trainer, std::function<void()> then);
  static bool is_over(ControlJob& job, const Status& status);
  static void abandon_extensions(const ControlJob& job, std::size_t trainer);
  void confirm(std::uint64_t number, ControlJob& job, const Status& status);
  void drop_parts(const ControlJob& job);
  void drop(std::uint64_t number, std::size_t trainer);
  void abandon_plans();
  void finish_draining(caf::typed_response_promise<Drained> promise);

  Self self_ = nullptr;
  ControlOptions options_;
  std::vector<AttachedExtension> attached_;
  std::set<std::string> detached_; ///< of the configuration's extensions
  std::map<std::uint64_t, Plan> plans_;
  std::uint64_t plans_made_ = 0;
  std::vector<Waiting> waiting_;
  bool ticking_ = false;
  std::uint64_t resumes_ = 0; ///< commands "resume" so far

  std::uint64_t refused_requests_ = 0; ///< requests with a wrong token
  double reported_at_ = -1e9;

  std::deque<Row> rows_;        ///< each has at least one record
  std::size_t records_ = 0;     ///< number of records in rows_
  std::uint64_t first_row_ = 1; ///< number of the first row kept
  /// Followers that have not seen the end, by sender (followers on other nodes share one) and
  /// number: the time of the last request.
  std::map<std::pair<caf::actor_addr, std::uint64_t>, double> followers_;
  bool closing_ = false; ///< the run is over: commands are refused
  bool ended_ = false;   ///< and all of its log has arrived
  std::optional<caf::typed_response_promise<Drained>> drained_;
};

} // namespace troupe
