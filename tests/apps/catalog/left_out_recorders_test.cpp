#include "apps/catalog/extension_catalog.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

using namespace troupe;

namespace {

ConfiguredExtension extension_of(const std::string& type,
                                 const std::map<std::string, std::string>& options = {}) {
  auto section = config::Node::map();
  for (const auto& [key, value] : options)
    section.put(key, config::Node::scalar(value, "the test"));
  ConfiguredExtension extension;
  const auto errors = read_extension(type, section, extension);
  REQUIRE(errors.empty());
  return extension;
}

std::vector<std::string> names_without_recorders(std::vector<ConfiguredExtension> extensions) {
  leave_out_recorders(extensions);
  std::vector<std::string> names;
  for (const auto& extension : extensions)
    names.push_back(extension.name);
  return names;
}

} // namespace

TEST_CASE("a worker without files does without what records, prints or saves", "[extensions]") {
  const auto names = names_without_recorders(
    {extension_of("training_monitoring"), extension_of("timing"), extension_of("printing"),
     extension_of("stream_monitoring"), extension_of("checkpoint"), extension_of("nan_guard")});
  CHECK(names == std::vector<std::string>{"stream_monitoring", "nan_guard"});
}

TEST_CASE("a worker without files keeps what records if another extension needs a record",
          "[extensions]") {
  const auto names = names_without_recorders(
    {extension_of("training_monitoring"), extension_of("checkpoint"),
     extension_of("early_stopping", {{"record", "training_loss"}, {"epochs", "3"}})});
  CHECK(names == std::vector<std::string>{"training_monitoring", "early_stopping"});
}
