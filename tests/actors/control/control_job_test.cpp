#include "actors/control/control_job.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;
using Trainers = std::vector<std::size_t>;

namespace {

/// A run of so many trainers, in which extensions can be attached at each.
ControlOptions run_of(std::size_t trainers) {
  ControlOptions options;
  options.trainers.resize(trainers);
  options.spawn = [trainers](const auto&, const auto& name, const auto&) {
    std::vector<AttachedExtension> spawned(trainers);
    for (std::size_t trainer = 0; trainer < trainers; ++trainer) {
      spawned[trainer].name = name;
      spawned[trainer].trainer = trainer;
    }
    return spawned;
  };
  return options;
}

ControlJob job_for(const std::string& verb, const std::vector<std::string>& arguments = {},
                   const AttachedExtensions& attached = {}) {
  return control_job(parse_control_command(verb, arguments), run_of(3), attached);
}

Status status_at(Step batches) {
  Status status;
  status.worker = 2;
  status.position.batches = batches;
  return status;
}

} // namespace

TEST_CASE("a command is for all trainers", "[control_job]") {
  CHECK(job_for("pause").trainers == Trainers{0, 1, 2});
}

TEST_CASE("what a run cannot do is refused", "[control_job]") {
  CHECK_THROWS_WITH(job_for("save"), Contains("cannot save"));
  CHECK_THROWS_WITH(job_for("evaluate"), Contains("no evaluator"));
  CHECK_THROWS_WITH(control_job(parse_control_command("attach", {"timer"}), {}, {}),
                    Contains("nothing can be attached"));
  CHECK_THROWS_WITH(job_for("detach", {"timer"}), Contains("no extension is called 'timer'"));
}

TEST_CASE("an extension is attached at the trainers that it was spawned for", "[control_job]") {
  const auto job = job_for("attach", {"timer"});
  CHECK(job.extensions.size() == 3);
  CHECK(job.trainers == Trainers{0, 1, 2});
}

TEST_CASE("an extension is detached at the trainers that have it", "[control_job]") {
  AttachedExtension extension;
  extension.name = "timer";
  extension.trainer = 2;
  const AttachedExtensions attached{{extension}, {}};
  CHECK(job_for("detach", {"timer"}, attached).trainers == Trainers{2});
  CHECK_THROWS_WITH(job_for("attach", {"timer"}, attached), Contains("is there already"));
}

TEST_CASE("a job's part takes the extensions of its trainer", "[control_job]") {
  const auto part = job_for("attach", {"timer", "at=7"}).part_at(1);
  CHECK(part->trainers == Trainers{1});
  REQUIRE(part->extensions.size() == 1);
  CHECK(part->extensions.front().trainer == 1);
}

TEST_CASE("a part answers only where it is not planned for a batch", "[control_job]") {
  auto answers = 0;
  auto planned = job_for("pause", {"at=7"}), next = job_for("pause");
  planned.answer = next.answer = [&answers](const ControlAnswer&) { ++answers; };
  planned.part_at(0)->finish();
  CHECK(answers == 0); // it was answered when it was planned
  next.part_at(0)->finish();
  CHECK(answers == 1);
}

TEST_CASE("a job whose batch is over says where the worker stands", "[control_job]") {
  auto job = job_for("pause", {"at=7"});
  CHECK_FALSE(job.is_over(status_at(6)));
  CHECK(job.errors.empty());
  CHECK(job.is_over(status_at(7)));
  CHECK_THAT(job.errors.front(), Contains("batch 7 of worker 2 is over, the worker is at batch 7"));
  CHECK_FALSE(job_for("pause").is_over(status_at(100)));
}

TEST_CASE("a job's answer holds its lines, then its errors", "[control_job]") {
  ControlAnswer answer;
  auto job = job_for("pause");
  job.answer = [&answer](const ControlAnswer& given) { answer = given; };
  job.lines = {"worker 0: paused"};
  job.finish();
  CHECK(answer.ok);
  job.errors = {"worker 1 has gone"};
  job.finish();
  CHECK_FALSE(answer.ok);
  CHECK(answer.lines.back() == "worker 1 has gone");
}
