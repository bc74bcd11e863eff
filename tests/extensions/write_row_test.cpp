#include "troupe/extensions/saved_state.hpp"
#include "troupe/extensions/write_row.hpp"
#include "troupe/tests/support/deterministic_system.hpp"

#include <caf/typed_event_based_actor.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

using SlowLoggerActor = Logger::extend<caf::reacts_to<Resume>>;

/// A logger that counts what comes and answers questions when it is told to.
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

/// An extension that makes so many records of each event, before that logger.
struct Writing {
  explicit Writing(std::size_t records) {
    for (std::size_t i = 0; i < records; ++i)
      made["record " + std::to_string(i)] = Value{0.5};
  }

  /// Sends an event that is to be confirmed. @returns whether it is, once nobody has more to do
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
  Extension extension = world.spawn([this](Extension::pointer self) -> Extension::behavior_type {
    const auto records = [this](const LoopEvent&) { return made; };
    return {
      writes_records(self, Logger{logger}, records),
      answers_records(records),
      [](const Drain&) { return Drained{}; },
      saves_nothing,
      restores_nothing,
    };
  });
};

} // namespace

TEST_CASE("an event is confirmed once the logger is not too far behind", "[observer]") {
  Writing writing{records_ahead};
  CHECK(*writing.offer());
  const auto confirmed = writing.offer();
  CHECK_FALSE(*confirmed);
  CHECK(writing.slow.writes == 2);
  writing.world.self->send(writing.logger, Resume{});
  writing.world.run();
  CHECK(*confirmed);
}

TEST_CASE("an event that nobody wants confirmed asks the logger nothing", "[observer]") {
  Writing writing{1};
  writing.world.self->send(writing.extension, LoopEvent{});
  writing.world.run();
  CHECK(writing.slow.writes == 1);
  CHECK(writing.slow.questions.empty());
}

TEST_CASE("events are confirmed though the logger has ended", "[observer]") {
  Writing writing{records_ahead + 1};
  writing.world.self->send_exit(writing.logger, caf::exit_reason::user_shutdown);
  writing.world.run();
  CHECK(*writing.offer());
}
