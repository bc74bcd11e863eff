#pragma once

#include "messages/wire/type_ids.hpp"
#include "messages/wire/wire.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/others.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <optional>

namespace troupe::test {

using namespace std::chrono_literals;

/// An actor system without threads: messages move when the test calls `run`, and time passes when
/// it calls `advance`.
class DeterministicSystem {
  struct Config : caf::actor_system_config {
    Config() {
      set("scheduler.policy", caf::atom("testing"));
      add_messages(*this);
    }
  };

  Config config_;

public:
  caf::actor_system system{config_};
  caf::scoped_actor self{system, true};

  /// Ends all actors: a cycle of handles would keep them and this system alive.
  ~DeterministicSystem() {
    for (const auto& actor : actors_)
      self->send_exit(actor, caf::exit_reason::user_shutdown);
    run();
  }

  /// Keeps an actor, so that it ends with the test.
  template <class Handle>
  Handle keep(Handle actor) {
    actors_.push_back(caf::actor_cast<caf::actor>(actor));
    run();
    return actor;
  }

  template <class... Ts>
  auto spawn(Ts&&... xs) {
    return keep(system.spawn(std::forward<Ts>(xs)...));
  }

  /// Delivers messages until none is left.
  void run() { scheduler().run(); }

  /// Delivers one message. @returns false if there was none.
  bool step() { return scheduler().try_run_once(); }

  /// Lets `time` pass, then delivers what is due.
  void advance(caf::timespan time) {
    scheduler().advance_time(time);
    run();
  }

  /// Lets `time` pass in pieces and delivers after each, so that due events can cause later ones.
  void pass(caf::timespan time, caf::timespan piece) {
    for (caf::timespan passed{0}; passed < time; passed += piece)
      advance(std::min(piece, time - passed));
  }

  /// Lets time pass until something is due, and delivers it. @returns false if nothing will be.
  bool wait() {
    const auto due = scheduler().trigger_timeout();
    run();
    return due;
  }

  /// Number of timers: delayed messages, and deadlines of requests.
  std::size_t timers() { return scheduler().clock().schedule().size(); }

  /// Sends `request`, runs, and returns the answer or the error.
  template <class Answer, class Actor, class Request>
  caf::expected<Answer> ask(const Actor& actor, const Request& request) {
    auto answer = answer_to(caf::actor_cast<caf::actor>(actor), caf::make_message(request));
    if (!answer)
      return std::move(answer.error());
    if (!answer->template match_elements<Answer>())
      return caf::make_error(caf::sec::unexpected_response, *answer);
    return std::move(answer->template get_mutable_as<Answer>(0));
  }

  double now() {
    return std::chrono::duration<double>(scheduler().clock().now().time_since_epoch()).count();
  }

private:
  /// One handler for answers of all types: one for each would take longer to compile than the tests
  /// themselves.
  caf::expected<caf::message> answer_to(const caf::actor& actor, const caf::message& request) {
    caf::expected<caf::message> answer{caf::error{}};
    auto pending = self->request(actor, caf::infinite, request);
    run();
    pending.receive([&](caf::error& error) { answer = std::move(error); },
                    caf::others >> [&](caf::message_view& view) -> caf::result<caf::message> {
                      answer = view.move_content_to_message();
                      return caf::message{};
                    });
    return answer;
  }

  caf::scheduler::test_coordinator& scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());
  }

  std::vector<caf::actor> actors_;
};

/// Holds the answer to a request that stays in flight while the test continues, like the answer to
/// Start.
template <class Answer>
class Pending {
public:
  template <class Actor, class Request>
  Pending(DeterministicSystem& world, const Actor& actor, const Request& request) {
    wait(world, caf::actor_cast<caf::actor>(actor), caf::make_message(request));
  }

  bool answered() const { return answer_->has_value(); }
  bool ended() const { return answered() || *error_; } ///< also with an error
  const Answer& operator*() const { return answer_->value(); }
  const Answer* operator->() const { return &answer_->value(); }
  const caf::error& error() const { return *error_; }

private:
  /// Compiled once for an answer, for any actor.
  void wait(DeterministicSystem& world, const caf::actor& actor, const caf::message& request) {
    auto answer = answer_;
    auto error = error_;
    world.keep(world.system.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      self->request(actor, caf::infinite, request)
        .then([=](Answer& a) { *answer = std::move(a); }, [=](caf::error& e) { *error = e; });
      return {[](int) {}};
    }));
  }

  std::shared_ptr<std::optional<Answer>> answer_ = std::make_shared<std::optional<Answer>>();
  std::shared_ptr<caf::error> error_ = std::make_shared<caf::error>();
};

} // namespace troupe::test
