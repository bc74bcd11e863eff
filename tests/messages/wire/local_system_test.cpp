#include "base/exit_codes.hpp"
#include "messages/inspection/inspect_fields.hpp"
#include "messages/wire/local_system.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

namespace a_program {

TROUPE_FIELDS_IN_NAMESPACE;

struct Add {
  int number = 0;
  TROUPE_FIELDS(number);
};
struct GetSum {
  TROUPE_FIELDS();
};
struct Sum {
  int of_all = 0;
  TROUPE_FIELDS(of_all);
};
using Adder = caf::typed_actor<caf::reacts_to<Add>, caf::replies_to<GetSum>::with<Sum>>;

} // namespace a_program

CAF_BEGIN_TYPE_ID_BLOCK(a_program, caf::first_custom_type_id + 100) // others have the first
  CAF_ADD_TYPE_ID(a_program, (a_program::Add))
  CAF_ADD_TYPE_ID(a_program, (a_program::GetSum))
  CAF_ADD_TYPE_ID(a_program, (a_program::Sum))
CAF_END_TYPE_ID_BLOCK(a_program)

using namespace troupe;

namespace {

a_program::Adder::behavior_type adder(a_program::Adder::stateful_pointer<a_program::Sum> self) {
  return {[self](const a_program::Add& add) { self->state.of_all += add.number; },
          [self](const a_program::GetSum&) -> caf::result<a_program::Sum> {
            if (self->state.of_all < 0)
              return fail(Error::invalid_options, "the sum is negative; add positive numbers");
            return self->state;
          }};
}

} // namespace

TEST_CASE("a program sends its own messages in a local system, and gets answers",
          "[local_system]") {
  LocalSystem system{
    [](auto& config) { config.template add_message_types<caf::id_block::a_program>(); }};
  const auto actor = system.spawn(adder);
  system.send(actor, a_program::Add{2});
  system.send(actor, a_program::Add{3});
  CHECK(system.ask<a_program::Sum>(actor, a_program::GetSum{}, "the adder").of_all == 5);
}

TEST_CASE("an error that answers a local system has the actor's name and sentence",
          "[local_system]") {
  LocalSystem system{
    [](auto& config) { config.template add_message_types<caf::id_block::a_program>(); }};
  const auto actor = system.spawn(adder);
  system.send(actor, a_program::Add{-1});
  CHECK_THROWS_WITH(system.ask<a_program::Sum>(actor, a_program::GetSum{}, "the adder"),
                    "the adder answered: the sum is negative; add positive numbers");
}
