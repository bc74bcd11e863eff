// What a run asks an extension of its configuration.
#include "extensions/stopping/finish_after.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/run_hooks.hpp"
#include "messages/wire/type_ids.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

struct CurfewOptions {
  double hours = 1;
  TROUPE_FIELDS(hours);
};

/// Of a test's own: registered as those of the library are.
const RegisterExtension curfew_kind{ExtensionOf<CurfewOptions>{
  .name = "curfew_of_a_test",
  .defaults = {.hours = 2},
  .spawn =
    [](const CurfewOptions&, const ExtensionContext& context) {
      return spawn_finish_after(context.system, "it is late");
    },
  .hooks = {
    .ends = [](const CurfewOptions& options,
               const ConfiguredExtension&) { return ExpectedEnd{.seconds = 3600 * options.hours}; },
    .defects
    = [](const CurfewOptions&, const ConfiguredExtension& self, const RunFacts& run) -> Sentences {
      if (run.workers < 2)
        return {};
      return {self.name + " is for one worker"};
    }},
}};

ConfiguredExtension curfew_with(const std::string& key, const std::string& value) {
  ConfiguredExtension extension;
  extension.name = "tonight";
  extension.type = "curfew_of_a_test";
  extension.options = config::Node::map();
  if (!key.empty())
    extension.options.put(key, config::Node::scalar(value));
  return extension;
}

} // namespace

TEST_CASE("a hook answers with the options of the extension's section and the kind's defaults",
          "[run_hooks]") {
  CHECK(hook_answer(curfew_with("", ""), &RunHooks<>::ends)->seconds == 7200);
  CHECK(hook_answer(curfew_with("hours", "3"), &RunHooks<>::ends)->seconds == 10800);
}

TEST_CASE("a hook is given the extension's name and the facts of the run", "[run_hooks]") {
  const auto tonight = curfew_with("", "");
  CHECK(hook_answer(tonight, &RunHooks<>::defects, RunFacts{.workers = 1})->empty());
  CHECK(hook_answer(tonight, &RunHooks<>::defects, RunFacts{.workers = 2})
        == Sentences{"tonight is for one worker"});
}

TEST_CASE(
  "an extension answers nothing without a hook, with unreadable options, or of an unknown kind",
  "[run_hooks]") {
  CHECK_FALSE(hook_answer(curfew_with("", ""), &RunHooks<>::best_state));
  CHECK_FALSE(hook_answer(curfew_with("hour", "3"), &RunHooks<>::ends));
  auto unknown = curfew_with("", "");
  unknown.type = "no_kind_of_a_test";
  CHECK_FALSE(hook_answer(unknown, &RunHooks<>::ends));
  CHECK(has_hook("curfew_of_a_test", &RunHooks<>::ends));
  CHECK_FALSE(has_hook("curfew_of_a_test", &RunHooks<>::saves_run));
}

TEST_CASE("the earlier of two ends is taken, and an unknown one changes nothing", "[run_hooks]") {
  ExpectedEnd end;
  end.take_earlier({.batches = 7, .seconds = 30});
  end.take_earlier({.batches = 9, .seconds = 20});
  end.take_earlier({});
  CHECK(end.batches == 7);
  CHECK(end.seconds == 20);
}

TEST_CASE("what follows the shared parameters is named by how they are shared", "[run_hooks]") {
  const std::vector<std::string> slots{"m", "v"};
  CHECK(WorkerSharing{}.parts(slots).empty());
  CHECK(WorkerSharing{.optimizer_state = true, .gradient = true}.parts(slots)
        == std::vector<std::string>{"m", "v", "gradient"});
}
