// What a quiescence sends to the trainers when requests, pauses and stops overlap.
#include "actors/quiesce/quiescence.hpp"
#include "messages/requests/error.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <utility>

using namespace troupe;
using namespace troupe::test;

namespace {

using Orders = std::vector<std::string>;

/// Trainers that record what they receive, and stop when the test says so; and their holder.
class ScriptedTrainers {
public:
  explicit ScriptedTrainers(std::size_t workers = 2) : promises(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker)
      trainers.push_back(trainer(worker));
    const auto lines = said;
    const auto logger = world.keep(caf::actor_cast<Logger>(world.system.spawn(
      [=]() -> caf::behavior { return {[=](const Say& say) { lines->push_back(say.text); }}; })));
    quiescence = world.keep(spawn_quiescence(world.system, {trainers, holder, logger}));
  }

  void request() { REQUIRE(world.ask<QuiescenceRequested>(quiescence, RequestQuiescence{})); }
  /// Another actor, which can be lost, sends so many requests.
  caf::actor other_requester(int requests = 1) {
    const auto behave = [this, requests](caf::event_based_actor* self) -> caf::behavior {
      for (auto call = 0; call < requests; ++call)
        self->request(quiescence, caf::infinite, RequestQuiescence{})
          .then([](const QuiescenceRequested&) {});
      return {[](int) {}};
    };
    return world.keep(world.system.spawn(behave));
  }
  Pending<QuiescenceReached> reached() { return ask(AwaitQuiescence{}); }
  template <class Request>
  Pending<QuiescenceReached> ask(const Request& request) {
    Pending<QuiescenceReached> pending{world, quiescence, request};
    world.run();
    return pending;
  }
  template <class Message>
  void send(const Message& message) {
    world.self->send(quiescence, message);
    world.run();
  }

  void stopped(std::size_t worker, Epoch epochs = 0) {
    Quiesced quiesced;
    quiesced.position.epochs = epochs;
    quiesced.training = true;
    answer(worker, quiesced);
  }
  void has_ended(std::size_t worker) { answer(worker, {}); }
  void all_stopped() {
    for (std::size_t worker = 0; worker < trainers.size(); ++worker)
      stopped(worker);
  }
  void wait_for_others(const std::vector<WorkerId>& workers) {
    REQUIRE(asked.pending());
    world.self->send(caf::actor_cast<caf::actor>(holder), BlockedWorkers{workers});
    world.run();
  }
  void lose(std::size_t worker) { lose(caf::actor_cast<caf::actor>(trainers[worker])); }
  void lose(const caf::actor& actor) {
    world.self->send_exit(actor, caf::exit_reason::kill);
    world.run();
  }
  /// What the trainers received since the last call, one trainer after the other.
  Orders take_orders() {
    std::stable_sort(orders->begin(), orders->end(),
                     [](const auto& a, const auto& b) { return a[0] < b[0]; });
    return std::exchange(*orders, {});
  }

  DeterministicSystem world;
  std::vector<Trainer> trainers;
  std::vector<caf::typed_response_promise<Quiesced>> promises;
  caf::typed_response_promise<BlockedWorkers> asked; ///< of the holder
  int released = 0;                                  ///< how often it was told that the request was
                                                     ///< withdrawn
  Stop stop;                                         ///< the last one
  std::shared_ptr<Orders> orders = std::make_shared<Orders>(), said = std::make_shared<Orders>();
  LocalHolder holder = asked_holder();
  Quiescence quiescence;

private:
  Trainer trainer(std::size_t worker) {
    const auto note = [this, worker](const std::string& order) {
      orders->push_back(std::to_string(worker) + " " + order);
    };
    const auto behave = [=, this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [=, this](const Quiesce& order) {
          note("quiesce after " + std::to_string(order.batches));
          promises[worker] = self->make_response_promise<Quiesced>();
          return promises[worker];
        },
        [=, this](const Quiesced& quiesced) { promises[worker].deliver(quiesced); },
        [=](const LeaveQuiescence&) { note("leave"); },
        [=](const Pause&) { note("pause"); },
        [=](const Resume&) { note("resume"); },
        [=, this](const Stop& order) {
          note("stop");
          stop = order;
        },
      };
    };
    return world.keep(caf::actor_cast<Trainer>(world.system.spawn(behave)));
  }
  LocalHolder asked_holder() {
    const auto behave = [this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [=, this](const AwaitBlockedWorkers&) {
          asked = self->make_response_promise<BlockedWorkers>();
          return asked;
        },
        [this](const BlockedWorkers& blocked) { asked.deliver(blocked); },
        [this](const EndQuiescence&) { ++released; },
      };
    };
    return world.keep(caf::actor_cast<LocalHolder>(world.system.spawn(behave)));
  }
  void answer(std::size_t worker, const Quiesced& quiesced) {
    REQUIRE(promises[worker].pending());
    world.self->send(caf::actor_cast<caf::actor>(trainers[worker]), quiesced);
    world.run();
  }
};

