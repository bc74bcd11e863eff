#include "extensions/monitoring/function_extension.hpp"
#include "extensions/support/extension_kind.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"
#include "messages/wire/wire.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

#include <stdexcept>
#include <thread>

using namespace troupe;
using Catch::Matchers::Contains;

namespace {

struct Messages : caf::actor_system_config {
  Messages() { add_messages(*this); }
};

/// An actor system whose extension has a thread of its own; each answer is awaited.
class ThreadedRun {
public:
  /// Takes the place of the logger. What it has is read after an answer that came later.
  Logger logger() {
    return system.spawn([this]() -> Logger::behavior_type {
      return {
        [this](const Write& write) { written.push_back(write); },
        [](const Expect&) {},
        [](const ReadRow& read) {
          return Row{read.row, 0, 0, {}};
        },
        [](const Query&) { return Rows{}; },
        [](const WriteStatus&) {},
        [](const ReadStatus&) { return RunStatus{}; },
        [](const Follow&) {},
        [](const Say&) {},
        [](const ShowProgress&) {},
        [](const Flush&) { return Flushed{}; },
      };
    });
  }

  Extension extension(ExtensionFunction function) {
    ExtensionContext context{system};
    context.logger = logger();
    context.stopper = caf::actor_cast<RunStopper>(self); // the test hears it
    context.main_only = true;
    return spawn_function(std::make_shared<ExtensionFunction>(std::move(function)), context);
  }

  /// Sends an event and waits until it is confirmed. @returns the sentence of an error, or ""
  std::string offer(const Extension& extension, double loss) {
    LoopEvent event;
    event.loss = loss;
    event.position.batches = 7;
    std::string refused;
    self->request(extension, caf::infinite, event)
      .receive([] {}, [&](const caf::error& error) { refused = sentence(error); });
    return refused;
  }

  Messages config;
  caf::actor_system system{config};
  std::vector<Write> written;
  caf::scoped_actor self{system};
};

} // namespace

TEST_CASE("a function's records are in the event's row once the event is confirmed",
          "[function_extension]") {
  ThreadedRun run;
  const auto extension = run.extension([](const LoopEvent& event, const Layout&) {
    return FunctionAnswer{{{"twice", Value{2 * event.loss}}}, {}, ""};
  });
  CHECK(run.offer(extension, 1.5).empty());
  REQUIRE(run.written.size() == 1);
  CHECK(run.written[0].row == RowKey{0, 7});
  CHECK(run.written[0].records == Records{{"twice", Value{3.0}}});
}

TEST_CASE("a function is called on a thread of its own", "[function_extension]") {
  ThreadedRun run;
  std::vector<std::thread::id> threads;
  const auto extension = run.extension([&](const LoopEvent&, const Layout&) {
    threads.push_back(std::this_thread::get_id());
    return FunctionAnswer{};
  });
  run.offer(extension, 1);
  run.offer(extension, 1);
  REQUIRE(threads.size() == 2);
  CHECK(threads[0] == threads[1]);
  CHECK(threads[0] != std::this_thread::get_id());
}

TEST_CASE("an exception of a function ends its extension with the exception's text",
          "[function_extension]") {
  ThreadedRun run;
  const auto extension = run.extension([](const LoopEvent&, const Layout&) -> FunctionAnswer {
    throw std::runtime_error("KeyError: 'loss'");
  });
  run.self->monitor(extension);
  run.self->send(extension, LoopEvent{});
  std::string reason;
  run.self->receive([&](const caf::down_msg& down) { reason = sentence(down.reason); });
  CHECK(reason == "KeyError: 'loss'");
}

TEST_CASE("a function ends training of all workers by a reason", "[function_extension]") {
  ThreadedRun run;
  const auto extension = run.extension([](const LoopEvent& event, const Layout&) {
    return FunctionAnswer{{}, {}, event.loss < 1 ? "it is low" : ""};
  });
  run.offer(extension, 2);
  run.offer(extension, 0.5);
  run.self->receive([](const StopAll& all) { CHECK(all.reason == "it is low"); });
}

TEST_CASE("a function that is a gate answers with its records, its settings and its stop",
          "[function_extension]") {
  ThreadedRun run;
  const auto extension = run.extension([](const LoopEvent& event, const Layout&) {
    return FunctionAnswer{
      {{"twice", Value{2 * event.loss}}}, {{"learning_rate", 0.5}}, "it is low"};
  });
  AskGate ask;
  ask.event.loss = 1.5;
  run.self->request(extension, caf::infinite, ask)
    .receive(
      [](const GateAnswer& answer) {
        CHECK(answer.records == Records{{"twice", Value{3.0}}});
        CHECK(answer.settings == std::map<std::string, double>{{"learning_rate", 0.5}});
        CHECK(answer.finish);
        CHECK(answer.reason == "it is low");
      },
      [](const caf::error& error) { FAIL(sentence(error)); });
  run.self->receive([](const StopAll& all) { CHECK(all.reason == "it is low"); });
  CHECK(run.written.empty()); // the trainer writes them
}

TEST_CASE("a function that another process handed over is refused with the cure",
          "[function_extension]") {
  ThreadedRun run;
  const ExtensionContext context{run.system};
  const auto* kind = extension_kinds().find("function");
  REQUIRE(kind != nullptr);
  auto options = config::Node::map();
  options.put("handle", config::Node::scalar("17-1"));
  CHECK_NOTHROW(kind->check(options, "extensions.watch"));
  CHECK_THROWS_WITH(kind->spawn(options, "extensions.watch", context),
                    Contains("hand it over again, or give the extension as false"));
}
