// The pushes of a worker, and the retry of an unanswered push.
#include "extensions/sync/parameter_sync.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/wire/type_ids.hpp"
#include "model/update_rules/apply_rule.hpp"

#include <caf/sec.hpp>

#include <utility>

namespace troupe {

namespace {

/// Whether the holder may have applied a push that was not answered.
bool may_be_applied(const caf::error& error) {
  return error == Error::unavailable || error == caf::sec::request_timeout;
}

} // namespace

Push ParameterSync::push_of(WorkerId worker, const Block& own, bool last) const {
  Push push;
  push.id = {worker, incarnation_, number_};
  push.based_on = version_;
  push.rule = options_.rule;
  push.staleness = options_.staleness;
  push.last = last;
  push.values = contribution(push.rule, own, base_);
  if (residual_.size() == push.values.size()) // otherwise it is empty or belongs to another model
    push.residual = residual_;
  // Rounds sum in the same order each time and take a mean of all. In a cluster a last push of
  // steps is added outside of rounds, since other workers may train for long.
  const auto alone = sends_steps(push.rule) && fate_ != HolderFate::saved_with_run;
  if (last && (alone || !push.staleness.synchronous()))
    push.staleness = {};
  return push;
}

void ParameterSync::push(WorkerId worker, const Block& own, bool last, const Answered& answered,
                         const Failed& failed) {
  if (!unanswered_.empty())
    return push_again(
      worker, [=, this](Parameters&) { push(worker, own, last, answered, failed); }, answered,
      failed);
  ++number_;
  auto push = push_of(worker, own, last);
  const auto until = deadline(push);
  request_within(self_, holder_, until, Exchange{std::move(push)})
    .then(
      [=, this](Parameters& settled) {
        if (last)
          residual_ = Block{};
        else if (!settled.rejoined) // a refused push has sent nothing
          residual_ = std::move(settled.residual);
        answered(settled);
      },
      [=, this](const caf::error& error) {
        // Other rules push the worker's current parameters, which the next push sends again.
        if (sends_steps(options_.rule) && may_be_applied(error))
          unanswered_ = own;
        failed(error);
      });
}

/// Pushes with the number, base and residual of the first attempt: only an answer changes them.
void ParameterSync::push_again(WorkerId worker, const Answered& added, const Answered& refused,
                               const Failed& failed) {
  auto push = push_of(worker, unanswered_, false);
  const auto until = deadline(push);
  request_within(self_, holder_, until, Exchange{std::move(push)})
    .then(
      [=, this](Parameters& settled) {
        auto pushed = std::exchange(unanswered_, Block{});
        if (settled.rejoined)
          return refused(settled);
        base_ = std::move(pushed);
        residual_ = std::move(settled.residual);
        added(settled);
      },
      [=, this](const caf::error& error) {
        if (!may_be_applied(error))
          unanswered_ = Block{};
        failed(error);
      });
}

} // namespace troupe
