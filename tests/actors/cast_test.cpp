#include "troupe/actors/cast.hpp"
#include "troupe/tests/support/deterministic_system.hpp"
#include "troupe/tests/support/self_shuffled.hpp"
#include "troupe/tests/support/toy_problem.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("several workers are not given a problem that shuffles by itself", "[T19]") {
  DeterministicSystem world;
  CastOptions options;
  options.problem = std::make_shared<SelfShuffled>(std::make_shared<ToyProblem>(10));
  options.order.batch_size = 2;
  options.workers = 2;
  CHECK_THROWS_WITH(spawn_cast(world.system, options),
                    Catch::Contains("the shares of 2 workers overlap")
                      && Catch::Contains("training.shuffle"));
}
