#include "messages/cluster/slurm.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <stdexcept>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

using Names = std::vector<std::string>;
using Clock = std::chrono::system_clock;

double slurm_seconds(std::string_view text) { return parse_slurm_time(text).count(); }

} // namespace

TEST_CASE("a node list is expanded in its order", "[slurm]") {
  CHECK(expand_node_list("login") == Names{"login"});
  CHECK(expand_node_list("n[1-2]") == Names{"n1", "n2"});
  CHECK(expand_node_list("n[1-3,7],gpu-a.example,login_2")
        == Names{"n1", "n2", "n3", "n7", "gpu-a.example", "login_2"});
  CHECK(expand_node_list("n[7,1]") == Names{"n7", "n1"});
  CHECK(expand_node_list("n[0]") == Names{"n0"});
}

TEST_CASE("a range is padded to the width of its first number", "[slurm]") {
  CHECK(expand_node_list("gpu[001-003]x") == Names{"gpu001x", "gpu002x", "gpu003x"});
  CHECK(expand_node_list("n[08-11]") == Names{"n08", "n09", "n10", "n11"});
  CHECK(expand_node_list("n[8-11]") == Names{"n8", "n9", "n10", "n11"});
  CHECK(expand_node_list("n[01,2,003]") == Names{"n01", "n2", "n003"});
  CHECK(expand_node_list("n[00-01]") == Names{"n00", "n01"});
  const auto names = expand_node_list("gpu[001-010]x");
  CHECK(names.size() == 10);
  CHECK(names.back() == "gpu010x");
}

TEST_CASE("of several brackets the last varies fastest", "[slurm]") {
  CHECK(expand_node_list("r[1-2]n[1-2]") == Names{"r1n1", "r1n2", "r2n1", "r2n2"});
  CHECK(expand_node_list("[1-2][3-4]") == Names{"13", "14", "23", "24"});
}

TEST_CASE("a broken node list is refused with the column and what was expected", "[slurm]") {
  const std::vector<std::pair<std::string, std::string>> broken{
    {"", "column 1: expected the name of a node"},
    {",", "column 1: expected the name of a node"},
    {"a,,b", "column 3: expected the name of a node"},
    {"a,", "column 3: expected the name of a node"},
    {"n[", "column 3: expected a number"},
    {"n[]", "column 3: expected a number"},
    {"n[1", "column 4: expected ']', ',' or '-'"},
    {"n[1-", "column 5: expected a number"},
    {"n[1-]", "column 5: expected a number"},
    {"n[1-2-3]", "column 6: expected ']', ',' or '-'"},
    {"n[-1]", "column 3: expected a number"},
    {"n[1,]", "column 5: expected a number"},
    {"n[3-1]", "column 5: expected a number from 3 on"},
    {"n[a-b]", "column 3: expected a number"},
    {"n]", "column 2: expected a comma, or a letter"},
    {"n[[1]]", "column 3: expected a number"},
    {"a b", "column 2: expected a comma, or a letter"},
    {" a", "column 1: expected the name of a node"},
    {"n[1]\n", "column 5: expected a comma, or a letter"},
    {"n[99999999999999999999]", "column 3: expected a number of at most 12 digits"},
    {"n\xc3\xa4", "column 2: expected a comma, or a letter"},
  };
  for (const auto& [list, sentence] : broken) {
    CAPTURE(list);
    CHECK_THROWS_AS(expand_node_list(list), std::invalid_argument);
    CHECK_THROWS_WITH(expand_node_list(list),
                      Catch::StartsWith("node list '") && Catch::Contains("broken at " + sentence));
  }
}

