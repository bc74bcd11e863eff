#include "apps/config/plugins.hpp"
#include "apps/config/yaml.hpp"
#include "base/exit_codes.hpp"
#include "base/files/durable_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

const std::string few = "training.epochs=1 training.seed=3 model.hidden=[4] ";

PluginStamp stamp_of(const char* version, const char* compiler) {
  auto stamp = own_plugin_stamp();
  stamp.version = {};
  stamp.compiler = {};
  std::strcpy(stamp.version.data(), version);
  std::strcpy(stamp.compiler.data(), compiler);
  return stamp;
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

std::string bytes_of(const PluginStamp& stamp) {
  return "in front of it " + std::string{reinterpret_cast<const char*>(&stamp), sizeof stamp}
         + " and behind it";
}

/// What the program says of a plugin that it refuses.
std::string refusal(const WorkFolder& work, const std::string& plugins) {
  const auto ran = troupe_program(work.path(), "train -q --json " + few + plugins);
  CHECK(ran.code == static_cast<int>(ExitCode::configuration));
  CHECK(!std::filesystem::exists(work.path() / "runs"));
  return ran.error;
}

} // namespace

TEST_CASE("a plugin's extension, problem and loss are known by name", "[plugins]") {
  const WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train -q --json " + few
                                    + "plugins=[" TROUPE_TEST_PLUGIN
                                      "] problem.name=plugin_digits model.loss=plugin_loss "
                                      "extensions.counted.record=mine");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto log = contents(work.path() / json_text(ran.out, "run") / "log.jsonl");
  CHECK_THAT(log, Contains("\"mine\":1"));
}

TEST_CASE("a relative path of a plugin counts from the folder of the file that names it",
          "[plugins]") {
  const WorkFolder work;
  std::filesystem::create_directory(work.path() / "sub");
  std::filesystem::copy_file(TROUPE_TEST_PLUGIN, work.path() / "sub" / "libown.so");
  write_bytes(work.path() / "sub" / "run.yaml",
              "plugins: [./libown.so]\nproblem: {name: plugin_digits}\n");
  const auto ran = troupe_program(work.path(), "train -q --json sub/run.yaml " + few);
  INFO(ran.error);
  CHECK(ran.code == 0);
}

TEST_CASE("a run that is resumed loads its plugins again, and so does what measures it",
          "[plugins]") {
  const WorkFolder work;
  const auto run = [&](const std::string& arguments) {
    const auto ran = troupe_program(work.path(), arguments);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return ran.out;
  };
  std::filesystem::copy_file(TROUPE_TEST_PLUGIN, work.path() / "libown.so");
  const auto first = json_text(run("train -q --json " + few
                                   + "plugins=[libown.so] problem.name=plugin_digits "
                                     "extensions.counted.record=mine"),
                               "run");
  const auto second
    = json_text(run("train -q --json --resume " + first + " training.epochs=2"), "run");
  CHECK_THAT(contents(work.path() / second / "log.jsonl"), Contains("\"mine\":2"));
  run("test " + second);
}

TEST_CASE("a plugin that is missing, or is no plugin, is refused before a run begins",
          "[plugins]") {
  const WorkFolder work;
  CHECK_THAT(refusal(work, "plugins=[./libnone.so]"),
             Contains("libnone.so'") && Contains("where there is no file; build it"));
  write_bytes(work.path() / "libtext.so", "not even a shared object");
  CHECK_THAT(refusal(work, "plugins=[libtext.so]"),
             Contains("which is no plugin of troupe") && Contains("TROUPE_PLUGIN"));
  CHECK_THAT(refusal(work, "plugins=[.]"), Contains("which cannot be read"));
  CHECK_THAT(refusal(work, "plugins=libtext.so"),
             Contains("plugins is 'libtext.so'") && Contains("give a list"));
  CHECK_THAT(refusal(work, "'plugins=[{a: 1}]'"), Contains("plugins lists a map"));
}

