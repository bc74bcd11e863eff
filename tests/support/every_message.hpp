// One message of each type, and how CAF writes and reads them.
#pragma once

#include "tests/support/deterministic_system.hpp"

#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

#include <limits>
#include <vector>

namespace troupe::test {

using WireBytes = std::vector<char>;

template <class Handle>
Handle some_actor(DeterministicSystem& world) {
  return caf::actor_cast<Handle>(
    world.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](int) {}}; }));
}

inline Layout some_layout() {
  Layout layout;
  layout.add("linear0.weight", {3, 2});
  layout.add("linear0.bias", {2});
  return layout;
}

inline Conditions some_conditions() {
  return Conditions{}
    .set_trigger("before_first_epoch", Value{true})
    .when(parse_schedule("each(10 batches) & ~at(20, 30 batches) | each(2.5 seconds)"), {"a", ""})
    .add_condition({"after_epoch"}, on_record("best_so_far"), {"best.ckpt"})
    .coalesce();
}

/// Calls `f` with one message of each type, without any default value in its fields.
template <class F>
void each_message(DeterministicSystem& world, F f) {
  const Position position{7, 2, 200, 1.5, 1.25, {{"tokens", 1e6}, {"", -0.5}}};
  const ExactSum sum{{1.5}, 1};
  const Totals totals{sum, {{2.5}, 2}, 299.5, 300, 4, 0.5, 0.25, 0.125, 1};
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const Block block = Block::copy_of(std::vector<float>{1, -0.0f, 1e30f, nan, 5, 6, 7, 8});
  const Snapshot snapshot{17, block};
  const Records records{{"flag", Value{true}},
                        {"count", Value{std::int64_t{-5}}},
                        {"loss", Value{0.1}},
                        {"text", Value{"\u00e4 \"quoted\"\n"}}};
  const std::map<std::string, double> settings{{"learning_rate", 0.01}};
  const ExpectedLength expected_length{10, 100, 3, 25, 60};
  const LoopEvent event{5,
                        2,
                        Callback::after_epoch,
                        position,
                        7,
                        3,
                        {"x", ""},
                        true,
                        true,
                        0.5,
                        0.25,
                        totals,
                        expected_length,
                        9,
                        "why",
                        snapshot,
                        {{"momentum", block}},
                        6,
                        block,
                        block,
                        block,
                        {{"push", 1.5, 2.25, true}}};
  const std::vector<SubscriptionReport> reports{{"checkpoint", 5, 1, 0.5}, {"", 1, 0, 0}};
  f(event);
  f(AskGate{event, settings});
  f(GateAnswer{records,
               true,
               "enough",
               block,
               {{"momentum", block}},
               7,
               settings,
               {{"tokens", 5.0}},
               block,
               {"and more"},
               true,
               {{"holder", 0.5}},
               {{"exchange", 1.25, 2.5}}});
  f(Subscribe{"s", some_conditions(), some_actor<Observer>(world), Shows::optimizer, 3,
              OnLoss::finish, true});
  f(SubscribeGate{"g", some_conditions(), some_actor<Gate>(world), Shows::parameters, 2.5,
                  OnLoss::finish, OnLoss::proceed, true});
  f(Subscribed{3, {"condition after_n_batches can never be true"}});
  f(Unsubscribe{3});
  f(Unsubscribed{4});
  f(Start{});
  f(Finished{1, false, Outcome::failed, {"a", "b"}, "error", position, totals, snapshot, reports});
  f(Stop{StopLevel::now, "reason", true, 3, true});
  f(Pause{});
  f(Resume{});
  f(Advance{12});
  f(Set{settings});
  f(SetDone{});
  f(RegisterTimeline{"tokens"});
  f(GetStatus{});
  f(Status{1, "batch", "gate", position, totals, expected_length, 0.5, 0.25, reports});
  f(Save{true});
  const SavedTrainer saved{some_layout(), snapshot,   8,        {{"momentum", block}},
                           0.25,          9,          true,     {10, 300},
                           "10 20",       position,   totals,   0.75,
                           records,       {"enough"}, settings, {{"momentum", 0.9}}};
  f(saved);
  f(Restore{saved});
  f(Restored{});
  f(Drain{});
  f(Drained{});
  f(WriteRun{{{saved},
              {{"timing", {{"flag", Value{true}}, {"kept", block}}}},
              "log",
              SavedHolder{},
              ModelCard{"mlp", "a", 7, 0.5, "b", "c", "d", "e", "f"}},
             {"a.bin"},
             2,
             {SeparatePart::parameters, SeparatePart::log},
             {"log.jsonl", 7}});
  f(AmendModel{"a.bin", "converged", "enough", "2026-11-26T12:00:00"});
  f(RunWritten{{"a.bin"}, "why", 5, 0.5});
  f(AddParticipants{{{"timing", some_actor<Extension>(world)}}});
  f(SaveExtension{});
  f(SavedExtension{{{"best", Value{0.5}}, {"kept", block}}});
  f(RestoreExtension{{{"best", Value{0.5}}}});
  f(Evaluate{snapshot, Section::test, 5, true, 2.5});
  f(Evaluated{17,
              Section::test,
              {{"loss", 0.5}, {"accuracy", 0.25}},
              {"f1"},
              100,
              2.5,
              4,
              {{0.25, 0.75, 0.125}, {0, 1, 0.5}}});
  f(EvaluateVersions{});
  const MeasuredVersion measured{17, 2, 1.5, {{"loss", 0.5}}, {}};
  f(VersionsEvaluated{
    Outcome::failed, "why", true, 5, 3, measured, {20, 1, 2.5, {{"r2", 0.75}}, {"r2"}}});
  f(Alarm{3, 2, 10.5});
  f(SetAlarm{1, 2, some_actor<AlarmListener>(world)});
  f(AlarmSet{3});
  f(CancelAlarm{3});
  f(GetUsedTime{});
  f(UsedTime{1.5});
  const Row row{{1, 5}, 2, 2.5, records};
  f(Write{{1, 5}, 2, 2.5, records, "validation"});
  f(Expect{{1, 5}, "validation"});
  f(ReadRow{{1, 5}, false});
  f(row);
  f(Query{1, 2, 3});
  f(Rows{{row, Row{}, row}});
  f(Written{row});
  f(Follow{some_actor<Follower>(world)});
  f(WriteStatus{1, records});
  f(ReadStatus{1});
  f(RunStatus{records});
  f(Say{Level::warning, "text", "kind"});
  f(ShowProgress{"worker 0", "50 %"});
  f(Flush{});
  f(Flushed{});
  f(Join{1,
         protocol_version,
         some_layout(),
         "token",
         4,
         1.5,
         true,
         77,
         {"easgd", {{"elasticity", 0.25f}}}});
  f(Joined{2, true, 1608, 1205});
  f(CreateIfAbsent{1, block});
  f(Renew{1, 2});
  f(Renewed{3, 1, "time is up", true});
  f(Parameters{3, 2, 0.5, true, true, 17, block, block, {10, 12.5, 0.25, 0.5, 1, 0.75}});
  f(Pull{1});
  f(Await{1, 17});
  const Push push{{1, 2, 3}, 4, {"easgd", {{"elasticity", 0.25f}}}, {3}, true, block, block, block};
  f(push);
  f(Applied{3, 2});
  f(Exchange{push});
  const Selection selection{"w", {{0, 2}, {1, 3}}, {{0, 1}, {2, 3}}};
  f(PullPart{1, selection});
  f(Part{3, {2, 2}, block});
  f(PushPart{{1, 2, 3}, {1, 2}, selection, block});
  f(ConnectShard{1});
  f(DropShard{1});
  f(ShardRoute{"10.0.0.1:1", some_actor<ParameterHolder>(world), some_actor<BlockHolder>(world)});
  f(Watch{some_actor<Trainer>(world)});
  f(Leave{1, 2});
  f(GetHolderStatus{});
  f(HolderStatus{
    3, 5, {{"w", 3}, {"b", 2}}, {0, 1}, {2}, {{0, {3, 2}}}, {1}, 4711, "name", {7}, 2});
  f(StopAll{"time is up", true});
  f(SaveHolder{});
  const SavedHolder saved_holder{some_layout(), 3,     5,  {3, 2},          {{1, {4, 2}, {3, 1}}},
                                 block,         block, 17, "outer_nesterov"};
  f(saved_holder);
  f(RestoreHolder{saved_holder});
  f(UseBlockPort{4711, "name"});
  f(BeMain{false});
  f(ControlRequest{"token", "set", {"learning_rate=0.5", "at=10"}, "ann@n1"});
  f(ControlAnswer{{"a line", ""}, true});
  f(TailLog{"token", 5, 20, 77});
  f(LogTail{true, {"{}"}, 7, 2, true});
  const ReadBatch batch{
    5, {3, 1}, {2, {{{0.5f, -0.0f}, {}}}, {{{}, {1, masked_class}}}, {7}}, "why"};
  f(PrepareBatch{batch});
  f(BatchPrepared{batch});
  f(Quiesce{3});
  f(Quiesced{position, true});
  f(LeaveQuiescence{});
  f(AwaitBlockedWorkers{});
  f(BlockedWorkers{{1, 2}});
  f(RequestQuiescence{});
  f(QuiescenceRequested{});
  f(AwaitQuiescence{});
  f(QuiescenceReached{});
  f(EndQuiescence{});
  f(EndTogether{some_actor<RunStopper>(world)});
  f(Introduce{protocol_version, "parameter holder", "token"});
  f(Introduced{"key", true});
  f(Envelope{"key", caf::make_message(Pull{1})});
}

