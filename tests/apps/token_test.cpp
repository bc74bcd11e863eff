#include "troupe/apps/token.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a token is 128 bits in hexadecimal, drawn anew each time", "[P15]") {
  CHECK(draw_token().size() == 32);
  CHECK(draw_token().find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(draw_token() != draw_token());
}