TEST_CASE("a plugin of another version or compiler is refused before any of its code runs",
          "[plugins]") {
  const WorkFolder work;
  write_bytes(work.path() / "libold.so",
              bytes_of(stamp_of("0.0.1", own_plugin_stamp().compiler.data())));
  CHECK_THAT(refusal(work, "plugins=[libold.so]"),
             Contains("which was built for troupe 0.0.1 by") && Contains("this is troupe"));
  write_bytes(work.path() / "libother.so",
              bytes_of(stamp_of(own_plugin_stamp().version.data(), "icc 7")));
  CHECK_THAT(refusal(work, "plugins=[libother.so]"), Contains("by icc 7"));
  // cure: : build the plugin again, with this one's headers and compiler
  const auto built
    = troupe_program(work.path(), "train -q " + few + "plugins=[" TROUPE_TEST_PLUGIN "]");
  CHECK(built.code == 0);
}

TEST_CASE("a plugin that fits but cannot be loaded is refused with the loader's reason",
          "[plugins]") {
  const WorkFolder work;
  write_bytes(work.path() / "libdamaged.so", bytes_of(own_plugin_stamp()));
  CHECK_THAT(refusal(work, "plugins=[libdamaged.so]"), Contains("which cannot be loaded: "));
}

TEST_CASE("a plugin that is cut short is refused, and does not end the program", "[plugins]") {
  const WorkFolder work;
  const auto whole = contents(TROUPE_TEST_PLUGIN);
  const auto own = own_plugin_stamp();
  const auto stamp = whole.find(std::string{own.mark.data(), own.mark.size()});
  REQUIRE(stamp != std::string::npos);
  write_file(work.path() / "libcut.so", whole.substr(0, stamp + sizeof own));
  CHECK_THAT(refusal(work, "plugins=[libcut.so]"), Contains("which is cut short"));
  // cure: , which is cut short; copy or build it again
  write_file(work.path() / "libcut.so", whole);
  CHECK(troupe_program(work.path(), "train -q " + few + "plugins=[libcut.so]").code == 0);
}

TEST_CASE("a plugin that registers a name that there is already is refused", "[plugins]") {
  const WorkFolder work;
  for (const auto* name : {"a.so", "b.so"})
    std::filesystem::copy_file(TROUPE_TEST_PLUGIN, work.path() / name);
  CHECK_THAT(refusal(work, "plugins=[a.so,b.so]"),
             Contains("b.so'") && Contains("which registers 'counted'"));
  // cure: name that there is already; give it another one, and link the plugin to troupe::plugin,
  // not to the libraries of troupe, which the program has
  CHECK(troupe_program(work.path(), "train -q " + few + "plugins=[a.so]").code == 0);
}

TEST_CASE("all plugins that cannot be loaded are named at once", "[plugins]") {
  const WorkFolder work;
  CHECK_THAT(refusal(work, "plugins=[one.so,two.so]"), Contains("one.so'") && Contains("two.so'"));
}

TEST_CASE("relative paths of plugins become absolute, and what is no path stays", "[plugins]") {
  auto tree = config::read_yaml("plugins: [./a.so, /b/c.so, {d: 1}]", "run.yaml");
  settle_plugin_paths(tree, "/home/me/runs");
  const auto& plugins = tree.find("plugins")->items();
  CHECK(plugins[0].text() == "/home/me/runs/a.so");
  CHECK(plugins[0].source() == "run.yaml:1:11");
  CHECK(plugins[1].text() == "/b/c.so");
  CHECK(plugins[2].is_map());
}

TEST_CASE("a stamp differs in its version or in its compiler", "[plugins]") {
  const auto own = stamp_of("1.2", "g++ 12");
  CHECK(stamp_defect(own, own).empty());
  CHECK_THAT(stamp_defect(stamp_of("1.1", "g++ 12"), own), Contains("for troupe 1.1 by g++ 12"));
  CHECK_THAT(stamp_defect(stamp_of("1.2", "clang 14"), own),
             Contains("for troupe 1.2 by clang 14"));
}

TEST_CASE("a process that was told which plugins it may load refuses others", "[plugins]") {
  const WorkFolder work;
  const auto train = "\"$troupe\" train -q --json " + few + "plugins=[" TROUPE_TEST_PLUGIN "]";
  const auto none = shell(work.path(), "TROUPE_PLUGINS= " + train);
  CHECK(none.code == static_cast<int>(ExitCode::configuration));
  CHECK_THAT(none.error, Contains("which this process was not told to load")
                           && Contains("--plugins " TROUPE_TEST_PLUGIN));
  CHECK(!std::filesystem::exists(work.path() / "runs"));
  CHECK(shell(work.path(), "TROUPE_PLUGINS=./libother.so:" TROUPE_TEST_PLUGIN " " + train).code
        == 0);
}
