// Registers every message with CAF. A message that is missing here does not compile
// (CAF_ENABLE_TYPE_ID_CHECKS).
#pragma once

#include "troupe/messages/checkpoint.hpp"
#include "troupe/messages/cluster.hpp"
#include "troupe/messages/continuous_evaluation.hpp"
#include "troupe/messages/control.hpp"
#include "troupe/messages/error.hpp"
#include "troupe/messages/evaluation.hpp"
#include "troupe/messages/extension.hpp"
#include "troupe/messages/log.hpp"
#include "troupe/messages/loop.hpp"
#include "troupe/messages/parameters.hpp"
#include "troupe/messages/timing.hpp"

CAF_BEGIN_TYPE_ID_BLOCK(troupe, caf::first_custom_type_id)

  CAF_ADD_TYPE_ID(troupe, (troupe::LoopEvent))
  CAF_ADD_TYPE_ID(troupe, (troupe::AskGate))
  CAF_ADD_TYPE_ID(troupe, (troupe::GateAnswer))
  CAF_ADD_TYPE_ID(troupe, (troupe::Subscribe))
  CAF_ADD_TYPE_ID(troupe, (troupe::SubscribeGate))
  CAF_ADD_TYPE_ID(troupe, (troupe::Subscribed))
  CAF_ADD_TYPE_ID(troupe, (troupe::Unsubscribe))
  CAF_ADD_TYPE_ID(troupe, (troupe::Unsubscribed))
  CAF_ADD_TYPE_ID(troupe, (troupe::Start))
  CAF_ADD_TYPE_ID(troupe, (troupe::Finished))
  CAF_ADD_TYPE_ID(troupe, (troupe::Stop))
  CAF_ADD_TYPE_ID(troupe, (troupe::Pause))
  CAF_ADD_TYPE_ID(troupe, (troupe::Resume))
  CAF_ADD_TYPE_ID(troupe, (troupe::Advance))
  CAF_ADD_TYPE_ID(troupe, (troupe::Set))
  CAF_ADD_TYPE_ID(troupe, (troupe::SetDone))
  CAF_ADD_TYPE_ID(troupe, (troupe::RegisterTimeline))
  CAF_ADD_TYPE_ID(troupe, (troupe::BeMain))
  CAF_ADD_TYPE_ID(troupe, (troupe::GetStatus))
  CAF_ADD_TYPE_ID(troupe, (troupe::Status))
  CAF_ADD_TYPE_ID(troupe, (troupe::Save))
  CAF_ADD_TYPE_ID(troupe, (troupe::SavedTrainer))
  CAF_ADD_TYPE_ID(troupe, (troupe::Restore))
  CAF_ADD_TYPE_ID(troupe, (troupe::Restored))
  CAF_ADD_TYPE_ID(troupe, (troupe::ContinueTraining))
  CAF_ADD_TYPE_ID(troupe, (troupe::LookAround))
  CAF_ADD_TYPE_ID(troupe, (troupe::Drain))
  CAF_ADD_TYPE_ID(troupe, (troupe::Drained))
  CAF_ADD_TYPE_ID(troupe, (troupe::SaveExtension))
  CAF_ADD_TYPE_ID(troupe, (troupe::SavedExtension))
  CAF_ADD_TYPE_ID(troupe, (troupe::RestoreExtension))

  CAF_ADD_TYPE_ID(troupe, (troupe::WriteRun))
  CAF_ADD_TYPE_ID(troupe, (troupe::RunWritten))
  CAF_ADD_TYPE_ID(troupe, (troupe::SaveThese))

  CAF_ADD_TYPE_ID(troupe, (troupe::Evaluate))
  CAF_ADD_TYPE_ID(troupe, (troupe::Evaluated))
  CAF_ADD_TYPE_ID(troupe, (troupe::ContinueEvaluation))
  CAF_ADD_TYPE_ID(troupe, (troupe::EvaluateVersions))
  CAF_ADD_TYPE_ID(troupe, (troupe::VersionsEvaluated))
  CAF_ADD_TYPE_ID(troupe, (troupe::LookAtVersions))

  CAF_ADD_TYPE_ID(troupe, (troupe::Alarm))
  CAF_ADD_TYPE_ID(troupe, (troupe::SetAlarm))
  CAF_ADD_TYPE_ID(troupe, (troupe::AlarmSet))
  CAF_ADD_TYPE_ID(troupe, (troupe::CancelAlarm))
  CAF_ADD_TYPE_ID(troupe, (troupe::GetUsedTime))
  CAF_ADD_TYPE_ID(troupe, (troupe::UsedTime))
  CAF_ADD_TYPE_ID(troupe, (troupe::RingAlarm))

  CAF_ADD_TYPE_ID(troupe, (troupe::Write))
  CAF_ADD_TYPE_ID(troupe, (troupe::Expect))
  CAF_ADD_TYPE_ID(troupe, (troupe::ReadRow))
  CAF_ADD_TYPE_ID(troupe, (troupe::Row))
  CAF_ADD_TYPE_ID(troupe, (troupe::Query))
  CAF_ADD_TYPE_ID(troupe, (troupe::Rows))
  CAF_ADD_TYPE_ID(troupe, (troupe::Written))
  CAF_ADD_TYPE_ID(troupe, (troupe::Follow))
  CAF_ADD_TYPE_ID(troupe, (troupe::WriteStatus))
  CAF_ADD_TYPE_ID(troupe, (troupe::ReadStatus))
  CAF_ADD_TYPE_ID(troupe, (troupe::RunStatus))
  CAF_ADD_TYPE_ID(troupe, (troupe::Say))
  CAF_ADD_TYPE_ID(troupe, (troupe::ShowProgress))
  CAF_ADD_TYPE_ID(troupe, (troupe::FlushSoon))
  CAF_ADD_TYPE_ID(troupe, (troupe::Flush))
  CAF_ADD_TYPE_ID(troupe, (troupe::Flushed))

  CAF_ADD_TYPE_ID(troupe, (troupe::Join))
  CAF_ADD_TYPE_ID(troupe, (troupe::Joined))
  CAF_ADD_TYPE_ID(troupe, (troupe::Renew))
  CAF_ADD_TYPE_ID(troupe, (troupe::Renewed))
  CAF_ADD_TYPE_ID(troupe, (troupe::CreateIfAbsent))
  CAF_ADD_TYPE_ID(troupe, (troupe::Parameters))
  CAF_ADD_TYPE_ID(troupe, (troupe::Pull))
  CAF_ADD_TYPE_ID(troupe, (troupe::Await))
  CAF_ADD_TYPE_ID(troupe, (troupe::Push))
  CAF_ADD_TYPE_ID(troupe, (troupe::Applied))
  CAF_ADD_TYPE_ID(troupe, (troupe::Exchange))
  CAF_ADD_TYPE_ID(troupe, (troupe::PullPart))
  CAF_ADD_TYPE_ID(troupe, (troupe::Part))
  CAF_ADD_TYPE_ID(troupe, (troupe::PushPart))
  CAF_ADD_TYPE_ID(troupe, (troupe::Leave))
  CAF_ADD_TYPE_ID(troupe, (troupe::StopAll))
  CAF_ADD_TYPE_ID(troupe, (troupe::SaveHolder))
  CAF_ADD_TYPE_ID(troupe, (troupe::SavedHolder))
  CAF_ADD_TYPE_ID(troupe, (troupe::RestoreHolder))
  CAF_ADD_TYPE_ID(troupe, (troupe::UseBulkPort))
  CAF_ADD_TYPE_ID(troupe, (troupe::LookAtLeases))
  CAF_ADD_TYPE_ID(troupe, (troupe::GetHolderStatus))
  CAF_ADD_TYPE_ID(troupe, (troupe::HolderStatus))

  CAF_ADD_TYPE_ID(troupe, (troupe::ConnectShard))
  CAF_ADD_TYPE_ID(troupe, (troupe::DropShard))
  CAF_ADD_TYPE_ID(troupe, (troupe::ShardRoute))
  CAF_ADD_TYPE_ID(troupe, (troupe::Watch))
  CAF_ADD_TYPE_ID(troupe, (troupe::LookAtShards))

  CAF_ADD_TYPE_ID(troupe, (troupe::ControlRequest))
  CAF_ADD_TYPE_ID(troupe, (troupe::ControlAnswer))
  CAF_ADD_TYPE_ID(troupe, (troupe::TailLog))
  CAF_ADD_TYPE_ID(troupe, (troupe::LogTail))
  CAF_ADD_TYPE_ID(troupe, (troupe::LookAtControl))

CAF_END_TYPE_ID_BLOCK(troupe)
