#include "extensions/monitoring/samples.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/program.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// The files that two epochs of toy training write.
std::vector<std::string> files_shown(const SamplesOptions& options) {
  const WorkFolder work;
  Stage stage{{.step_duration = 0}};
  stage.observe("samples", samples_conditions(),
                stage.world.keep(spawn_samples(stage.world.system, options, stage.problem,
                                               std::make_shared<ToyModel>(), work.path().string(),
                                               stage.logger)),
                Shows::parameters);
  stage.finish_after(6);
  stage.run();
  std::vector<std::string> names;
  if (std::filesystem::exists(work.path() / "samples"))
    for (const auto& entry : std::filesystem::directory_iterator(work.path() / "samples"))
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

TEST_CASE("each mode of `visualize` shows its sections", "[M55]") {
  using Names = std::vector<std::string>;
  CHECK(files_shown({.visualize = -1}).empty());
  CHECK(files_shown({.visualize = 0}) == Names{"train_000003.txt", "train_000006.txt"});
  CHECK(files_shown({.visualize = 1})
        == Names{"train_000003.txt", "train_000006.txt", "validation_000003.txt",
                 "validation_000006.txt"});
  CHECK(files_shown({.visualize = 2}) == Names{"validation_000003.txt", "validation_000006.txt"});
  CHECK(files_shown({.visualize = 3}) == Names{"validation_000006.txt"});
  CHECK(files_shown({.visualize = 3, .section = "test"}) == Names{"test_000006.txt"});
}

TEST_CASE("unknown modes and invalid sizes of samples are refused", "[M55]") {
  Stage stage;
  const auto refuse = [&](const SamplesOptions& options, const std::string& what) {
    CHECK_THROWS_WITH(spawn_samples(stage.world.system, options, stage.problem,
                                    std::make_shared<ToyModel>(), ".", stage.logger),
                      Contains(what));
  };
  refuse({.visualize = 4}, "visualize of samples is 4");
  refuse({.section = "train"}, "validation or test");
  refuse({.examples = 0}, "examples");
  refuse({.folder = ""}, "folder");
}
