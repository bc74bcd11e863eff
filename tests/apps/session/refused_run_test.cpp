// A refused run leaves no files behind, and `latest` unchanged.
#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

namespace fs = std::filesystem;

/// All paths below a folder except the shell's own files, with the targets of links.
std::set<std::string> all_in(const fs::path& folder) {
  std::set<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (!entry.path().filename().string().starts_with(".std")
        && !entry.path().filename().string().starts_with(".script"))
      paths.insert(entry.path().string()
                   + (entry.is_symlink() ? " -> " + fs::read_symlink(entry.path()).string() : ""));
  return paths;
}

struct Refusal {
  std::string arguments, sentence;
  ExitCode code;
};

void check_refusals(const fs::path& folder, const std::vector<Refusal>& refusals) {
  const auto before = all_in(folder);
  for (const auto& refusal : refusals) {
    INFO(refusal.arguments);
    const auto ran = troupe_program(folder, refusal.arguments);
    INFO(ran.error);
    CHECK(ran.code == static_cast<int>(refusal.code));
    CHECK_THAT(ran.error, Contains(refusal.sentence));
    CHECK(all_in(folder) == before);
  }
}

const std::string misfit = " problem.train=64 model.name=network model.layers='[linear: 5]' ";

} // namespace

TEST_CASE("a model that does not fit its data is refused before anything is made", "[refused]") {
  WorkFolder work;
  const std::string sentence = "problem 'digits' and model 'network' do not fit";
  check_refusals(work.path(),
                 {{"train" + misfit, sentence, ExitCode::configuration},
                  {"train -q --folder mine" + misfit, sentence, ExitCode::configuration},
                  {"launch -n 2 --insecure" + misfit, sentence, ExitCode::configuration},
                  {"simulate" + misfit, sentence, ExitCode::configuration},
                  {"node --role worker --workers 2 --insecure --ps 127.0.0.1:1" + misfit, sentence,
                   ExitCode::configuration}});
}

TEST_CASE("a run refused when its actors start leaves nothing behind, and latest unchanged",
          "[refused][slow]") {
  WorkFolder work;
  REQUIRE(troupe_program(work.path(), "train -q training.epochs=1 " + small_digits).code == 0);
  const auto train = "train -q training.epochs=1 " + small_digits;
  check_refusals(
    work.path(),
    {{train + "extensions.load.path=no.safetensors", "extensions.load.optional=true", ExitCode::io},
     {"simulate -n 2 " + small_digits + "extensions.load.path=no.safetensors", "no.safetensors",
      ExitCode::io},
     {"node --role worker --workers 2 --insecure --ps 127.0.0.1:1 --join-deadline 0.2 "
        + small_digits,
      "could not be reached", ExitCode::unavailable},
     {"node --role worker --workers 2 --insecure --ps 127.0.0.1:1 --join-deadline 0.2 --folder w "
        + small_digits,
      "could not be reached", ExitCode::unavailable}});
  CHECK(troupe_program(work.path(), "test -q latest").code == 0);
}

TEST_CASE("a missing file to load is a warning if it is optional", "[refused][B44]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train --no-progress training.epochs=1 " + small_digits
                                    + "extensions.load='{path: no.safetensors, optional: true}'");
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.error, Contains("nothing was loaded: no.safetensors does not exist"));
}

TEST_CASE("latest is the run that started last: trained, simulated or launched",
          "[refused][slow]") {
  WorkFolder work;
  const auto run = [&](const std::string& arguments) {
    const auto ran = troupe_program(work.path(), arguments);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return fs::canonical(work.path() / "runs/latest");
  };
  const auto few = " training.epochs=1 " + small_digits;
  const auto trained = run("train -q" + few);
  const auto simulated = run("simulate -q -n 2" + few);
  CHECK(simulated != trained);
  CHECK(fs::exists(simulated / "simulation.json"));
  const auto launched = run("launch -q -n 2 --insecure" + few);
  CHECK(launched != simulated);
  CHECK(fs::exists(launched / "worker-0" / "result.json"));
  CHECK(run("train -q --folder named" + few) == launched); // which is found by its name
}
