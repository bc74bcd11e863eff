// The shipped configurations, also with a typo in each of their keys.
#include "apps/config/print.hpp"
#include "apps/config/yaml.hpp"
#include "apps/grid/plan.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/run_problem.hpp"
#include "tests/support/program.hpp"

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

/// `node` with one letter added to the key with index `wanted`, in writing order.
/// @param wanted counts down; 0 once the key was found
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

/// Does everything that the program does before it makes a folder.
void read_all(const ConfigSources& sources) {
  const auto run = read_run_config(sources);
  model_of(run, *problem_of(run));
}

void put_run_together(const std::filesystem::path& file) {
  ConfigSources sources;
  sources.files = {file};
  read_all(sources);
}

void put_grid_together(const std::filesystem::path& file) {
  const GridPlan plan{read_grid(file, {}), 1};
  for (RunNumber run = 1; run <= plan.trials().size(); ++run) {
    ConfigSources sources;
    sources.settings = plan.settings_of(run);
    read_all(sources);
  }
}

/// The example's own data, in place of the user's.
void write_example(const std::filesystem::path& path, const Node& tree) {
  std::ofstream table{path.parent_path() / "table.csv"};
  for (int row = 0; row < 20; ++row)
    table << row << "," << row % 3 << "," << row % 2 << "\n";
  auto text = config::to_yaml(tree);
  const std::string asked_for = "banknote_authentication.csv";
  if (const auto at = text.find(asked_for); at != std::string::npos)
    text.replace(at, asked_for.size(), (path.parent_path() / "table.csv").string());
  std::ofstream{path} << text;
}

template <class PutTogether>
void check_all_slips(const std::filesystem::path& file, PutTogether put) {
  INFO(file.string());
  const auto whole = config::read_yaml(test::contents(file), file.filename().string());
  test::WorkFolder work;
  const auto path = work.path() / "example.yaml";
  write_example(path, whole);
  CHECK_NOTHROW(put(path));
  for (std::size_t number = 1;; ++number) {
    auto wanted = number;
    std::string slip;
    const auto mistaken = with_slip(whole, wanted, slip);
    if (slip.empty()) {
      CHECK(number > 5);
      return;
    }
    write_example(path, mistaken);
    INFO(slip);
    if (slip == "trainerq") // the other keys of a trainer are reported first
      CHECK_THROWS_WITH(put(path), Catch::Contains("belongs to a trainer"));
    else
      CHECK_THROWS_WITH(put(path), Catch::Contains(slip.substr(slip.rfind('.') + 1)));
  }
}

} // namespace

TEST_CASE("a typo in any key of a shipped configuration is refused", "[M11]") {
  for (const auto& file : configurations_in(shipped_examples / "runs"))
    check_all_slips(file, put_run_together);
  for (const auto& file : configurations_in(shipped_examples / "grid"))
    check_all_slips(file, put_grid_together);
}
