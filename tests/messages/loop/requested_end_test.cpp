#include "messages/loop/requested_end.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

using Reasons = std::vector<std::string>;

Stop interrupt_after(StopLevel level, const std::string& reason) {
  return {level, reason, true, 0, false};
}

} // namespace

TEST_CASE("an end that nothing has requested does not come", "[requested_end]") {
  const RequestedEnd end;
  CHECK_FALSE(end.after_batch());
  CHECK_FALSE(end.after_epoch(1000));
  CHECK(end.causes().empty());
}

TEST_CASE("an end after an epoch waits for the epoch that was asked for", "[requested_end][B10]") {
  RequestedEnd end;
  end.stop({StopLevel::after_epoch, "the time is over", false, 3, false});
  CHECK_FALSE(end.after_epoch(2));
  CHECK(end.after_epoch(3));
  CHECK_FALSE(end.after_batch());
}

TEST_CASE("a run that ends by itself is not interrupted, and keeps its own causes alone",
          "[requested_end][B12]") {
  RequestedEnd end;
  end.stop(interrupt_after(StopLevel::after_epoch, "Ctrl-C"));
  end.stop(interrupt_after(StopLevel::after_batch, "SIGTERM"));
  end.finish("good enough");
  CHECK(end.interrupted());
  CHECK(end.causes() == Reasons{"SIGTERM", "good enough", "Ctrl-C"});
  end.end_by_itself();
  CHECK_FALSE(end.interrupted());
  end.finish("and so says another");
  CHECK(end.causes() == Reasons{"good enough", "and so says another"});
}

TEST_CASE("a cause after the epoch's end stands behind those of that end", "[requested_end]") {
  RequestedEnd end;
  end.stop({StopLevel::after_epoch, "the epoch", false, 0, false});
  end.reach_epoch_end();
  end.finish("an extension");
  CHECK(end.causes() == Reasons{"the epoch", "an extension"});
}

TEST_CASE("a run that has a cause from the start ends by itself at once", "[requested_end][B8]") {
  const RequestedEnd end{{"it had reached its end"}};
  CHECK(end.after_batch());
  CHECK(end.by_itself());
}
