#include "troupe/apps/cluster_seat.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/type_ids.hpp"
#include "troupe/tests/support/captured_errors.hpp"

#include <caf/scoped_actor.hpp>
#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a parameter holder in a worker's process tells people what one of its own would",
          "[L9][T12]") {
  const CapturedErrors errors;
  {
    NodeSystemConfig config{2, {}};
    caf::actor_system system{config};
    ClusterSeat seat;
    seat.holders = {{"127.0.0.1", 0}};
    seat.cluster = "secret";
    const HostedHolder hosted{system, seat};
    caf::scoped_actor self{system};
    Join join;
    join.worker = 1;
    join.cluster = "guess";
    caf::error refusal;
    self->request(hosted.holder(), std::chrono::seconds{20}, join)
      .receive([](const Joined&) {}, [&](const caf::error& error) { refusal = error; });
    CHECK(refusal == Error::invalid_options);
  }
  CHECK_THAT(errors.text(), Catch::Contains("parameter holder: worker 1 is of another cluster"));
}
