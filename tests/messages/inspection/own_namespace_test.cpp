// Messages of a program's own, in another namespace and with ids that begin where CAF advises.
#include "messages/inspection/inspect_fields.hpp"
#include "messages/wire/type_ids.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <limits>

namespace laboratory {

TROUPE_FIELDS_IN_NAMESPACE;

struct Reading {
  troupe::Step batch = 0;
  double value = 0;
  std::vector<float> history;
  TROUPE_FIELDS(batch, value, history);
};

using Scale = caf::typed_actor<caf::replies_to<Reading>::with<Reading>>;

} // namespace laboratory

CAF_BEGIN_TYPE_ID_BLOCK(laboratory, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(laboratory, (laboratory::Reading))
CAF_END_TYPE_ID_BLOCK(laboratory)

using namespace troupe;
using laboratory::Reading;

namespace {

laboratory::Scale::behavior_type doubles() {
  return {[](const Reading& reading) {
    return Reading{reading.batch, 2 * reading.value, reading.history};
  }};
}

} // namespace

TEST_CASE("a message in a namespace of its own is sent, printed and compared", "[own_namespace]") {
  caf::actor_system_config config;
  add_messages(config);
  config.add_message_types<caf::id_block::laboratory>();
  caf::actor_system system{config};
  const Reading reading{3, std::numeric_limits<double>::infinity(), {0.5f, -0.0f}};

  caf::binary_serializer::container_type bytes;
  caf::binary_serializer writer{system, bytes};
  CHECK_FALSE(writer(reading));
  Reading read;
  caf::binary_deserializer reader{system, bytes};
  CHECK_FALSE(reader(read));
  CHECK(read == reading);
  CHECK_FALSE(read == Reading{});
  CHECK(to_string(reading) == "(batch = 3, value = inf, history = [0.500000, -0.000000])");

  caf::scoped_actor self{system};
  Reading answer;
  self->request(system.spawn(doubles), caf::infinite, Reading{1, 2, {}})
    .receive([&](const Reading& doubled) { answer = doubled; }, [](const caf::error&) {});
  CHECK(answer == Reading{1, 4, {}});
}

TEST_CASE("Troupe's type ids leave those of a program free", "[own_namespace]") {
  STATIC_REQUIRE(caf::id_block::troupe::begin >= caf::first_custom_type_id + 20000);
  STATIC_REQUIRE(caf::id_block::laboratory::begin == caf::first_custom_type_id);
}
