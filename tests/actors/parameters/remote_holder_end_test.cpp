// How the end of all workers is transmitted over connections that may be lost.
#include "tests/support/remote_holder_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

using Words = std::vector<std::string>;

/// Two workers that train; one of them ends the run.
struct EndingRun {
  RemoteStage stage;
  RemoteStage::Remote main = stage.remote(0), other = stage.remote(1);
  std::shared_ptr<Words> own = std::make_shared<Words>(), heard = std::make_shared<Words>();

  EndingRun() {
    stage.client(main, 0).join();
    stage.client(other, 1).join();
    stage.client(main, 0).create(0);
    stage.world.self->send(main.handle, Watch{stage.noting_trainer(own)});
    stage.world.self->send(other.handle, Watch{stage.noting_trainer(heard)});
    stage.pass(2s);
    own->clear();
    heard->clear();
  }

  void end() { stage.world.self->send(main.handle, StopAll{"it is good enough"}); }
};

} // namespace

TEST_CASE("a stop of all reaches every trainer within a renewal, its own after the others",
          "[B41][L9]") {
  RemoteStage stage{2};
  const auto trace = std::make_shared<std::vector<std::string>>();
  const auto own = std::make_shared<std::vector<std::string>>();
  auto first = stage.remote(0), second = stage.remote(1);
  stage.client(first, 0).join();
  stage.client(second, 1).join();
  stage.world.self->send(first.handle, Watch{stage.noting_trainer(own)});
  stage.world.self->send(second.handle, Watch{stage.noting_trainer(trace)});
  stage.pass(1s);
  trace->clear();
  own->clear();
  stage.world.self->send(first.handle, StopAll{"it is good enough"});
  stage.pass(1150ms);
  CHECK(*trace == std::vector<std::string>{"stop: it is good enough"});
  CHECK(own->empty()); // whose round would otherwise close without it
  stage.pass(5s);
  CHECK(*trace == std::vector<std::string>{"stop: it is good enough"});
  CHECK(*own == std::vector<std::string>{"stop: it is good enough"});
}

TEST_CASE("if the main worker ends the run, no other becomes main in its place", "[B41][L9]") {
  RemoteStage stage;
  const auto trace = std::make_shared<std::vector<std::string>>();
  auto first = stage.remote(0), second = stage.remote(1);
  stage.client(first, 0).join();
  stage.client(second, 1).join();
  stage.world.self->send(second.handle, Watch{stage.noting_trainer(trace)});
  stage.pass(2s);
  stage.world.self->send(first.handle, StopAll{"it is good enough"});
  stage.world.self->send(first.handle, Leave{0, 0});
  stage.pass(5s);
  CHECK(*trace == std::vector<std::string>{"not main", "stop: it is good enough"});
}

TEST_CASE("an interrupt of all interrupts every trainer, including its own", "[B42][L9]") {
  EndingRun run;
  run.stage.world.self->send(run.main.handle, StopAll{"the disk is full", true});
  run.stage.pass(6s);
  CHECK(*run.heard == Words{"interrupt: the disk is full"});
  CHECK(*run.own == Words{"interrupt: the disk is full"});
}

TEST_CASE("the end of the run is repeated until the holder has it, despite lost connections",
          "[B41][R9]") {
  EndingRun run;
  SECTION("the connection ends at that moment") {
    run.end();
    for (const auto& connection : run.main.far.front()->connections)
      run.stage.world.self->send_exit(connection, caf::exit_reason::remote_link_unreachable);
    run.stage.world.run();
  }
  SECTION("the holder is unreachable then") {
    run.stage.cut(run.main);
    run.stage.pass(1500ms);
    run.end();
    run.stage.pass(5s);
    CHECK(run.own->empty());
    CHECK(run.stage.logged("training is to end; waiting for") == 1);
    run.stage.mend(run.main);
  }
  SECTION("the holder is restarted from its file, and has lost it") {
    run.end();
    run.stage.world.run();
    const auto again = run.stage.world.keep(spawn_parameter_holder(run.stage.world.system));
    const auto saved = run.stage.world.ask<SavedHolder>(run.stage.holders[0], SaveHolder{});
    REQUIRE(run.stage.world.ask<Joined>(again, RestoreHolder{*saved}));
    for (auto* worker : {&run.main, &run.other}) {
      worker->far.front()->holder = again;
      run.stage.end_connections(*worker);
    }
  }
  run.stage.pass(6s);
  for (const auto& heard : {run.heard, run.own}) // and which worker is main meanwhile
    CHECK(std::count(heard->begin(), heard->end(), "stop: it is good enough") == 1);
  CHECK(run.stage.logged("cannot inform the others") == 0);
}

