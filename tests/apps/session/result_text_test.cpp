#include "apps/session/result_text.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a written result yields the same text for people", "[result]") {
  const std::string written
    = R"({"outcome":"finished","reason":"3 epochs are done","status":"Converged",)"
      R"("test":{"loss":"NaN","f1":0.5},"undefined":["f1"],"epochs":1,"batches":2,"examples":60,)"
      R"("skipped":1,"seconds":2.0,"examples_per_second":30.0,"parameters":"00ff","run":"here"})";
  CHECK(text_of_result(written)
        == "test loss        nan\n"
           "test f1          0.5000 (undefined)\n"
           "trained          1 epoch, 2 batches, 60 examples in 2.0 s (30 examples/s)\n"
           "skipped          1 batch whose loss was not finite\n"
           "ended            3 epochs are done\n"
           "status           Converged\n"
           "parameters       00ff\n"
           "run              here");
}

TEST_CASE("a damaged result has no text", "[result]") {
  for (const auto* damaged : {"", "{", "[1]", "7", R"({"epochs": "many"})"})
    CHECK(text_of_result(damaged).empty());
}

TEST_CASE("on a narrow terminal a result continues below its value, and a path stays whole",
          "[train]") {
  const std::string results = "test loss        0.1\n"
                              "trained          3 epochs, 30 batches, 1920 examples in 0.0 s\n"
                              "run              runs/digits/mlp/2026-11-27T09-22-20Z";
  CHECK(folded_results(results, 40)
        == "test loss        0.1\n"
           "trained          3 epochs, 30 batches,\n"
           "                 1920 examples in 0.0 s\n"
           "run              runs/digits/mlp/2026-11-27T09-22-20Z");
  CHECK(folded_results(results, 80) == results);
  CHECK(folded_results(results, 10) == results);
}
