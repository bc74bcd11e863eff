#include "model/tensor/thread_pool.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>

using namespace troupe;
using Catch::Contains;

TEST_CASE("each thread of a pool does its part of each task once", "[threads]") {
  const Index size = GENERATE(1, 2, 5);
  ThreadPool pool{size};
  std::vector<int> done(static_cast<std::size_t>(size));
  for (int round = 0; round < 200; ++round)
    pool.run([&](Index thread) { ++done[static_cast<std::size_t>(thread)]; });
  CHECK(done == std::vector<int>(static_cast<std::size_t>(size), 200));
}

TEST_CASE("the first thread of a pool is the calling thread", "[threads]") {
  ThreadPool pool{3};
  std::vector<std::thread::id> threads(3);
  pool.run(
    [&](Index thread) { threads[static_cast<std::size_t>(thread)] = std::this_thread::get_id(); });
  CHECK(threads[0] == std::this_thread::get_id());
  CHECK(threads[1] != threads[0]);
  CHECK(threads[2] != threads[1]);
}

TEST_CASE("a pool rethrows what its first failing thread throws, and stays usable", "[threads]") {
  ThreadPool pool{3};
  std::atomic<int> done = 0;
  const auto fail = [&](Index thread) {
    ++done;
    if (thread > 0)
      throw std::runtime_error("thread " + std::to_string(thread) + " fails");
  };
  CHECK_THROWS_WITH(pool.run(fail), "thread 1 fails");
  CHECK(done == 3);
  pool.run([&](Index) { ++done; });
  CHECK(done == 6);
}

TEST_CASE("a pool without a thread is refused", "[threads]") {
  CHECK_THROWS_WITH(ThreadPool{0}, Contains("give it at least 1"));
  // cure: threads; give it at least 1
  CHECK_NOTHROW(ThreadPool{1});
}
