#include "apps/transport/token.hpp"
#include "base/failure.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a token is 128 bits in hexadecimal, new each time", "[P15]") {
  CHECK(draw_token().size() == 32);
  CHECK(draw_token().find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(draw_token() != draw_token());
}

TEST_CASE("whitespace, Windows line ends and byte order marks around a token are ignored",
          "[P15]") {
  CHECK(token_in("abc\n") == "abc");
  CHECK(token_in(" abc\r\n") == "abc");
  CHECK(token_in("\xEF\xBB\xBF"
                 "abc")
        == "abc");
  CHECK(token_in("\xEF\xBB\xBF\n").empty());
}

TEST_CASE("a token is the first line of its file; an error names a file without one", "[P15]") {
  const DataFolder folder;
  const auto path = folder.path("token");
  CHECK_THROWS_WITH(token_of_file(path),
                    Catch::Contains(path) && Catch::Contains("give the file of a run's token"));
  std::ofstream{path} << "";
  CHECK_THROWS_AS(token_of_file(path), IoError);
  // cure: '; give the file of a run's token, or set TROUPE_TOKEN
  std::ofstream{path} << "secret\n";
  CHECK(token_of_file(path) == "secret");
}