TEST_CASE("people are told that the others do not learn of the end of the run", "[B41][L9]") {
  EndingRun run;
  run.stage.cut(run.main);
  run.stage.pass(1s);
  run.end();
  run.stage.pass(58s);
  CHECK(run.own->empty());
  run.stage.pass(3s);
  CHECK(*run.own == Words{"stop: it is good enough"});
  CHECK(run.stage.logged("cannot inform the others that training ends") == 1);
}

TEST_CASE("a worker that joins after the end of all is told, and can end all again", "[B41][L9]") {
  EndingRun run;
  run.end();
  run.stage.pass(5s);
  REQUIRE(*run.own == Words{"stop: it is good enough"});
  run.stage.world.self->send(run.main.handle, Leave{0});
  run.stage.pass(2s);
  run.own->clear();
  SECTION("at that holder it ends, too") {
    run.stage.client(run.main).join();
    run.stage.pass(5s);
    CHECK(*run.own == Words{"stop: it is good enough"});
  }
  SECTION("at a restarted holder it trains until it ends all") {
    run.main.far.front()->holder
      = run.stage.world.keep(spawn_parameter_holder(run.stage.world.system));
    run.stage.end_connections(run.main);
    run.stage.client(run.main).join();
    run.stage.client(run.main).create(0);
    run.stage.pass(5s);
    CHECK(run.own->empty());
    run.stage.world.self->send(run.main.handle, StopAll{"it is better still"});
    run.stage.pass(5s);
    CHECK(*run.own == Words{"stop: it is better still"});
  }
}

TEST_CASE("an interrupted worker waits two seconds for others, and then continues without them",
          "[R17][L9]") {
  RemoteStage stage{GENERATE(1u, 2u)};
  auto first = stage.remote(0), second = stage.remote(1);
  auto one = stage.client(first, 0), two = stage.client(second, 1);
  one.join();
  two.join();
  one.create(0);
  stage.world.self->send(first.handle,
                         Watch{stage.noting_trainer(std::make_shared<std::vector<std::string>>())});
  const auto in_round = [](HolderClient<DeterministicSystem>& client) {
    return Exchange{client.next_push_in_round({1, 1}, constant(2))};
  };
  const Pending<Parameters> waits{stage.world, first.handle, in_round(one)};
  stage.pass(60s);
  CHECK_FALSE(waits.ended()); // while it is not interrupted
  *stage.interrupted = true;
  SECTION("others that come meanwhile are waited for") {
    stage.pass(1500ms);
    CHECK_FALSE(waits.ended());
    const Pending<Parameters> comes{stage.world, second.handle, in_round(two)};
    stage.pass(1s);
    CHECK((waits.answered() && comes.answered()));
    CHECK(stage.logged("was told to end") == 0);
  }
  SECTION("others that hang are not") {
    stage.pass(4s);
    CHECK(waits.error() == Error::unavailable);
    const Pending<Parameters> last{stage.world, first.handle, in_round(one)};
    stage.pass(1200ms);
    CHECK(last.error() == Error::unavailable); // at the end of training they hang, too
    CHECK(stage.logged("was told to end") == 1);
  }
}
