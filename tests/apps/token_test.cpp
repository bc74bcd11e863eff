#include "troupe/apps/token.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a token is 128 bits in hexadecimal, drawn anew each time", "[P15]") {
  CHECK(draw_token().size() == 32);
  CHECK(draw_token().find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(draw_token() != draw_token());
}

TEST_CASE("a token is without what editors and Windows leave around it", "[P15]") {
  CHECK(token_in("abc\n") == "abc");
  CHECK(token_in(" abc\r\n") == "abc");
  CHECK(token_in("\xEF\xBB\xBF"
                 "abc")
        == "abc");
  CHECK(token_in("\xEF\xBB\xBF\n").empty());
}
