#include "extensions/support/record_maker.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/typed_event_based_actor.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

using SlowLoggerActor = Logger::extend<caf::reacts_to<Resume>>;

/// A logger that counts messages and answers queries when the test says so.
struct SlowLogger {
  SlowLoggerActor actor(DeterministicSystem& world) {
    return world.spawn([this](SlowLoggerActor::pointer self) -> SlowLoggerActor::behavior_type {
      return {
        [this](const Write&) { ++writes; },
        [](const Expect&) {},
        [](const ReadRow& read) {
          return Row{read.row, 0, 0, {}};
        },
        [this, self](const Query&) {
          questions.push_back(self->make_response_promise<Rows>());
          return questions.back();
        },
        [](const WriteStatus&) {},
        [](const ReadStatus&) { return RunStatus{}; },
        [](const Follow&) {},
        [](const Say&) {},
        [](const ShowProgress&) {},
        [](const Flush&) { return Flushed{}; },
        [this](const Resume&) {
          for (auto& question : questions)
            question.deliver(Rows{});
        },
      };
    });
  }

  int writes = 0;
  std::vector<caf::typed_response_promise<Rows>> questions;
};

/// An extension that writes a number of records per event to that logger.
struct Writing {
  explicit Writing(std::size_t records) {
    for (std::size_t i = 0; i < records; ++i)
      made["record " + std::to_string(i)] = Value{0.5};
  }

  /// Sends an event for confirmation. @returns whether it is confirmed once all actors are idle
  std::shared_ptr<bool> offer() {
    auto confirmed = std::make_shared<bool>(false);
    world.spawn([=, this](caf::event_based_actor* self) -> caf::behavior {
      self->request(extension, caf::infinite, LoopEvent{}).then([=] { *confirmed = true; });
      return {[](int) {}};
    });
    return confirmed;
  }

  DeterministicSystem world;
  Records made;
  SlowLogger slow;
  SlowLoggerActor logger = slow.actor(world);
  Extension extension = world.keep(spawn_record_maker(
    world.system, "writing", [this](const LoopEvent&) { return made; }, Logger{logger}));
};

/// Counts its events.
class CountsEvents final : public RecordMaker {
public:
  Records records(const LoopEvent&) override { return {{"seen", Value{++seen_}}}; }
  SavedFields state() const override { return {{"seen", Value{seen_}}}; }
  void restore(const SavedFields& state) override {
    seen_ = std::get<std::int64_t>(state.at("seen"));
  }

private:
  std::int64_t seen_ = 0;
};

} // namespace

TEST_CASE("an event is confirmed once the logger has caught up enough", "[observer]") {
  Writing writing{records_ahead};
  CHECK(*writing.offer());
  const auto confirmed = writing.offer();
  CHECK_FALSE(*confirmed);
  CHECK(writing.slow.writes == 2);
  writing.world.self->send(writing.logger, Resume{});
  writing.world.run();
  CHECK(*confirmed);
}

TEST_CASE("an event without confirmation does not query the logger", "[observer]") {
  Writing writing{1};
  writing.world.self->send(writing.extension, LoopEvent{});
  writing.world.run();
  CHECK(writing.slow.writes == 1);
  CHECK(writing.slow.questions.empty());
}

TEST_CASE("events are confirmed even if the logger has ended", "[observer]") {
  Writing writing{records_ahead + 1};
  writing.world.self->send_exit(writing.logger, caf::exit_reason::user_shutdown);
  writing.world.run();
  CHECK(*writing.offer());
}

TEST_CASE("a record maker's state continues in another one", "[B45]") {
  DeterministicSystem world;
  SlowLogger slow;
  const Logger logger{slow.actor(world)};
  const auto counting = [&] {
    return world.keep(
      spawn_record_maker(world.system, "counting", std::make_shared<CountsEvents>(), logger));
  };
  const auto seen = [&](const Extension& extension) {
    return std::get<std::int64_t>(world.ask<GateAnswer>(extension, AskGate{})->records.at("seen"));
  };
  const auto before = counting();
  CHECK(seen(before) == 1);
  CHECK(seen(before) == 2);
  const auto saved = world.ask<SavedExtension>(before, SaveExtension{});
  REQUIRE(saved);
  const auto after = counting();
  REQUIRE(world.ask<Restored>(after, RestoreExtension{saved->state}));
  CHECK(seen(after) == 3);
  CHECK(slow.writes == 0);
}
