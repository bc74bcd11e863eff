#include "apps/config/files.hpp"
#include "apps/config/yaml.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>
#include <stdlib.h>

#include <fstream>

using namespace troupe;
using namespace troupe::config;
namespace fs = std::filesystem;

namespace {

/// A folder of files, removed at the end of the test.
struct Files {
  fs::path path = make();
  ~Files() { fs::remove_all(path); }

  static fs::path make() {
    auto name = (fs::temp_directory_path() / "troupe_yaml_XXXXXX").string();
    return mkdtemp(name.data());
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories((path / name).parent_path());
    std::ofstream{path / name} << text;
  }
  Node load(const std::vector<std::string>& names) const {
    std::vector<fs::path> paths;
    for (const auto& name : names)
      paths.push_back(path / name);
    return read_files(paths);
  }
};

} // namespace

TEST_CASE("a file overrides its own defaults, and a later file an earlier one",
          "[config_files][M5]") {
  Files files;
  files.put("a.yaml", "default_configs: c.yaml, d.yaml\na: a\n");
  files.put("b.yaml", "a: b\nb: b\n");
  files.put("c.yaml", "default_configs: [e.yaml]\na: c\nb: c\nc: c\nd: c\n");
  files.put("d.yaml", "d: d\n");
  files.put("e.yaml", "b: e\nc: e\ne: e\n");
  CHECK(files.load({"a.yaml"}) == test::read("b: c\nc: c\ne: e\na: a\nd: d"));
  CHECK(files.load({"a.yaml", "b.yaml"}).find("a")->text() == "b");
  CHECK(files.load({"b.yaml", "a.yaml"}).find("a")->text() == "a");
  CHECK(files.load({"a.yaml", "b.yaml", "a.yaml"}).find("a")->text() == "a");
}

TEST_CASE("a base that two files share lies below both", "[config_files][M5]") {
  Files files;
  files.put("a.yaml", "default_configs: base.yaml\nx: a\n");
  files.put("b.yaml", "default_configs: base.yaml\ny: b\n");
  files.put("base.yaml", "x: base\ny: base\n");
  CHECK(files.load({"a.yaml", "b.yaml"}) == test::read("x: a\ny: b"));
  CHECK(files.load({"b.yaml", "a.yaml"}) == test::read("x: a\ny: b"));
}

TEST_CASE("a cycle of files ends where it began", "[config_files][M5]") {
  Files files;
  files.put("a.yaml", "default_configs: b.yaml\nx: a\n");
  files.put("b.yaml", "default_configs: ./a.yaml\nx: b\ny: b\n");
  CHECK(files.load({"a.yaml"}) == test::read("x: a\ny: b"));
  files.put("self.yaml", "default_configs: self.yaml\nx: 1\n");
  CHECK(files.load({"self.yaml"}) == test::read("x: 1"));
}

TEST_CASE("default files are relative to the file that names them", "[config_files][M5][M6]") {
  Files files;
  files.put("sub/run.yaml", "default_configs: base.yaml, ../my files/top.yaml\nx: 1\n");
  files.put("sub/base.yaml", "y: 2\n");
  files.put("my files/top.yaml", "z: 3\n");
  CHECK(files.load({"sub/run.yaml"}) == test::read("y: 2\nz: 3\nx: 1"));
}

TEST_CASE("a missing default file is named with the place that names it",
          "[config_files][M5][M6]") {
  Files files;
  files.put("run.yaml", "x: 1\ndefault_configs: base.yaml\n");
  const auto run = (files.path / "run.yaml").string(), base = (files.path / "base.yaml").string();
  CHECK_THROWS_WITH(files.load({"run.yaml"}), "the configuration file '" + base
                                                + "' cannot be read: No such file or directory "
                                                + "(named by default_configs, " + run + ":2:1)");
}

TEST_CASE("default_configs that are no names are refused", "[config_files][M5]") {
  Files files;
  files.put("map.yaml", "default_configs: {a: b}\n");
  files.put("list.yaml", "default_configs: [[a]]\n");
  CHECK_THROWS_WITH(files.load({"map.yaml"}), Catch::Contains("default_configs is a map"));
  CHECK_THROWS_WITH(files.load({"list.yaml"}), Catch::Contains("default_configs is a list"));
  files.put("empty.yaml", "default_configs:\nx: 1\n");
  CHECK(files.load({"empty.yaml"}) == test::read("x: 1"));
}

TEST_CASE("missing and broken files are all reported, and nothing is created",
          "[config_files][M6]") {
  Files files;
  files.put("broken.yaml", "a: [1\n");
  files.put("folder/x", "");
  try {
    files.load({"absent.yaml", "broken.yaml", "folder"});
    FAIL("nothing was thrown");
  } catch (const ConfigError& error) {
    REQUIRE(error.sentences().size() == 3);
    CHECK_THAT(error.sentences()[0], Catch::Contains("absent.yaml' cannot be read: No such file"));
    CHECK_THAT(error.sentences()[1], Catch::Contains("broken.yaml:"));
    CHECK_THAT(error.sentences()[2], Catch::Contains("it is a folder"));
    CHECK(error.code() == ExitCode::configuration);
  }
  CHECK(std::distance(fs::directory_iterator{files.path}, fs::directory_iterator{}) == 2);
}

TEST_CASE("two files that give one key a map and a value are both named",
          "[config_files][M1][M5]") {
  Files files;
  files.put("a.yaml", "x: {y: 1}\n");
  files.put("b.yaml", "x: 1\n");
  CHECK_THROWS_WITH(files.load({"a.yaml", "b.yaml"}),
                    Catch::Contains("a.yaml:1:1") && Catch::Contains("b.yaml:1:1"));
}
