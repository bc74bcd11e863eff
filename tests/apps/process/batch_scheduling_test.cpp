#include "apps/process/batch_scheduling.hpp"

#include <catch2/catch.hpp>
#include <sched.h>

#include <thread>

TEST_CASE("what a batch process starts computes without interrupting, and a chosen policy stays",
          "[batch_scheduling]") {
  int after = -1, chosen = -1;
  // In threads of their own, so that other cases keep their policy.
  std::thread{[&after] {
    troupe::schedule_as_batch();
    std::thread{[&after] { after = sched_getscheduler(0); }}.join();
  }}.join();
  CHECK(after == SCHED_BATCH);
  std::thread{[&chosen] {
    const sched_param none{};
    sched_setscheduler(0, SCHED_IDLE, &none);
    troupe::schedule_as_batch();
    chosen = sched_getscheduler(0);
  }}.join();
  CHECK(chosen == SCHED_IDLE);
}
