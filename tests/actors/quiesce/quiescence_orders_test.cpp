// What a quiescence tells the trainers, where callers, pauses and stops meet on its way.
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

/// Trainers that note what they are told, and stand when the test says so; and their holder.
class Puppets {
public:
  explicit Puppets(std::size_t workers = 2) : standing(workers) {
    for (std::size_t worker = 0; worker < workers; ++worker)
      trainers.push_back(trainer(worker));
    const auto lines = said;
    const auto logger = world.keep(caf::actor_cast<Logger>(world.system.spawn(
      [=]() -> caf::behavior { return {[=](const Say& say) { lines->push_back(say.text); }}; })));
    quiescence = world.keep(spawn_quiescence(world.system, {trainers, holder, logger}));
  }

  void call() { REQUIRE(world.ask<QuiescenceRequested>(quiescence, RequestQuiescence{})); }
  /// Somebody else, who can be lost, calls so many times.
  caf::actor mortal_caller(int calls = 1) {
    const auto behave = [this, calls](caf::event_based_actor* self) -> caf::behavior {
      for (auto call = 0; call < calls; ++call)
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
  void tell(const Message& message) {
    world.self->send(quiescence, message);
    world.run();
  }

  void stand(std::size_t worker, Epoch epochs = 0) {
    Quiesced stands;
    stands.position.epochs = epochs;
    stands.training = true;
    answer(worker, stands);
  }
  void has_ended(std::size_t worker) { answer(worker, {}); }
  void all_stand() {
    for (std::size_t worker = 0; worker < trainers.size(); ++worker)
      stand(worker);
  }
  void wait_for_others(const std::vector<WorkerId>& workers) {
    REQUIRE(asked.pending());
    world.self->send(caf::actor_cast<caf::actor>(holder), HeldUp{workers});
    world.run();
  }
  void lose(std::size_t worker) { lose(caf::actor_cast<caf::actor>(trainers[worker])); }
  void lose(const caf::actor& actor) {
    world.self->send_exit(actor, caf::exit_reason::kill);
    world.run();
  }
  /// What the trainers were told since the last look, one trainer after the other.
  Orders told() {
    std::stable_sort(orders->begin(), orders->end(),
                     [](const auto& a, const auto& b) { return a[0] < b[0]; });
    return std::exchange(*orders, {});
  }

  DeterministicSystem world;
  std::vector<Trainer> trainers;
  std::vector<caf::typed_response_promise<Quiesced>> standing;
  caf::typed_response_promise<HeldUp> asked; ///< of the holder
  int released = 0;                          ///< how often it was told that nobody asks any more
  Stop stop;                                 ///< the last one
  std::shared_ptr<Orders> orders = std::make_shared<Orders>(), said = std::make_shared<Orders>();
  OwnHolder holder = asked_holder();
  Quiescence quiescence;

private:
  Trainer trainer(std::size_t worker) {
    const auto note = [this, worker](const std::string& order) {
      orders->push_back(std::to_string(worker) + " " + order);
    };
    const auto behave = [=, this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [=, this](const Quiesce& order) {
          note("stand still after " + std::to_string(order.batches));
          standing[worker] = self->make_response_promise<Quiesced>();
          return standing[worker];
        },
        [=, this](const Quiesced& stands) { standing[worker].deliver(stands); },
        [=](const LeaveQuiescence&) { note("move on"); },
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
  OwnHolder asked_holder() {
    const auto behave = [this](caf::event_based_actor* self) -> caf::behavior {
      return {
        [=, this](const AwaitHeldUp&) {
          asked = self->make_response_promise<HeldUp>();
          return asked;
        },
        [this](const HeldUp& held_up) { asked.deliver(held_up); },
        [this](const EndQuiescence&) { ++released; },
      };
    };
    return world.keep(caf::actor_cast<OwnHolder>(world.system.spawn(behave)));
  }
  void answer(std::size_t worker, const Quiesced& stands) {
    REQUIRE(standing[worker].pending());
    world.self->send(caf::actor_cast<caf::actor>(trainers[worker]), stands);
    world.run();
  }
};

const Orders both_stand{"0 stand still after 0", "1 stand still after 0"};
const Orders both_leave_quiescence{"0 move on", "1 move on"};

} // namespace

TEST_CASE("who calls while a standstill is on its way joins it", "[quiescence]") {
  Puppets puppets;
  puppets.call();
  const auto one = puppets.reached();
  puppets.stand(0);
  puppets.call();
  const auto other = puppets.reached();
  CHECK(puppets.told() == both_stand); // nobody is told again
  CHECK_FALSE(one.answered());
  puppets.stand(1);
  CHECK(one.answered());
  CHECK(other.answered());
  puppets.tell(EndQuiescence{});
  CHECK(puppets.told().empty());
  puppets.tell(EndQuiescence{});
  CHECK(puppets.told() == both_leave_quiescence);
}

TEST_CASE("an end without a call ends no later standstill", "[quiescence]") {
  Puppets puppets;
  puppets.tell(EndQuiescence{});
  puppets.call();
  CHECK(puppets.told() == both_stand);
}

TEST_CASE("training goes on where whoever called a standstill is lost", "[quiescence][B45]") {
  Puppets puppets;
  const auto caller = puppets.mortal_caller(GENERATE(1, 2));
  puppets.all_stand();
  puppets.told();
  puppets.lose(caller);
  CHECK(puppets.told() == both_leave_quiescence);
}

TEST_CASE("a caller that is lost ends the standstill of no other", "[quiescence][B45]") {
  Puppets puppets;
  const auto caller = puppets.mortal_caller();
  puppets.call();
  puppets.all_stand();
  puppets.told();
  puppets.lose(caller);
  CHECK(puppets.told().empty());
  puppets.tell(EndQuiescence{});
  CHECK(puppets.told() == both_leave_quiescence);
}

TEST_CASE("who calls behind one that was lost on the way gets the standstill",
          "[quiescence][B45]") {
  Puppets puppets;
  const auto caller = puppets.mortal_caller();
  puppets.told();
  puppets.lose(caller);
  puppets.call();
  const auto reached = puppets.reached();
  puppets.stand(0);
  CHECK_FALSE(reached.answered());
  puppets.stand(1);
  CHECK(reached.answered());
  CHECK(puppets.told().empty()); // nobody went on before, nor is told again
  puppets.tell(EndQuiescence{});
  CHECK(puppets.told() == both_leave_quiescence);
}

TEST_CASE("a worker that has ended, or was lost before, is not waited for", "[quiescence][B45]") {
  Puppets puppets{3};
  puppets.lose(2);
  puppets.call();
  const auto reached = puppets.reached();
  puppets.has_ended(1);
  CHECK_FALSE(puppets.asked.pending()); // who has ended goes on for nobody
  puppets.stand(0);
  CHECK(reached.answered());
}

TEST_CASE("who stands goes on, one batch at a time, for one that waits for others",
          "[quiescence][L8]") {
  Puppets puppets;
  puppets.call();
  const auto reached = puppets.reached();
  puppets.stand(0);
  puppets.told();
  puppets.wait_for_others({1});
  CHECK(puppets.told() == Orders{"0 stand still after 1"});
  puppets.stand(0);
  puppets.wait_for_others({1}); // a later round, too
  CHECK(puppets.told() == Orders{"0 stand still after 1"});
  puppets.stand(1);
  CHECK_FALSE(reached.answered());
  puppets.stand(0);
  CHECK(reached.answered());
}

TEST_CASE("nobody goes on for one that is lost meanwhile", "[quiescence][L8]") {
  Puppets puppets;
  puppets.call();
  const auto reached = puppets.reached();
  puppets.stand(0);
  puppets.lose(1);
  CHECK(reached.answered());
  puppets.told();
  puppets.wait_for_others({1});
  CHECK(puppets.told().empty());
}

TEST_CASE("who waits after a standstill was given up moves nobody", "[quiescence]") {
  Puppets puppets;
  puppets.call();
  puppets.stand(0);
  puppets.tell(EndQuiescence{});
  puppets.told();
  puppets.wait_for_others({1});
  CHECK(puppets.told().empty());
  puppets.world.pass(5s, 500ms);
  CHECK(puppets.said->empty()); // nor do people read of it
}

TEST_CASE("a standstill that is over releases the holder from its question", "[quiescence][L8]") {
  Puppets puppets;
  puppets.call();
  puppets.all_stand();
  REQUIRE(puppets.asked.pending());
  CHECK(puppets.released == 0);
  puppets.tell(EndQuiescence{});
  CHECK(puppets.released == 1);
  puppets.wait_for_others({}); // it answers that nobody does
  puppets.call();
  puppets.tell(EndQuiescence{}); // before anybody stands
  CHECK(puppets.released == 1);
}

TEST_CASE("who calls before the holder was released from a question has it asked anew",
          "[quiescence][L8]") {
  Puppets puppets;
  puppets.call();
  puppets.all_stand();
  puppets.tell(EndQuiescence{});
  puppets.call();
  puppets.stand(0);
  puppets.told();
  puppets.wait_for_others({});
  puppets.wait_for_others({1});
  CHECK(puppets.told() == Orders{"0 stand still after 1"});
}

TEST_CASE("each standstill has its own two seconds before people are told", "[quiescence][B45]") {
  Puppets puppets;
  puppets.call();
  puppets.all_stand();
  puppets.tell(EndQuiescence{});
  puppets.world.pass(1500ms, 100ms);
  puppets.call();
  puppets.world.pass(1900ms, 100ms);
  CHECK(puppets.said->empty());
  puppets.world.pass(200ms, 100ms);
  CHECK(*puppets.said
        == Orders{"a quiescence of all workers has waited 2 s for the batches of workers: 0, 1"});
}

TEST_CASE("batches that are asked for during a standstill are trained when it has ended",
          "[quiescence][P15]") {
  Puppets puppets;
  puppets.call();
  puppets.all_stand();
  puppets.told();
  const auto two = puppets.ask(Advance{2}), one = puppets.ask(Advance{1});
  CHECK(puppets.told().empty());
  puppets.tell(EndQuiescence{});
  CHECK(puppets.told() == Orders{"0 stand still after 3", "1 stand still after 3"});
  CHECK_FALSE(two.answered());
  puppets.all_stand();
  CHECK(two.answered());
  CHECK(one.answered());
  CHECK(puppets.told() == Orders{"0 pause", "0 move on", "1 pause", "1 move on"});
}

TEST_CASE("a step that follows a pause on its way ends both", "[quiescence][P15]") {
  Puppets puppets;
  const auto paused = puppets.ask(Pause{}), stepped = puppets.ask(Advance{2});
  CHECK(puppets.told() == both_stand);
  puppets.all_stand();
  CHECK_FALSE(paused.answered()); // they train two batches more
  CHECK_FALSE(stepped.answered());
  puppets.all_stand();
  CHECK(paused.answered());
  CHECK(stepped.answered());
}

TEST_CASE("who goes on during a standstill neither holds nor steps behind it",
          "[quiescence][P15]") {
  Puppets puppets;
  puppets.call();
  puppets.all_stand();
  const auto paused = puppets.ask(Pause{}), stepped = puppets.ask(Advance{2});
  puppets.told();
  puppets.tell(Resume{});
  CHECK(puppets.told() == Orders{"0 resume", "1 resume"});
  CHECK(paused.answered());
  CHECK(stepped.answered());
  puppets.tell(EndQuiescence{});
  CHECK(puppets.told() == both_leave_quiescence);
}

TEST_CASE("a stop that meets a pause ends the run", "[quiescence][P15]") {
  Puppets puppets;
  puppets.tell(Stop{StopLevel::after_batch, "enough", true});
  const auto paused = puppets.ask(Pause{});
  puppets.told();
  puppets.all_stand();
  CHECK(puppets.told() == Orders{"0 stop", "0 move on", "1 stop", "1 move on"});
  CHECK(paused.answered());
}

TEST_CASE("a stop after the epoch names the first epoch at whose end all can stop",
          "[quiescence][B41]") {
  Puppets puppets{3};
  puppets.tell(Stop{StopLevel::after_epoch, "enough", true});
  puppets.stand(0, 4);
  puppets.stand(1, 5);
  puppets.has_ended(2);
  CHECK(puppets.stop == Stop{StopLevel::after_epoch, "enough", true, 6});
}
