// How a configuration treats unused fields of a problem.
#include "apps/process/system_config.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_actors_options.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/session.hpp"
#include "model/data/wrapped_problem.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/program.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Another problem whose rows also have a weight.
class Weighted : public WrappedProblem {
public:
  explicit Weighted(std::shared_ptr<const Problem> problem)
    : WrappedProblem(std::move(problem)),
      spec_(wrapped().spec()) {
    spec_.inputs.push_back({"weight", ElementType::float32, {any_size, 1}, 0});
  }
  const DataSpec& spec() const override { return spec_; }
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    WrappedProblem::gather(section, rows, batch);
    batch.inputs.resize(spec_.inputs.size());
    batch.inputs.back().values.assign(rows.size(), 1);
  }

private:
  DataSpec spec_;
};

/// The output on standard error about a weight that the toy model does not use.
std::string said_of_weight(UnusedSources policy) {
  TrainingOptions training;
  training.unused_sources = policy;
  const CapturedErrors errors;
  check_sources(training, Weighted{std::make_shared<ToyProblem>(10)}, ToyModel{});
  return errors.text();
}

} // namespace

TEST_CASE("an unused field is refused, warned about or ignored, as the configuration says",
          "[train][B51]") {
  CHECK_THROWS_AS(said_of_weight(UnusedSources::raise), ConfigError);
  CHECK_THROWS_WITH(said_of_weight(UnusedSources::raise),
                    Contains("problem 'toy' gives 'weight', which neither")
                      && Contains("set training.unused_sources to warn or ignore"));
  // cure: ; set training.unused_sources to warn or ignore if that is meant
  CHECK_THAT(said_of_weight(UnusedSources::warn),
             Contains("warning: problem 'toy' gives 'weight', which neither"));
  CHECK(said_of_weight(UnusedSources::ignore).empty());
}

TEST_CASE("a problem without unused fields causes no message", "[train][B51]") {
  const CapturedErrors errors;
  CHECK_NOTHROW(check_sources({}, ToyProblem{10}, ToyModel{}));
  CHECK(errors.text().empty());
}

TEST_CASE("a run does not start if a field of its problem is unused", "[train][B51]") {
  const WorkFolder work;
  ConfigSources sources;
  sources.overrides
    = {"problem.train=60", "problem.validation=10", "problem.test=10", "model.hidden=[4]"};
  const auto config = read_run_config(sources);
  const auto problem = std::make_shared<Weighted>(problem_of(config));
  SystemConfig system_config{2};
  caf::actor_system system{system_config};
  SessionOptions options;
  options.console = false;
  options.folder = work.path();
  CHECK_THROWS_WITH(Session(system, config, options, problem), Contains("gives 'weight'"));
}
