// Schedules and rate limits alone, without actors and models: the program needs no library but the
// standard one.
#include <troupe/messages/parameters/rate_limit.hpp>
#include <troupe/messages/schedule/due.hpp>

#include <cstdio>
#include <stdexcept>

int main() {
  troupe::Due due{troupe::parse_schedule("each(10) & ~at(20) | at(1 epochs)"), troupe::Position{}};
  troupe::Position now;
  for (now.batches = 1; now.batches < 45; ++now.batches) {
    now.epochs = now.batches / 33;
    if (due.possible(now) && due.advance(now) > 0)
      std::printf("due after batch %d\n", static_cast<int>(now.batches));
  }
  try {
    troupe::parse_schedule("each(10 batchs)");
  } catch (const std::invalid_argument& e) {
    std::printf("%s\n", e.what());
  }

  troupe::RateLimit limit{{.maximum_rate = 0.1}, 0};
  auto syncs = 0;
  for (auto t = 0.0; t < 100; t += 0.1)
    if (limit.may_sync(t)) {
      limit.synced(t, t + 0.1);
      ++syncs;
    }
  std::printf("%d syncs of 0.1 s in 100 s\n", syncs);
  return syncs < 101 ? 0 : 1;
}