const Orders both_quiesce{"0 quiesce after 0", "1 quiesce after 0"};
const Orders both_leave{"0 leave", "1 leave"};

} // namespace

TEST_CASE("a later request joins a quiescence in progress", "[quiescence]") {
  ScriptedTrainers scripted;
  scripted.request();
  const auto one = scripted.reached();
  scripted.stopped(0);
  scripted.request();
  const auto other = scripted.reached();
  CHECK(scripted.take_orders() == both_quiesce); // none is told again
  CHECK_FALSE(one.answered());
  scripted.stopped(1);
  CHECK(one.answered());
  CHECK(other.answered());
  scripted.send(EndQuiescence{});
  CHECK(scripted.take_orders().empty());
  scripted.send(EndQuiescence{});
  CHECK(scripted.take_orders() == both_leave);
}

TEST_CASE("an end without a request ends no later quiescence", "[quiescence]") {
  ScriptedTrainers scripted;
  scripted.send(EndQuiescence{});
  scripted.request();
  CHECK(scripted.take_orders() == both_quiesce);
}

TEST_CASE("training continues if the actor that requested a quiescence is lost",
          "[quiescence][B45]") {
  ScriptedTrainers scripted;
  const auto requester = scripted.other_requester(GENERATE(1, 2));
  scripted.all_stopped();
  scripted.take_orders();
  scripted.lose(requester);
  CHECK(scripted.take_orders() == both_leave);
}

TEST_CASE("a lost requester does not end the quiescence of another", "[quiescence][B45]") {
  ScriptedTrainers scripted;
  const auto requester = scripted.other_requester();
  scripted.request();
  scripted.all_stopped();
  scripted.take_orders();
  scripted.lose(requester);
  CHECK(scripted.take_orders().empty());
  scripted.send(EndQuiescence{});
  CHECK(scripted.take_orders() == both_leave);
}

TEST_CASE("a request after a lost one gets the quiescence", "[quiescence][B45]") {
  ScriptedTrainers scripted;
  const auto requester = scripted.other_requester();
  scripted.take_orders();
  scripted.lose(requester);
  scripted.request();
  const auto reached = scripted.reached();
  scripted.stopped(0);
  CHECK_FALSE(reached.answered());
  scripted.stopped(1);
  CHECK(reached.answered());
  CHECK(scripted.take_orders().empty()); // none continued before, nor is told again
  scripted.send(EndQuiescence{});
  CHECK(scripted.take_orders() == both_leave);
}

TEST_CASE("a worker that has ended, or was lost before, is not waited for", "[quiescence][B45]") {
  ScriptedTrainers scripted{3};
  scripted.lose(2);
  scripted.request();
  const auto reached = scripted.reached();
  scripted.has_ended(1);
  CHECK_FALSE(scripted.asked.pending()); // a worker that has ended continues for none
  scripted.stopped(0);
  CHECK(reached.answered());
}

TEST_CASE("a stopped worker continues, one batch at a time, for one that waits for others",
          "[quiescence][L8]") {
  ScriptedTrainers scripted;
  scripted.request();
  const auto reached = scripted.reached();
  scripted.stopped(0);
  scripted.take_orders();
  scripted.wait_for_others({1});
  CHECK(scripted.take_orders() == Orders{"0 quiesce after 1"});
  scripted.stopped(0);
  scripted.wait_for_others({1}); // also a later round
  CHECK(scripted.take_orders() == Orders{"0 quiesce after 1"});
  scripted.stopped(1);
  CHECK_FALSE(reached.answered());
  scripted.stopped(0);
  CHECK(reached.answered());
}

TEST_CASE("no worker continues for one that is lost meanwhile", "[quiescence][L8]") {
  ScriptedTrainers scripted;
  scripted.request();
  const auto reached = scripted.reached();
  scripted.stopped(0);
  scripted.lose(1);
  CHECK(reached.answered());
  scripted.take_orders();
  scripted.wait_for_others({1});
  CHECK(scripted.take_orders().empty());
}

TEST_CASE("a worker that waits after a cancelled quiescence moves no other", "[quiescence]") {
  ScriptedTrainers scripted;
  scripted.request();
  scripted.stopped(0);
  scripted.send(EndQuiescence{});
  scripted.take_orders();
  scripted.wait_for_others({1});
  CHECK(scripted.take_orders().empty());
  scripted.world.pass(5s, 500ms);
  CHECK(scripted.said->empty()); // and nothing is reported
}

