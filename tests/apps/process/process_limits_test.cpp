#include "apps/process/process_limits.hpp"
#include "base/failure.hpp"

#include <catch2/catch.hpp>

#include <new>
#include <system_error>

using namespace troupe;
using Catch::Contains;

TEST_CASE("resources that were tried are released", "[process_limits]") {
  CHECK_NOTHROW(check_resources({0, 0}));
  CHECK_NOTHROW(check_resources({3, 1 << 20}));
}

TEST_CASE("memory that the system does not have is refused with the limits to raise",
          "[process_limits]") {
  const ProcessNeeds more_than_there_is{1, std::uint64_t{1} << 60};
  CHECK_THROWS_WITH(check_resources(more_than_there_is),
                    Contains("gives no more memory") && Contains("ulimit -v is"));
  try {
    check_resources(more_than_there_is);
  } catch (const Failure& e) {
    CHECK(e.code() == ExitCode::internal);
  }
}

TEST_CASE("exceptions for lack of memory or threads become sentences, others do not",
          "[process_limits]") {
  CHECK_THAT(sentence_of_limit(std::bad_alloc{}).value_or(""), Contains("no more memory"));
  const std::system_error no_thread{
    std::make_error_code(std::errc::resource_unavailable_try_again)};
  CHECK_THAT(sentence_of_limit(no_thread).value_or(""),
             Contains("no more processes and threads") && Contains("ulimit -u is"));
  CHECK(!sentence_of_limit(std::system_error{std::make_error_code(std::errc::io_error)}));
  CHECK(!sentence_of_limit(std::runtime_error{"x"}));
}
