// The stage for tests of extensions: one worker that trains the toy problem in virtual time, and a
// logger.
#pragma once

#include "actors/log/logger.hpp"
#include "actors/loop/loader.hpp"
#include "actors/loop/trainer.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "tests/support/recorders.hpp"
#include "tests/support/toy_problem.hpp"

#include <functional>
#include <limits>

namespace troupe::test {

/// What people would see.
struct Heard {
  std::vector<Say> lines;
  std::vector<ShowProgress> progress;

  /// The texts of all lines of a level.
  std::vector<std::string> texts(Level level = Level::info) const {
    std::vector<std::string> found;
    for (const auto& line : lines)
      if (line.level == level)
        found.push_back(line.text);
    return found;
  }
};

/// A real logger behind an actor that records what is to be shown.
inline Logger recording_logger(DeterministicSystem& world, const std::shared_ptr<Heard>& heard) {
  const auto real = world.keep(spawn_logger(world.system));
  const auto behave = [=](Logger::pointer self) -> Logger::behavior_type {
    return {
      [=](const Write& write) { self->send(real, write); },
      [=](const Expect& expect) { self->send(real, expect); },
      [=](const ReadRow& read) { return self->delegate(real, read); },
      [=](const Query& query) { return self->delegate(real, query); },
      [=](const WriteStatus& status) { self->send(real, status); },
      [=](const ReadStatus& read) { return self->delegate(real, read); },
      [=](const Follow& follow) { self->send(real, follow); },
      [=](const Say& say) { heard->lines.push_back(say); },
      [=](const ShowProgress& progress) { heard->progress.push_back(progress); },
      [=](const Flush& flush) { return self->delegate(real, flush); },
    };
  };
  return world.keep(world.system.spawn(behave));
}

struct StageOptions {
  ToyOptions toy = {};
  double step_duration = 1; ///< seconds of virtual time
  WorkerId worker = 0;
  Epoch epochs = 0; ///< passes that the data allows; 0: unlimited
  Step ahead = 0;   ///< batches that the loader prepares; 0: no loader
  /// None: a scheduled loader.
  std::function<Loader(DeterministicSystem& world, const BatchReader& reader)> make_loader = {};
};

class Stage {
  StageOptions options_; // first, since the problem is made from it

public:
  explicit Stage(StageOptions options = {}) : options_(options) {
    problem->limit_epochs(options.epochs);
    trainer = new_trainer();
  }

  /// One more trainer of the same problem, as after a restart.
  Trainer new_trainer() {
    TrainerOptions options;
    options.worker = options_.worker;
    options.epochs = options_.epochs;
    options.step_duration = options_.step_duration;
    const auto learner = toy_learner(problem, options_.toy);
    if (options_.ahead > 0) {
      options.ahead = options_.ahead;
      options.loader = world.keep(options_.make_loader
                                    ? options_.make_loader(world, learner->reader())
                                    : spawn_scheduled_loader(world.system, learner->reader()));
    }
    return world.keep(spawn_trainer(world.system, learner, logger, options));
  }

  /// Subscribes an extension (or any gate); gates are served in this order.
  void gate(const std::string& name, const Conditions& conditions, const Gate& gate,
            Shows shows = Shows::nothing, double deadline = 3600) {
    REQUIRE(world.ask<Subscribed>(trainer, SubscribeGate{name, conditions, gate, shows, deadline}));
  }
  void gate(const std::string& name, const Conditions& conditions, const Extension& extension,
            Shows shows = Shows::nothing, double deadline = 3600) {
    gate(name, conditions, caf::actor_cast<Gate>(extension), shows, deadline);
  }
  void observe(const std::string& name, const Conditions& conditions, const Extension& extension,
               Shows shows = Shows::nothing) {
    REQUIRE(world.ask<Subscribed>(
      trainer, Subscribe{name, conditions, caf::actor_cast<Observer>(extension), shows}));
  }

  /// Subscribes an extension that ends training after this many batches in total.
  void finish_after(Step batches) {
    const auto finish = world.keep(spawn_finish_after(world.system, "it is enough"));
    gate("finish after " + std::to_string(batches),
         trigger("after_n_batches", Value{static_cast<std::int64_t>(batches)}), finish);
  }

  /// Starts training, which advances as the test lets time pass.
  void start() { pending_.emplace(world, trainer, Start{}); }
  bool ended() const { return pending_ && pending_->answered(); }
  Finished finished() const {
    REQUIRE(ended());
    return **pending_;
  }

  /// Starts training and lets time pass until it has ended.
  Finished run(caf::timespan piece = 100ms, caf::timespan limit = 1h) {
    start();
    world.run();
    for (caf::timespan passed{0}; !ended() && passed < limit; passed += piece)
      world.advance(piece);
    return finished();
  }

  /// A row of the log, whether settled or not.
  Records row(Step batch) {
    const auto row = world.ask<Row>(logger, ReadRow{{options_.worker, batch}, false});
    return row ? row->records : Records{};
  }

  DeterministicSystem world;
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
  std::shared_ptr<ToyProblem> problem = std::make_shared<ToyProblem>(options_.toy.examples);
  Logger logger = recording_logger(world, heard);
  Trainer trainer;

private:
  std::optional<Pending<Finished>> pending_;
};

/// The number in a record; NaN if there is none.
inline double number_in(const Records& records, const std::string& name) {
  const auto found = records.find(name);
  if (found != records.end()) {
    if (const auto* real = std::get_if<double>(&found->second))
      return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&found->second))
      return static_cast<double>(*whole);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

/// The number in a saved field; NaN if there is none.
inline double number_in(const SavedFields& fields, const std::string& name) {
  const auto found = fields.find(name);
  const auto value = found == fields.end() ? std::nullopt : value_of(found->second);
  return value ? as_number(*value).value_or(std::nan("")) : std::nan("");
}

inline std::string text_in(const Records& records, const std::string& name) {
  const auto found = records.find(name);
  return found == records.end() ? "" : to_string(found->second);
}

inline std::vector<std::string> names_of(const Records& records) {
  std::vector<std::string> names;
  for (const auto& [name, value] : records)
    names.push_back(name);
  return names;
}

/// The triggers of some conditions, in order.
inline std::vector<std::string> triggers_of(const Conditions& conditions) {
  std::vector<std::string> names;
  for (const auto& condition : conditions.all())
    names.push_back(condition.trigger);
  return names;
}

} // namespace troupe::test