TEST_CASE("a node list that would exhaust the memory is refused before it does", "[slurm]") {
  CHECK(expand_node_list("n[1-65536]").size() == 65536);
  CHECK(expand_node_list("n[1-256]m[1-256]").size() == 65536);
  for (std::string bomb : {"n[1-65537]", "n[0-999999999999]", "n[1-300]m[1-300]", "n[1-65536],x",
                           "n[1-65536,1-65536]", "[1-9][1-9][1-9][1-9][1-9][1-9][1-9][1-9]"}) {
    CAPTURE(bomb);
    CHECK_THROWS_WITH(expand_node_list(bomb), Catch::Contains("has more than 65536 names"));
  }
  std::string many;
  for (int i = 0; i < 10'000; ++i)
    many += "[1]";
  CHECK_THROWS_WITH(expand_node_list(many), Catch::Contains("more than 253 letters"));
  CHECK_THROWS_WITH(expand_node_list("n[1-60000]" + std::string(100'000, 'x')),
                    Catch::Contains("more than 253 letters"));
}

TEST_CASE("random text gives a node list or a sentence", "[slurm]") {
  std::mt19937 random{7};
  const std::string letters = "nx01239-[],._ \x7f";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random() % 16; n > 0; --n)
      text += letters[random() % letters.size()];
    CAPTURE(text);
    try {
      const auto names = expand_node_list(text);
      REQUIRE((!names.empty() && names.size() <= most_nodes));
      for (const auto& name : names)
        REQUIRE(!name.empty());
    } catch (const std::invalid_argument& error) {
      REQUIRE(std::string{error.what()}.find("column ") != std::string::npos);
    }
  }
}

TEST_CASE("a time is read as Slurm writes it", "[slurm][L21][parser]") {
  CHECK(slurm_seconds("90") == 90 * 60);
  CHECK(slurm_seconds("0") == 0);
  CHECK(slurm_seconds("5:30") == 330);
  CHECK(slurm_seconds("90:00") == 5400);
  CHECK(slurm_seconds("12:00:00") == 43200);
  CHECK(slurm_seconds("100:00:00") == 360000);
  CHECK(slurm_seconds("1-12") == 129600);
  CHECK(slurm_seconds("1-12:30") == 131400);
  CHECK(slurm_seconds("1-02:03:04") == 93784);
  CHECK(std::isinf(slurm_seconds("UNLIMITED")));
  CHECK(std::isinf(slurm_seconds("INFINITE")));
}

TEST_CASE("a text that is not a Slurm time is refused with what to write", "[slurm][L21][parser]") {
  for (auto text : {"",
                    " ",
                    "soon",
                    "-1",
                    "1-",
                    "-",
                    "1--2",
                    "1:",
                    ":1",
                    "1:60",
                    "1:2:60",
                    "1:2:3:4",
                    "1-24",
                    "1-2:3:4:5",
                    "1:002",
                    "1.5",
                    "12h",
                    "unlimited",
                    "INVALID",
                    "99999999999999999999",
                    "1-99999999999999999999",
                    "1:2:3 "}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_slurm_time(text),
                      Catch::Contains("is not a Slurm time; write it like"));
  }
  // cure: is not a Slurm time; write it like 90 (minutes), 90:00, 12:00:00, 1-12, 1-12:00:00 or
  // UNLIMITED
  for (auto text : {"90", "90:00", "12:00:00", "1-12", "1-12:00:00", "UNLIMITED"})
    CHECK_NOTHROW(parse_slurm_time(text));
}

TEST_CASE("the end of the job comes from SLURM_JOB_END_TIME", "[slurm][L21]") {
  const auto end = job_end({{"SLURM_JOB_END_TIME", "1795305600"}});
  REQUIRE(end);
  CHECK(Clock::to_time_t(*end) == 1795305600);
}

TEST_CASE("a job whose end Slurm does not report has none", "[slurm][L21]") {
  CHECK(!job_end({}));
  CHECK(!job_end({{"SLURM_JOB_ID", "7"}}));
  for (auto text : {"", "0", "4294967294", "4294967295"}) {
    CAPTURE(text);
    CHECK(!job_end({{"SLURM_JOB_END_TIME", text}}));
  }
}

TEST_CASE("an invalid end of the job is refused by name", "[slurm][L21]") {
  for (auto text : {"soon", "-1", "1.5", "12:00:00", "4294967296", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(job_end({{"SLURM_JOB_END_TIME", text}}),
                      Catch::StartsWith("SLURM_JOB_END_TIME is '")
                        && Catch::Contains("seconds since 1970"));
  }
  // cure: number of seconds since 1970; correct or unset it
  CHECK(job_end({{"SLURM_JOB_END_TIME", "1795305600"}}));
  CHECK_FALSE(job_end({}));
}

TEST_CASE("the end of the job follows from the time left", "[slurm][L21]") {
  const auto now = Clock::time_point{1'000'000s};
  CHECK(job_end(now, "1-00:00:00") == now + 24h);
  CHECK(job_end(now, "10:00") == now + 10min);
  CHECK(!job_end(now, "UNLIMITED"));
  CHECK(!job_end(now, "99999999999"));
  CHECK_THROWS_AS(job_end(now, "NOT_SET"), std::invalid_argument);
}

TEST_CASE("for several jobs or tasks the answer of squeue ends with the first", "[slurm]") {
  CHECK(shortest_time_left("1:00:00") == 3600s);
  CHECK(shortest_time_left(" 2:00:00 \n59:00\n1-00:00:00\n") == 3540s);
  CHECK(shortest_time_left("NOT_SET\n10:00\nN/A") == 600s);
  CHECK(shortest_time_left("UNLIMITED\n10:00") == 600s);
  CHECK(std::isinf(shortest_time_left("unlimited")->count()));
  for (auto text : {"", "\n", "NOT_SET", "INVALID", "N/A", "INVALID\nINVALID", "soon"}) {
    CAPTURE(text);
    CHECK(!shortest_time_left(text));
  }
}

TEST_CASE("an end that Slurm reports as unknown is none", "[slurm]") {
  for (auto text : {"NOT_SET", "INVALID", "N/A", "n/a", "None", "Unknown", "(null)", "UNLIMITED"}) {
    CAPTURE(text);
    CHECK(!job_end({{"SLURM_JOB_END_TIME", text}}));
  }
}

TEST_CASE("the drain begins the margin before the end", "[slurm][L21]") {
  const auto end = std::chrono::steady_clock::time_point{1'000'000s};
  CHECK(drain_moment(end, 120s) == end - 120s);
  CHECK(drain_moment(end, 0s) == end);
  CHECK_THROWS_WITH(drain_moment(end, -1s), Catch::Contains("is -1 s; give 0 or more"));
  // cure: s; give 0 or more, or the job is killed first
  CHECK_NOTHROW(drain_moment(end, 0s));
}
