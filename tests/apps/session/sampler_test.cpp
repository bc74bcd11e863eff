#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_problem.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

RunConfig sampled_digits(std::vector<std::string> overrides) {
  ConfigSources sources;
  sources.overrides = std::move(overrides);
  for (const auto* word : {"problem.train=60", "problem.validation=40", "problem.test=20"})
    sources.overrides.emplace_back(word);
  return read_run_config(sources);
}

Index sampled_size(const std::vector<std::string>& overrides, Section section) {
  return problem_of(sampled_digits(overrides))->size(section);
}

std::string refusal_of(const std::vector<std::string>& overrides) {
  try {
    problem_of(sampled_digits(overrides));
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

const std::string subset = "'training.sampler={name: subset_random, indices: 50..450}' ";

} // namespace

TEST_CASE("each section has its own sampler", "[M13]") {
  CHECK(sampled_size({}, Section::train) == 60);
  const std::vector<std::string> overrides{
    "training.sampler={name: subset_random, indices: [0, 1, 7]}",
    "validation.sampler={name: subset_sequential, indices: 10..30}",
    "testing.sampler={name: subset_sequential, indices: '3, 4'}"};
  CHECK(sampled_size(overrides, Section::train) == 3);
  CHECK(sampled_size(overrides, Section::validation) == 20);
  CHECK(sampled_size(overrides, Section::test) == 2);
}

TEST_CASE("a validation section may use the rows that training leaves out", "[M13]") {
  const std::string training = "training.sampler={name: subset_random, indices: 0..50}";
  const auto rest = [](const std::string& indices) {
    return "validation.sampler={name: subset_sequential, section: train, indices: " + indices + "}";
  };
  CHECK(sampled_size({training, rest("50..60")}, Section::validation) == 10);
  CHECK_THAT(refusal_of({training, rest("49..60")}),
             Contains("training.sampler and validation.sampler both have row 49 of section "
                      "'train'; give them other rows"));
  CHECK_THAT(refusal_of({rest("50..60")}), Contains("both have row 50"));
}

TEST_CASE("an invalid sampler is refused with its cure", "[M13]") {
  CHECK_THAT(refusal_of({"training.sampler.name=SubsetRandomSampler"}),
             Contains("training.sampler.name") && Contains("subset_random"));
  CHECK_THAT(refusal_of({"training.sampler.name=subset_random"}),
             Contains("training.sampler.indices are empty; give numbers"));
  CHECK_THAT(refusal_of({"validation.sampler.indices=0..3"}),
             Contains("validation.sampler.name is all; give it the name"));
  CHECK_THAT(refusal_of({"training.sampler={name: subset_random, indices: 0..61}"}),
             Contains("training.sampler.indices, of section 'train'") && Contains("60 rows"));
  CHECK_THAT(refusal_of({"testing.sampler={name: subset_random, indices: none.txt}"}),
             Contains("testing.sampler.indices") && Contains("'none.txt' is neither"));
  CHECK_THAT(refusal_of({"testing.sampler={section: tset}"}),
             Contains("testing.sampler.section is 'tset'; give train"));
  CHECK_THAT(refusal_of({"training.sampler.indeces=3"}), Contains("did you mean 'indices'?"));
}

TEST_CASE("a sampler's mistake ends the program before a folder is made", "[M13]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(),
    "train -q 'training.sampler={name: subset_random, indices: 0..601}' " + small_digits);
  CHECK(ran.code == 78);
  CHECK_THAT(ran.error, Contains("'0..601' is beyond the section's 600 rows"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}

TEST_CASE("training counts the rows of its sampler", "[M13][M14]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train -q --json training.epochs=2 " + subset + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(nlohmann::json::parse(ran.out)["examples"] == 800);
}

TEST_CASE("a sequential subset is read in its order, regardless of shuffle", "[M13]") {
  WorkFolder work;
  const auto bits = [&](const std::string& more) {
    return json_text(troupe_program(work.path(), "train -q --json training.epochs=1 "
                                                 "training.batch_size=50 "
                                                   + more + small_digits)
                       .out,
                     "parameters");
  };
  const std::string sequence = "'training.sampler={name: subset_sequential, indices: 0..600}' ";
  const auto in_order = bits("training.shuffle=false ");
  CHECK_FALSE(in_order.empty());
  CHECK(bits(sequence) == in_order);
  CHECK(bits("'training.sampler={name: subset_random, indices: 0..600}' ") == bits(""));
  CHECK(bits("") != in_order);
}

TEST_CASE("a stopped run with a sampler resumes to the same bits", "[M13][B45]") {
  WorkFolder work;
  const auto options
    = "train -q --json training.epochs=3 training.batch_size=32 " + subset + small_digits;
  const auto whole = troupe_program(work.path(), options);
  const auto half
    = troupe_program(work.path(), options + "extensions.finish_after.after_n_batches=17");
  REQUIRE(half.code == 0);
  const auto rest
    = troupe_program(work.path(), "train -q --json --resume " + json_text(half.out, "run"));
  INFO(half.error << rest.error);
  CHECK_FALSE(json_text(whole.out, "parameters").empty());
  CHECK(json_text(half.out, "parameters") != json_text(whole.out, "parameters"));
  CHECK(json_text(rest.out, "parameters") == json_text(whole.out, "parameters"));
}
