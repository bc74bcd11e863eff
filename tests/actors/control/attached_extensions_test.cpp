#include "actors/control/attached_extensions.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "tests/support/deterministic_system.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

AttachedExtension extension_called(const std::string& name, std::size_t trainer = 0) {
  AttachedExtension extension;
  extension.name = name;
  extension.trainer = trainer;
  return extension;
}

} // namespace

TEST_CASE("an extension is detached from all trainers that have it", "[attached_extensions]") {
  const AttachedExtensions extensions{
    {extension_called("a", 0), extension_called("b", 0), extension_called("a", 1)}, {}};
  const auto found = extensions.to_detach("a");
  REQUIRE(found.size() == 2);
  CHECK(found[1].trainer == 1);
  CHECK_THROWS_WITH(extensions.to_detach("c"), Contains("there are: a, b, a"));
  CHECK_THROWS_WITH(AttachedExtensions{}.to_detach("c"), Contains("there are: none"));
}

TEST_CASE("an extension that shares parameters stays", "[attached_extensions]") {
  auto sync = extension_called("sync");
  sync.shares = true;
  const AttachedExtensions extensions{{sync}, {}};
  CHECK_THROWS_WITH(extensions.to_detach("sync"), Contains("cannot be detached"));
}

TEST_CASE("a name is given once", "[attached_extensions]") {
  const AttachedExtensions extensions{{extension_called("stop")}, {}};
  CHECK_NOTHROW(extensions.check_new("stop2", "early_stopping"));
  CHECK_THROWS_WITH(extensions.check_new("stop", "early_stopping"),
                    Contains("attach early_stopping:another"));
}

TEST_CASE("the name of an extension whose actor has ended is free again", "[attached_extensions]") {
  DeterministicSystem world;
  AttachedExtensions extensions;
  for (const auto* name : {"stop", "go"}) {
    auto extension = extension_called(name);
    extension.actor = world.keep(spawn_finish_after(world.system, name));
    extensions.add(extension);
  }
  extensions.ended(extensions.all().front().actor.address());
  CHECK_NOTHROW(extensions.check_new("stop", "finish_after"));
  CHECK_THROWS(extensions.check_new("go", "finish_after"));
  CHECK(extensions.saved().empty()); // a resumed run has what its configuration says
}

TEST_CASE("what was attached and what of the configuration was detached is saved",
          "[attached_extensions]") {
  AttachedExtensions extensions{{extension_called("configured")}, {"gone before"}};
  auto attached = extension_called("mine");
  attached.definition = "timer\nevery=5";
  extensions.add(attached);
  CHECK(extensions.saved()
        == SavedFields{{"attached.mine", Value{"timer\nevery=5"}},
                       {"detached.gone before", Value{true}}});
  extensions.remove(extension_called("configured")); // all of these have the null actor
  CHECK(extensions.all().empty());
  CHECK(extensions.saved().count("detached.configured") == 1);
}
