#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe::test;

namespace {

/// A grid of four runs, and words for a shell: `begin ARGUMENTS` starts it with a listener and
/// waits until that is open, `join ARGUMENTS` is a node on two processors.
const std::string nodes_script = R"sh(
cat >tiny.yaml <<END
tasks: [{overwrite: {model: {hidden: []}}}, {overwrite: {model: {hidden: [8]}}}]
grid_overwrite: {problem: {train: 2000, validation: 50, test: 50}, training: {epochs: 40}}
repetitions: 2
seed: 3
END
begin() {
  "$troupe" grid train tiny.yaml --listen 127.0.0.1:0 --port-file port --insecure "$@" \
    >grid.out 2>grid.err &
  for _ in $(seq 200); do [ -s port ] && break; sleep 0.05; done
}
join() { "$troupe" grid node --connect "127.0.0.1:$(cat port)" --insecure "$@";
}
)sh";

} // namespace

TEST_CASE("a grid trained by two nodes has the same runs as a local one", "[M47]") {
  WorkFolder work;
  const auto isolate = GENERATE(std::string{"false"}, std::string{"true"});
  const auto here
    = shell(work.path(), nodes_script + "\"$troupe\" grid train tiny.yaml folder=here");
  REQUIRE(here.code == 0);
  const auto ran
    = shell(work.path(), nodes_script + "begin isolate=" + isolate + R"sh( local=false folder=there
grid=$!; kill -STOP $grid # else one node may have done all before the other has come
join >/dev/null 2>one & one=$!
join >/dev/null 2>two & two=$!
knocks() { grep -c " 0100007F:$(printf %04X "$(cat port)") 01 " /proc/net/tcp; }
for _ in $(seq 600); do [ "$(knocks)" -ge 2 ] && break; sleep 0.05; done
kill -CONT $grid
wait $two; echo "two $?"
wait $one; echo "one $?"
wait; cat grid.out grid.err)sh");
  INFO("isolate " << isolate << ran.out + ran.error);
  CHECK(ran.out.find("two 0\none 0\n" + here.out) == 0);
  CHECK(ran.out.find("4 runs done, 0 failed, 0 left") != std::string::npos);
  const auto journal = contents(work.path() / "there/journal");
  CHECK(journal.find("\"node\":\"") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(work.path() / "there/nodes"));
  const auto result = contents(work.path() / "there/trial-0001-rep-1/result.json");
  CHECK(json_text(result, "run") == "there/trial-0001-rep-1");
}

TEST_CASE("a node without the grid's folder or token is refused with a message", "[M47]") {
  WorkFolder work;
  const auto ran = shell(work.path(), nodes_script + R"sh(export TROUPE_TOKEN=ours
begin local=false
mkdir other
join --folder other; echo "folder $?"
TROUPE_TOKEN=theirs join; echo "token $?"
"$troupe" grid node --connect "127.0.0.1:$(cat port)"; echo "trust $?"
kill -INT $!; wait; cat grid.err)sh");
  INFO(ran.out + ran.error);
  CHECK(ran.out.find("folder 78") != std::string::npos);
  CHECK(ran.error.find("does not see the folder of the grid") != std::string::npos);
  CHECK(ran.out.find("token 78") != std::string::npos);
  CHECK(ran.error.find("belongs to another cluster") != std::string::npos);
  CHECK(ran.out.find("trust 78") != std::string::npos);
  CHECK(ran.out.find("refused: node") != std::string::npos);
}

TEST_CASE("a grid without a place to train and a node without a grid are refused", "[M47]") {
  WorkFolder work;
  const auto no_workers
    = shell(work.path(), nodes_script + "\"$troupe\" grid train tiny.yaml local=false");
  CHECK(no_workers.code == 78);
  CHECK(no_workers.error.find("no run could be trained") != std::string::npos);
  const auto nowhere
    = shell(work.path(), nodes_script + "\"$troupe\" grid train tiny.yaml --listen here");
  CHECK(nowhere.code == 78);
  CHECK(nowhere.error.find("the address to listen on: 'here' is no address") != std::string::npos);
  const auto alone = shell(
    work.path(),
    "\"$troupe\" grid node --connect 127.0.0.1:1 --insecure --join-deadline 0.5 --at-once 1");
  CHECK(alone.code == 69);
  CHECK(alone.error.find("could not be reached") != std::string::npos);
}

TEST_CASE("a node loads only the plugins that its own command line or environment names",
          "[plugins]") {
  WorkFolder work;
  const auto ran = shell(work.path(), nodes_script + "plugin=" TROUPE_TEST_PLUGIN R"sh(
begin local=false "+grid_overwrite.plugins=[$plugin]"
join 2>refused.err; echo "unnamed $?"
join --plugins ./libother.so 2>other.err; echo "other $?"
join --plugins "$plugin" --at-once 1 2>node.err; echo "named $?"
wait; cat grid.err; rm port
begin local=false "+grid_overwrite.plugins=[$plugin]" folder=again isolate=true
TROUPE_PLUGINS="$plugin" join 2>node.err; echo "environment $?"
wait; cat grid.err; cat refused.err other.err)sh");
  INFO(ran.out + ran.error);
  CHECK(ran.out.find("unnamed 78\nother 78\nnamed 0\n") == 0);
  CHECK(ran.out.find("4 runs done, 0 failed, 0 left") != std::string::npos);
  CHECK(ran.out.find("environment 0\n") != std::string::npos);
  CHECK(
    ran.out.find("which this process was not told to load; if you trust it, start the node with "
                 "--plugins " TROUPE_TEST_PLUGIN)
    != std::string::npos);
}
