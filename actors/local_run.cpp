#include "actors/local_run.hpp"

#include "messages/requests/caller.hpp"
#include "messages/wire/local_system.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace troupe {

namespace {

using namespace std::chrono_literals;

constexpr auto subscription_deadline = 60s;

std::string trainer_name(std::size_t trainer) { return "trainer " + std::to_string(trainer); }

} // namespace

struct LocalRun::State {
  /// Ends the actors when their scope ends.
  class ScopedActors {
  public:
    ScopedActors(caf::actor_system& system, const RunActorsOptions& options)
      : actors_(spawn_run_actors(system, options)) {}
    ~ScopedActors() { dismiss(actors_); }
    ScopedActors(const ScopedActors&) = delete;
    ScopedActors& operator=(const ScopedActors&) = delete;

    const RunActors& get() const { return actors_; }

  private:
    RunActors actors_;
  };

  explicit State(const RunActorsOptions& options)
    : own(std::in_place),
      system(*own),
      actors(system, options) {}
  State(caf::actor_system& given, const RunActorsOptions& options)
    : system(given),
      actors(system, options) {}

  const Trainer& trainer(std::size_t place) const { return actors.get().trainers.at(place); }

  std::optional<LocalSystem> own; // the actors end before it
  caf::actor_system& system;
  ScopedActors actors;
  Caller waiting{system}; ///< for the ends of the trainers
  using Awaited = decltype(waiting->request(std::declval<Trainer>(), caf::infinite, Start{}));
  std::vector<Awaited> started;
};

LocalRun::LocalRun(const RunActorsOptions& options) : state_(std::make_unique<State>(options)) {}

LocalRun::LocalRun(caf::actor_system& system, const RunActorsOptions& options)
  : state_(std::make_unique<State>(system, options)) {}

LocalRun::~LocalRun() = default;

caf::actor_system& LocalRun::system() { return state_->system; }

const RunActors& LocalRun::actors() const { return state_->actors.get(); }

SubscriptionId LocalRun::add_gate(const SubscribeGate& gate, std::size_t trainer) {
  return Caller{system()}
    .ask<Subscribed>(state_->trainer(trainer), gate, trainer_name(trainer), subscription_deadline)
    .id;
}

SubscriptionId LocalRun::add_observer(const Subscribe& observer, std::size_t trainer) {
  return Caller{system()}
    .ask<Subscribed>(state_->trainer(trainer), observer, trainer_name(trainer),
                     subscription_deadline)
    .id;
}

std::uint64_t LocalRun::remove(SubscriptionId id, std::size_t trainer) {
  return Caller{system()}
    .ask<Unsubscribed>(state_->trainer(trainer), Unsubscribe{id}, trainer_name(trainer),
                       subscription_deadline)
    .lost;
}

void LocalRun::start() {
  for (const auto& trainer : actors().trainers)
    state_->started.push_back(state_->waiting->request(trainer, caf::infinite, Start{}));
}

std::vector<Finished> LocalRun::wait() {
  std::vector<Finished> ends;
  std::string failure;
  for (auto& started : std::exchange(state_->started, {}))
    started.receive(
      [&](Finished& end) {
        if (failure.empty() && end.outcome == Outcome::failed)
          failure = end.error;
        ends.push_back(std::move(end));
      },
      [&](const caf::error& error) { failure = failure.empty() ? sentence(error) : failure; });
  Caller{system()}.ask<Flushed>(actors().logger, Flush{}, "the logger");
  if (!failure.empty())
    throw Failure(ExitCode::internal, {failure});
  return ends;
}

std::vector<Finished> LocalRun::train() {
  start();
  return wait();
}

std::map<std::string, double> LocalRun::evaluate(const Snapshot& parameters, Section section) {
  Evaluate evaluate;
  evaluate.parameters = parameters;
  evaluate.section = section;
  const auto evaluated
    = Caller{system()}.ask<Evaluated>(actors().evaluator, evaluate, "the evaluator", caf::infinite);
  std::map<std::string, double> metrics;
  for (const auto& metric : evaluated.metrics)
    metrics[metric.name] = metric.value;
  return metrics;
}

Records LocalRun::row(Step batch, WorkerId worker) {
  return Caller{system()}
    .ask<Row>(actors().logger, ReadRow{{worker, batch}, true}, "the logger")
    .records;
}

} // namespace troupe
