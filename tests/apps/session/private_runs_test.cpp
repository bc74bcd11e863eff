// The owner and the place of the files that a run writes.
#include "apps/catalog/extension_catalog.hpp"
#include "apps/session/remote_paths.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <set>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

const std::string one_epoch = "train -q training.epochs=1 " + small_digits;

/// Names of options whose default is a text, including those of nested sections.
void add_texts(const config::Node& section, std::set<std::string>& names) {
  for (const auto& [name, value] : section.entries())
    if (value.is_map())
      add_texts(value, names);
    else if (value.quoted())
      names.insert(name);
}

} // namespace

TEST_CASE("a run's files are private to the owner, and an export follows the umask",
          "[private_files]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(),
            "umask 0; \"$troupe\" " + one_epoch
              + ">/dev/null +extensions.statistics={} +extensions.tensorboard={} "
                "+extensions.best_model={} +extensions.samples={} +extensions.trace={} || exit 90; "
                "find runs -type d ! -perm 700; find runs -type f ! -perm 600; "
                "umask 027; \"$troupe\" export latest -o m.npz >/dev/null || exit 91; "
                "find m.npz -perm 640");
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK(ran.out == "m.npz\n");
}

TEST_CASE("a run writes no file through a link", "[private_files]") {
  WorkFolder work;
  for (const auto* name : {"console.log", "log.jsonl"}) {
    const auto ran
      = shell(work.path(), "rm -rf run; mkdir run; echo mine >precious; ln -s ../precious run/"
                             + std::string{name}
                             + "; \"$troupe\" train --folder run "
                               "training.epochs=1 "
                             + small_digits + "; echo $?; cat precious");
    INFO(ran.out << ran.error);
    if (std::string{name} == "log.jsonl") { // a log without a state is set aside
      CHECK_THAT(ran.out, Contains("\n0\nmine\n"));
    } else {
      CHECK(ran.out == "74\nmine\n");
      CHECK_THAT(ran.error, Contains("symbolic link, which is not followed; remove it"));
    }
  }
}

TEST_CASE("remote control writes in the run's folder only", "[P15]") {
  WorkFolder work;
  const auto ran = shell(
    work.path(),
    "\"$troupe\" train -q --control 127.0.0.1:0 --paused training.epochs=1 " + small_digits
      + " >result 2>errors & run=$!; trap 'kill -TERM $run' EXIT; "
        "for i in $(seq 600); do [ -e runs/latest/control.json ] && break; sleep 0.05; done; "
        "ctl() { \"$troupe\" ctl latest \"$@\"; echo $?; }; mkdir out; ln -s \"$PWD/out\" "
        "runs/latest/away; "
        "ctl attach checkpoint:a path=\"$PWD/out/a.bin\" after_epoch=true; "
        "ctl attach checkpoint:b path=../../../../out/a.bin after_epoch=true; "
        "ctl attach samples folder=away after_epoch=true; "
        "ctl attach best_model path=away/model.bin after_epoch=true; "
        "ctl attach load path=/etc; ctl save ../a.bin; ctl save away; "
        "ctl attach checkpoint:mine path=mine.bin after_epoch=true; "
        "ctl resume; wait $run; code=$?; trap - EXIT; ls out; ls runs/latest/mine.bin; exit $code");
  INFO(ran.out << ran.error << contents(work.path() / "errors"));
  CHECK(ran.code == 0);
  // cure: only use files in it: give a path like mine.bin, without .. and links
  CHECK_THAT(ran.out, Contains("runs/latest/mine.bin"));
  CHECK(std::filesystem::is_empty(work.path() / "out"));
  std::size_t refusals = 0;
  for (std::size_t at = 0;
       (at = ran.error.find("leads out of the run's folder", at)) != std::string::npos; ++at)
    ++refusals;
  CHECK(refusals == 5);
}

TEST_CASE("every text option of an extension is known to be a path or not", "[P15][names]") {
  const std::set<std::string> paths{"path", "folder", "save_to"};
  // Add a new option that is a path above and to remote_paths.cpp, any other one here.
  const std::set<std::string> others{
    "aggregation",  "choose",    "handle",      "model",   "name",       "nan",
    "notification", "of",        "on_deadline", "on_end",  "on_failure", "patience_record",
    "policy",       "prefix",    "reason",      "record",  "rule",       "scale",
    "section",      "separator", "setting",     "shows",   "staleness",  "start",
    "style",        "suffix",    "timeline",    "trainer", "workers"};
  std::set<std::string> names;
  for (const auto& type : extension_names())
    add_texts(extension_defaults(type, "test"), names);
  for (const auto& name : paths)
    CHECK(names_a_path(name));
  for (const auto& name : names) {
    INFO(name);
    CHECK(names_a_path(name) == (paths.count(name) > 0));
    CHECK((paths.count(name) + others.count(name)) == 1);
  }
}
