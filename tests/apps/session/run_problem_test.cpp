#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_problem.hpp"
#include "model/kernels/tile_product.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

TEST_CASE("products on tiles need a processor that has them", "[product]") {
  ConfigSources sources;
  sources.overrides
    = {"training.products=tiles", "problem.train=64", "problem.validation=8", "problem.test=8"};
  const auto config = read_run_config(sources);
  const auto problem = problem_of(config);
  if (tiles_available())
    CHECK(model_of(config, *problem)->layout().size() > 0);
  else
    CHECK_THROWS_WITH(model_of(config, *problem), Contains("no matrix tiles for bfloat16 (AMX)"));
}

TEST_CASE("an unknown implementation of products is refused with the known ones", "[product]") {
  ConfigSources sources;
  sources.overrides = {"training.products=tile"};
  CHECK_THROWS_WITH(read_run_config(sources), Contains("training.products") && Contains("tiles"));
}
