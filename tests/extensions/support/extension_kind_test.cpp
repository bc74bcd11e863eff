#include "base/exit_codes.hpp"
#include "extensions/stopping/finish_after.hpp"
#include "extensions/support/extension_kind.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/deterministic_system.hpp"

#include <stdexcept>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

struct AppointmentOptions {
  std::string place = "the hall";
  int hour = 9;
  TROUPE_FIELDS(place, hour);
};

void check(const AppointmentOptions& options) {
  if (options.hour > 23)
    throw std::invalid_argument("hour is " + std::to_string(options.hour) + "; give at most 23");
}

/// Of a test's own: registered as those of the library are.
const RegisterExtension appointment_kind{ExtensionOf<AppointmentOptions>{
  .name = "appointment_of_a_test",
  .gate = true,
  .defaults = {.hour = 10},
  .conditions = [] { return Conditions{}.set_trigger("after_epoch", true); },
  .spawn =
    [](const AppointmentOptions& options, const ExtensionContext& context) {
      return spawn_finish_after(context.system, options.place);
    },
  .writes = {"appointment"},
  .place = [](const AppointmentOptions& options,
              OrderedExtension& place) { place.needs = {options.place}; },
}};

const ExtensionKind& appointment() {
  const auto* kind = extension_kinds().find("appointment_of_a_test");
  REQUIRE(kind != nullptr);
  return *kind;
}

config::Node section_with(const std::string& key, const std::string& value) {
  auto section = config::Node::map();
  section.put(key, config::Node::scalar(value));
  return section;
}

} // namespace

TEST_CASE("an extension registered in a file of its own is known by its name", "[extension_kind]") {
  CHECK(appointment().gate);
  CHECK(appointment().workers == "main");
  CHECK(appointment().conditions().all().size() == 1);
  CHECK(appointment().shows({}, "") == Shows::nothing);
}

TEST_CASE("the defaults of an extension's section are those of its kind", "[extension_kind]") {
  const auto defaults = appointment().defaults();
  CHECK(defaults.find("hour")->text() == "10");
  CHECK(defaults.find("place")->text() == "the hall");
}

TEST_CASE("an extension's options are refused by its own check and where they cannot be read",
          "[extension_kind]") {
  CHECK_NOTHROW(appointment().check(section_with("hour", "23"), "extensions.x"));
  CHECK_THROWS_WITH(appointment().check(section_with("hour", "24"), "extensions.x"),
                    Contains("give at most 23"));
  CHECK_THROWS_WITH(appointment().check(section_with("hours", "24"), "extensions.x"),
                    Contains("unknown key 'hours' in extensions.x"));
}

TEST_CASE("an extension's place says what it always writes and what its options add",
          "[extension_kind]") {
  OrderedExtension place;
  appointment().place(section_with("place", "noon"), "", place);
  CHECK(place.writes == std::vector<std::string>{"appointment"});
  CHECK(place.needs == std::vector<std::string>{"noon"});
}

TEST_CASE("an extension is spawned with the options of its section", "[extension_kind]") {
  DeterministicSystem world;
  const auto gate = appointment().spawn(section_with("place", "noon has come"), "",
                                        ExtensionContext{world.system});
  const auto answer = world.ask<GateAnswer>(world.keep(gate), AskGate{});
  REQUIRE(answer);
  CHECK(answer->reason == "noon has come");
}

TEST_CASE("each extension of the library is registered once", "[extension_kind]") {
  CHECK(extension_kinds().repeated().empty());
  for (const auto* name : {"checkpoint", "early_stopping", "norms", "shared_params_auto_sync"})
    CHECK(extension_kinds().find(name) != nullptr);
}
