// A parameter holder's saved state, and damaged folders.
#include "actors/parameters/parameter_holder.hpp"
#include "apps/cluster/holder_files.hpp"
#include "messages/parameters/parameter_store.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/program.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>
#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A holder of one weight, to which worker 0 has pushed it.
SavedHolder holder_of(float weight) {
  ParameterStore store;
  Join join;
  join.layout.add("w", {1});
  const auto joined = store.join(join);
  REQUIRE(joined);
  const auto values = Block::copy_of(std::vector<float>{weight});
  REQUIRE(store.create_if_absent({0, values}));
  Push push;
  push.id = {0, joined->incarnation, 1};
  push.values = values;
  REQUIRE(store.exchange(push).answer);
  return store.save();
}

/// A holder in its own actor system, as in a process.
struct HolderOfProcess {
  explicit HolderOfProcess(const std::filesystem::path& folder) : files{folder} {}
  ~HolderOfProcess() { caf::anon_send_exit(holder, caf::exit_reason::user_shutdown); }

  bool restores() { return files.restore(self, holder).has_value(); }

  void keep(float value) {
    self->request(holder, caf::infinite, RestoreHolder{holder_of(value)})
      .receive([](const Joined&) {}, refuse);
    files.save(self, holder);
  }

  float kept() {
    float value = 0;
    self->request(holder, caf::infinite, Pull{0})
      .receive([&](const Parameters& pulled) { value = pulled.values.view()[0]; }, refuse);
    return value;
  }

  static void refuse(const caf::error& error) { FAIL(to_string(error)); }

  caf::actor_system_config config;
  caf::actor_system system{config};
  caf::scoped_actor self{system};
  ParameterHolder holder = spawn_parameter_holder(system);
  HolderFiles files;
};

void damage(const std::filesystem::path& file) {
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
}

} // namespace

TEST_CASE("a holder resumes from its saved state, and one without a folder saves nothing",
          "[restart][L1]") {
  const CapturedErrors errors;
  const WorkFolder work;
  HolderOfProcess{work.path()}.keep(3);
  HolderOfProcess again{work.path()};
  REQUIRE(again.restores());
  CHECK(again.kept() == 3);
  CHECK_THAT(errors.text(), Catch::Contains("parameter holder resumes from version 1"));
  HolderOfProcess{""}.keep(3);
  CHECK_FALSE(HolderOfProcess{""}.restores());
}

TEST_CASE("a holder with a damaged newest state resumes from the previous one, with a warning",
          "[restart][L1]") {
  const CapturedErrors errors;
  const WorkFolder work;
  HolderOfProcess{work.path()}.keep(3);
  HolderOfProcess{work.path()}.keep(4);
  damage(work.path() / "holder.bin");
  HolderOfProcess again{work.path()};
  REQUIRE(again.restores());
  CHECK(again.kept() == 3);
  CHECK_THAT(errors.text(),
             Catch::Contains("is damaged") && Catch::Contains("the previous state is used"));
}

TEST_CASE("if all states of a holder are damaged, it is refused with the cure", "[restart][L1]") {
  const WorkFolder work;
  HolderOfProcess{work.path()}.keep(3);
  damage(work.path() / "holder.bin");
  HolderOfProcess again{work.path()};
  CHECK_THROWS_WITH(again.restores(), Catch::Contains("move it away"));
  std::filesystem::remove(work.path() / "holder.bin");
  CHECK_FALSE(again.restores());
}

TEST_CASE("a failed save of a holder is reported to the caller", "[restart]") {
  const CapturedErrors errors;
  const WorkFolder work;
  HolderOfProcess one{work.path()};
  one.keep(3);
  CHECK(one.files.save(one.self, one.holder)); // nothing is new
  std::filesystem::remove_all(work.path());
  one.self->request(one.holder, caf::infinite, RestoreHolder{holder_of(4)})
    .receive([](const Joined&) {}, HolderOfProcess::refuse);
  HolderFiles files{work.path()};
  CHECK_FALSE(files.save(one.self, one.holder));
  CHECK_THAT(errors.text(), Catch::Contains("the parameter holder's state was not saved"));
  caf::anon_send_exit(one.holder, caf::exit_reason::user_shutdown);
  CHECK_FALSE(files.save(one.self, one.holder));
  CHECK_THAT(errors.text(), Catch::Contains("it did not answer"));
}
