#include "actors/log/fitted_progress.hpp"
#include "base/text/wrapped_text.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace troupe;

namespace {

const std::string whole_line
  = "epoch 3/10 ━━━━━━━━━━━━────────── 12/313  21k examples/s  loss 0.1234  eta 0:12";

} // namespace

TEST_CASE("progress that fits is unchanged", "[progress]") {
  CHECK(fitted_progress(whole_line, 81) == whole_line);
  CHECK(fitted_progress("reading a.csv, 1.0 s", 40) == "reading a.csv, 1.0 s");
}

TEST_CASE("in a narrower window the bar shrinks first", "[progress]") {
  CHECK(fitted_progress(whole_line, 69)
        == "epoch 3/10 ━━━━━━────── 12/313  21k examples/s  loss 0.1234  eta 0:12");
  CHECK(fitted_progress("1/2 ##########.......... 1/2", 18) == "1/2 #####..... 1/2");
}

TEST_CASE("then the rate and the loss are dropped, and the time left stays", "[progress]") {
  CHECK(fitted_progress(whole_line, 39) == "epoch 3/10 ━━─── 12/313  eta 0:12");
  CHECK(fitted_progress(whole_line, 25) == "epoch 3/10 ━━─── 12/313");
}

TEST_CASE("progress is never wider than the window", "[progress]") {
  for (int columns = 1; columns < 90; ++columns)
    CHECK(columns_of(fitted_progress(whole_line, columns)) <= static_cast<std::size_t>(columns));
}

TEST_CASE("a bar has ASCII characters for a terminal without UTF-8", "[progress]") {
  CHECK(in_ascii("epoch 1 ━━── 5/10") == "epoch 1 ##.. 5/10");
}

TEST_CASE("the first of LC_ALL, LC_CTYPE and LANG that is set decides about UTF-8", "[progress]") {
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    ::unsetenv(name);
  CHECK_FALSE(locale_has_utf8());
  ::setenv("LANG", "de_DE.UTF-8", 1);
  CHECK(locale_has_utf8());
  ::setenv("LC_CTYPE", "C.utf8", 1);
  CHECK(locale_has_utf8());
  ::setenv("LC_ALL", "C", 1);
  CHECK_FALSE(locale_has_utf8());
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    ::unsetenv(name);
}
