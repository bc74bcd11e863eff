// The configurations that are shipped, and every one of their keys with a slip of the pen.
#include "troupe/apps/components.hpp"
#include "troupe/apps/config/print.hpp"
#include "troupe/apps/config/yaml.hpp"
#include "troupe/apps/grid/plan.hpp"
#include "troupe/apps/run_config.hpp"
#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using config::Node;

namespace {

const std::filesystem::path shipped_examples{std::string{TROUPE_FIXTURES} + "/../../examples"};

std::vector<std::filesystem::path> configurations_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// What `node` becomes with one letter more in its key number `wanted`, counted in writing order.
/// @param wanted counts down; 0 once it was found
Node with_slip(const Node& node, std::size_t& wanted, std::string& slip) {
  if (node.is_list()) {
    auto list = Node::list();
    for (const auto& item : node.items())
      list.append(with_slip(item, wanted, slip));
    return list;
  }
  if (!node.is_map())
    return node;
  auto map = Node::map();
  for (const auto& [key, value] : node.entries()) {
    const auto here = wanted > 0 && --wanted == 0;
    if (here)
      slip = key + "q";
    map.put(here ? slip : key, with_slip(value, wanted, slip));
  }
  return map;
}

/// Puts together all that the program puts together before it makes a folder.
void check_run(const std::filesystem::path& file) {
  ConfigSources sources;
  sources.files = {file};
  const auto run = read_run_config(sources);
  make_model(*run.tree.find("model"), make_problem(*run.tree.find("problem"))->spec());
}

void check_grid(const std::filesystem::path& file) {
  const GridPlan plan{read_grid(file, {}), 1};
  for (RunNumber run = 1; run <= plan.runs(); ++run) {
    ConfigSources sources;
    sources.settings = plan.settings_of(run);
    read_run_config(sources);
  }
}

template <class Check>
void check_all_slips(const std::filesystem::path& file, Check check) {
  INFO(file.string());
  CHECK_NOTHROW(check(file));
  const auto whole = config::read_yaml(test::contents(file), file.filename().string());
  test::WorkFolder work;
  for (std::size_t number = 1;; ++number) {
    auto wanted = number;
    std::string slip;
    const auto mistaken = with_slip(whole, wanted, slip);
    if (slip.empty()) {
      CHECK(number > 5);
      return;
    }
    const auto path = work.path() / "mistaken.yaml";
    std::ofstream{path} << config::to_yaml(mistaken);
    INFO(slip);
    CHECK_THROWS_WITH(check(path), Catch::Contains(slip));
  }
}

} // namespace

TEST_CASE("a slip of the pen in any key of a shipped configuration is refused", "[M11]") {
  for (const auto& file : configurations_in(shipped_examples / "runs"))
    check_all_slips(file, check_run);
  for (const auto& file : configurations_in(shipped_examples / "grid"))
    check_all_slips(file, check_grid);
}
