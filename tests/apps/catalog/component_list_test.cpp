#include "apps/catalog/component_list.hpp"
#include "apps/catalog/components.hpp"
#include "apps/catalog/extension_catalog.hpp"
#include "model/layers/layer_kind.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

std::vector<std::string> listed_names(const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& component : listed_components())
    if (component.kind == kind)
      names.push_back(component.name);
  return names;
}

ListedComponent listed_one(const std::string& kind, const std::string& name) {
  for (auto& component : listed_components())
    if (component.kind == kind && component.name == name)
      return component;
  throw std::runtime_error("no " + kind + " " + name + " is listed");
}

} // namespace

TEST_CASE("the list has every component that a configuration can name, of every kind",
          "[components]") {
  CHECK(listed_names("problem") == problem_names());
  CHECK(listed_names("model") == model_names());
  CHECK(listed_names("optimizer") == optimizer_names());
  CHECK(listed_names("extension") == extension_names());
  CHECK(listed_names("layer") == layer_kinds().names());
  std::set<std::string> kinds;
  for (const auto& component : listed_components())
    kinds.insert(component.kind);
  CHECK(kinds == std::set<std::string>(listed_kinds().begin(), listed_kinds().end()));
}

TEST_CASE("listed options are the defaults of a configuration", "[components]") {
  for (const auto& name : optimizer_names()) {
    auto defaults = optimizer_defaults(name, "test");
    defaults.erase("name");
    defaults.erase("scales");
    CHECK(listed_one("optimizer", name).options == defaults);
  }
}

TEST_CASE("every layer can be made with its listed options", "[components]") {
  const LayerData data{[] {
                         return Shape{any_size, 10};
                       },
                       [] { return Index{5}; }, [] { return Index{2}; }};
  std::size_t with_options = 0;
  for (const auto& name : layer_kinds().names()) {
    const auto options = listed_one("layer", name).options;
    if (options.entries().empty())
      continue;
    ++with_options;
    CHECK(layer_kinds().find(name)->make(options, "layers", data) != nullptr);
  }
  CHECK(with_options > 5);
}

TEST_CASE("a listed extension says when it is called, what it writes and what it needs",
          "[components]") {
  const auto norms = listed_one("extension", "norms").extension;
  CHECK(norms.triggers == std::vector<std::string>{"every_n_batches: each(100 batches)"});
  CHECK(std::count(norms.writes.begin(), norms.writes.end(), "gradient_norm") == 1);
  const auto early_stopping = listed_one("extension", "early_stopping").extension;
  CHECK(early_stopping.gate);
  CHECK(early_stopping.needs == std::vector<std::string>{"validation_loss"});
}

TEST_CASE("the list as JSON has numbers, switches and lists where YAML has them", "[components]") {
  const auto json = nlohmann::json::parse(
    components_json({listed_one("optimizer", "sgd"), listed_one("model", "mlp"),
                     listed_one("extension", "norms")}));
  CHECK(json[0]["options"]["nesterov"] == false);
  CHECK(json[0]["options"]["learning_rate"] == 0.01);
  CHECK_FALSE(json[0].contains("triggers"));
  CHECK(json[1]["options"]["hidden"] == nlohmann::json::parse("[256]"));
  CHECK(json[1]["options"]["input"] == "");
  CHECK(json[2]["workers"] == "main");
}

TEST_CASE("troupe components prints names, the options of one, and the nearest to an unknown one",
          "[components]") {
  const WorkFolder folder;
  CHECK_THAT(troupe_program(folder.path(), "components").out,
             Contains("optimizer    adadelta, adagrad, adam") && Contains("extension "));
  CHECK_THAT(troupe_program(folder.path(), "components optimizer adam").out,
             Contains("learning_rate: 0.001\n"));
  const auto refused = troupe_program(folder.path(), "components optimizer adm");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.error, Contains("there is no optimizer 'adm'; did you mean 'adam'?"));
}
