#include "messages/parameters/parameters_in.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace troupe;

TEST_CASE("what follows the parameters in a shared block is cut off", "[L7]") {
  const auto shared = Block::copy_of(std::vector<float>{1, 2, 3, 4, 5, 6});
  CHECK(parameters_in(shared, 2) == Block::copy_of(std::vector<float>{1, 2}));
  CHECK(shared.size() == 6);
}

TEST_CASE("parameters with nothing after them are not copied", "[L7]") {
  const auto shared = Block::copy_of(std::vector<float>{1, 2});
  CHECK(parameters_in(shared, 2).same_buffer(shared));
}