TEST_CASE("a quiescence that is over withdraws its request at the holder", "[quiescence][L8]") {
  ScriptedTrainers scripted;
  scripted.request();
  scripted.all_stopped();
  REQUIRE(scripted.asked.pending());
  CHECK(scripted.released == 0);
  scripted.send(EndQuiescence{});
  CHECK(scripted.released == 1);
  scripted.wait_for_others({}); // it answers that none waits
  scripted.request();
  scripted.send(EndQuiescence{}); // before any worker has stopped
  CHECK(scripted.released == 1);
}

TEST_CASE("a request before the holder's answer has the holder asked again", "[quiescence][L8]") {
  ScriptedTrainers scripted;
  scripted.request();
  scripted.all_stopped();
  scripted.send(EndQuiescence{});
  scripted.request();
  scripted.stopped(0);
  scripted.take_orders();
  scripted.wait_for_others({});
  scripted.wait_for_others({1});
  CHECK(scripted.take_orders() == Orders{"0 quiesce after 1"});
}

TEST_CASE("each quiescence has its own two seconds before people are told", "[quiescence][B45]") {
  ScriptedTrainers scripted;
  scripted.request();
  scripted.all_stopped();
  scripted.send(EndQuiescence{});
  scripted.world.pass(1500ms, 100ms);
  scripted.request();
  scripted.world.pass(1900ms, 100ms);
  CHECK(scripted.said->empty());
  scripted.world.pass(200ms, 100ms);
  CHECK(*scripted.said
        == Orders{"a quiescence of all workers has waited 2 s for the batches of workers: 0, 1"});
}

TEST_CASE("batches that are requested during a quiescence are trained after it",
          "[quiescence][P15]") {
  ScriptedTrainers scripted;
  scripted.request();
  scripted.all_stopped();
  scripted.take_orders();
  const auto two = scripted.ask(Advance{2}), one = scripted.ask(Advance{1});
  CHECK(scripted.take_orders().empty());
  scripted.send(EndQuiescence{});
  CHECK(scripted.take_orders() == Orders{"0 quiesce after 3", "1 quiesce after 3"});
  CHECK_FALSE(two.answered());
  scripted.all_stopped();
  CHECK(two.answered());
  CHECK(one.answered());
  CHECK(scripted.take_orders() == Orders{"0 pause", "0 leave", "1 pause", "1 leave"});
}

TEST_CASE("a step during a pause in progress ends both", "[quiescence][P15]") {
  ScriptedTrainers scripted;
  const auto paused = scripted.ask(Pause{}), stepped = scripted.ask(Advance{2});
  CHECK(scripted.take_orders() == both_quiesce);
  scripted.all_stopped();
  CHECK_FALSE(paused.answered()); // they train two more batches
  CHECK_FALSE(stepped.answered());
  scripted.all_stopped();
  CHECK(paused.answered());
  CHECK(stepped.answered());
}

TEST_CASE("a resume during a quiescence neither holds nor steps after it", "[quiescence][P15]") {
  ScriptedTrainers scripted;
  scripted.request();
  scripted.all_stopped();
  const auto paused = scripted.ask(Pause{}), stepped = scripted.ask(Advance{2});
  scripted.take_orders();
  scripted.send(Resume{});
  CHECK(scripted.take_orders() == Orders{"0 resume", "1 resume"});
  CHECK(paused.answered());
  CHECK(stepped.answered());
  scripted.send(EndQuiescence{});
  CHECK(scripted.take_orders() == both_leave);
}

TEST_CASE("a stop during a pause ends the run", "[quiescence][P15]") {
  ScriptedTrainers scripted;
  scripted.send(Stop{StopLevel::after_batch, "enough", true});
  const auto paused = scripted.ask(Pause{});
  scripted.take_orders();
  scripted.all_stopped();
  CHECK(scripted.take_orders() == Orders{"0 stop", "0 leave", "1 stop", "1 leave"});
  CHECK(paused.answered());
}

TEST_CASE("a stop after the epoch names the first epoch at whose end all can stop",
          "[quiescence][B41]") {
  ScriptedTrainers scripted{3};
  scripted.send(Stop{StopLevel::after_epoch, "enough", true});
  scripted.stopped(0, 4);
  scripted.stopped(1, 5);
  scripted.has_ended(2);
  CHECK(scripted.stop == Stop{StopLevel::after_epoch, "enough", true, 6});
}
