#include "messages/requests/caller.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <stdexcept>

namespace troupe {

namespace {

class CallingActor : public caf::blocking_actor {
public:
  explicit CallingActor(caf::actor_config& config)
    : blocking_actor(config),
      virtual_time_(dynamic_cast<caf::scheduler::test_coordinator*>(&system().scheduler())) {}

  const char* name() const override { return "caller"; }

  /// Runs on the thread of the caller.
  void launch(caf::execution_unit*, bool, bool) override { initialize(); }

  void await_data() override {
    while (virtual_time_ != nullptr && mailbox().empty())
      if (!virtual_time_->try_run_once() && !virtual_time_->trigger_timeout())
        throw std::logic_error("the awaited answer cannot come: no message or timeout is pending");
    blocking_actor::await_data();
  }

private:
  caf::scheduler::test_coordinator* virtual_time_; ///< null in real time
};

} // namespace

Caller::Caller(caf::actor_system& system) : context_{&system} {
  caf::actor_config config{&context_};
  config.flags |= caf::abstract_actor::is_hidden_flag;
  self_ = system.spawn_impl<CallingActor, caf::no_spawn_options>(config);
}

Caller::~Caller() { (*this)->cleanup(caf::make_error(caf::exit_reason::normal), &context_); }

caf::blocking_actor* Caller::operator->() const {
  return static_cast<caf::blocking_actor*>(caf::actor_cast<caf::abstract_actor*>(self_));
}

} // namespace troupe
