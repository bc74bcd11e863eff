#include "extensions/monitoring/profile.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("the profile is printed after training", "[profile][B49]") {
  CHECK(triggers_of(profile_conditions()) == std::vector<std::string>{"after_training"});
  Stage stage{{.step_duration = 2, .epochs = 1}};
  const auto profile
    = stage.world.keep(spawn_profile(stage.world.system, stage.trainer, stage.logger));
  stage.observe("profile", profile_conditions(), profile);
  stage.run();
  CHECK(stage.world.ask<Drained>(profile, Drain{}));
  const auto texts = stage.heard->texts();
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts.front(), Catch::Contains("where the time went:\nrun ")
                              && Catch::Contains("  steps ") && Catch::Contains("100.0 %"));
}
