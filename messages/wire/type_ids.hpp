// Registers every message with CAF. A message missing here does not compile
// (CAF_ENABLE_TYPE_ID_CHECKS); wire.cpp instantiates the code that sends and prints each of them.
#pragma once

#include "messages/access/entry_point.hpp"
#include "messages/checkpoint/checkpoint.hpp"
#include "messages/cluster/cluster.hpp"
#include "messages/control/control.hpp"
#include "messages/evaluation/continuous_evaluation.hpp"
#include "messages/evaluation/evaluation.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/loop/loading.hpp"
#include "messages/loop/loop.hpp"
#include "messages/loop/loop_event.hpp"
#include "messages/parameters/parameters.hpp"
#include "messages/quiesce/quiescence.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/timing.hpp"

// clang-format off
/// Calls X(Message) for each message that may be sent, without those of grids.
#define TROUPE_MESSAGES(X) \
  X(LoopEvent) X(AskGate) X(GateAnswer) X(Subscribe) X(SubscribeGate) X(Subscribed) \
  X(Unsubscribe) X(Unsubscribed) X(Start) X(Finished) X(Stop) X(Pause) X(Resume) X(Advance) \
  X(Set) X(SetDone) X(RegisterTimeline) X(BeMain) X(GetStatus) X(Status) X(Save) \
  X(SavedTrainer) X(Restore) X(Restored) X(ContinueTraining) X(CheckDeadlines) X(Drain) X(Drained) \
  X(SaveExtension) X(SavedExtension) X(RestoreExtension) \
  X(WriteRun) X(RunWritten) X(AddParticipants) \
  X(Evaluate) X(Evaluated) X(ContinueEvaluation) X(EvaluateVersions) X(VersionsEvaluated) \
  X(CheckVersions) \
  X(Alarm) X(SetAlarm) X(AlarmSet) X(CancelAlarm) X(GetUsedTime) X(UsedTime) X(RingAlarm) \
  X(Write) X(Expect) X(ReadRow) X(Row) X(Query) X(Rows) X(Written) X(Follow) X(WriteStatus) \
  X(ReadStatus) X(RunStatus) X(Say) X(ShowProgress) X(FlushSoon) X(Flush) X(Flushed) \
  X(Join) X(Joined) X(Renew) X(Renewed) X(CreateIfAbsent) X(Parameters) X(Pull) X(Await) \
  X(Push) X(Applied) X(Exchange) X(PullPart) X(Part) X(PushPart) X(Leave) X(StopAll) \
  X(SaveHolder) X(SavedHolder) X(RestoreHolder) X(UseBlockPort) X(CheckLeases) \
  X(GetHolderStatus) X(HolderStatus) \
  X(ConnectShard) X(DropShard) X(ShardRoute) X(Watch) X(CheckShards) \
  X(ControlRequest) X(ControlAnswer) X(TailLog) X(LogTail) X(CheckControl) \
  X(PrepareBatch) X(BatchPrepared) X(AmendModel) \
  X(Quiesce) X(Quiesced) X(LeaveQuiescence) X(AwaitBlockedWorkers) X(BlockedWorkers) \
  X(RequestQuiescence) X(QuiescenceRequested) X(AwaitQuiescence) X(QuiescenceReached) X(EndQuiescence) \
  X(EndTogether) X(Introduce) X(Introduced) X(Envelope)
// clang-format on

// Ids of a program that uses Troupe may begin at caf::first_custom_type_id, as CAF advises, and
// have 20000 before these. They never cross the wire.
CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id + 20000)

#define TROUPE_ADD_TYPE_ID(Message) CAF_ADD_TYPE_ID(troupe, (troupe::Message))
  TROUPE_MESSAGES(TROUPE_ADD_TYPE_ID)
#undef TROUPE_ADD_TYPE_ID

CAF_END_TYPE_ID_BLOCK(troupe)