template <class T>
WireBytes written(DeterministicSystem& world, const T& value) {
  WireBytes bytes;
  caf::binary_serializer out{world.system, bytes};
  REQUIRE_FALSE(out(value));
  return bytes;
}

template <class T>
caf::error read_bytes(DeterministicSystem& world, const WireBytes& bytes, T& value) {
  caf::binary_deserializer in{world.system, bytes};
  return in(value);
}

/// A type-erased message that CAF writes, reads and prints with the code of messages/wire/wire.cpp.
/// The tests' code for it is compiled once, not for each type.
template <class T>
caf::type_erased_value_ptr erased(T message) {
  return caf::make_message(std::move(message)).content().copy(0);
}

struct SampleMessage {
  caf::type_erased_value_ptr value; ///< without any default value
  caf::type_erased_value_ptr blank; ///< with default values only
  bool (*equal)(const caf::type_erased_value&, const caf::type_erased_value&);
};

inline std::vector<SampleMessage> sample_messages(DeterministicSystem& world) {
  std::vector<SampleMessage> samples;
  each_message(world, [&samples](auto message) {
    using Message = decltype(message);
    samples.push_back({erased(std::move(message)), erased(Message{}),
                       [](const caf::type_erased_value& a, const caf::type_erased_value& b) {
                         return a.get_as<Message>() == b.get_as<Message>();
                       }});
  });
  return samples;
}

} // namespace troupe::test
