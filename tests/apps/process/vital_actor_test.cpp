#include "apps/process/system_config.hpp"
#include "apps/process/vital_actor.hpp"
#include "base/exit_codes.hpp"
#include "tests/support/captured_errors.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <future>
#include <stdexcept>

using namespace troupe;
using namespace troupe::test;

namespace {

/// The exit code of a process in which `end` ends a vital actor; 0: it keeps running.
int exit_code_after(const std::function<void(const caf::actor&)>& end) {
  const auto child = ::fork(); // no thread runs yet
  if (child == 0) {
    SystemConfig config{1};
    caf::actor_system system{config};
    const auto actor = system.spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](int) { throw std::runtime_error("no room"); }};
    });
    std::promise<void> ended; // set last, as CAF notifies the newest monitor first
    actor->attach_functor([&ended](const caf::error&) { ended.set_value(); });
    exit_process_if_actor_fails(actor, "the parameter holder");
    end(actor);
    ended.get_future().wait();
    std::_Exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace

TEST_CASE("a process ends with 70 and a sentence when its vital actor has ended by an exception",
          "[vital_actor]") {
  const CapturedErrors errors;
  CHECK(exit_code_after([](const caf::actor& actor) { caf::anon_send(actor, 1); })
        == static_cast<int>(ExitCode::internal));
  CHECK_THAT(errors.text(), Catch::Contains("troupe: the parameter holder has ended (")
                              && Catch::Contains("start it again"));
}

TEST_CASE("a process keeps running when its vital actor is shut down in order", "[vital_actor]") {
  CHECK(exit_code_after([](const caf::actor& actor) {
          caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
        })
        == 0);
}
