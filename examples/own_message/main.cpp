// A message and an actor of a program's own, in its own namespace and with its own type ids, beside
// those of Troupe: a gate that sends milestones of training to a journal.
#include <caf/typed_event_based_actor.hpp>
#include <troupe/actors/local_run.hpp>
#include <troupe/messages/inspection/inspect_fields.hpp>
#include <troupe/messages/wire/local_system.hpp>
#include <troupe/model/data/images/digits.hpp>
#include <troupe/model/optimizers/make_optimizer.hpp>
#include <troupe/model/zoo/network.hpp>

#include <cstdio>
#include <cstdlib>

namespace lab {

TROUPE_FIELDS_IN_NAMESPACE;

/// Training has come this far.
struct Milestone {
  troupe::Step batches = 0;
  double loss = 0;
  std::vector<float> history; ///< the losses of all milestones before
  TROUPE_FIELDS(batches, loss, history);
};
/// Asks for the last milestone.
struct GetMilestone {
  TROUPE_FIELDS();
};

using Journal
  = caf::typed_actor<caf::reacts_to<Milestone>, caf::replies_to<GetMilestone>::with<Milestone>>;

} // namespace lab

CAF_BEGIN_TYPE_ID_BLOCK(lab, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(lab, (lab::Milestone))
  CAF_ADD_TYPE_ID(lab, (lab::GetMilestone))
CAF_END_TYPE_ID_BLOCK(lab)

namespace {

lab::Journal::behavior_type journal(lab::Journal::stateful_pointer<lab::Milestone> self) {
  return {
    [self](const lab::Milestone& milestone) {
      self->state.history.push_back(static_cast<float>(milestone.loss));
      self->state.batches = milestone.batches;
    },
    [self](const lab::GetMilestone&) { return self->state; },
  };
}

troupe::Gate::behavior_type reporter(troupe::Gate::pointer self, const lab::Journal& to) {
  return {[self, to](const troupe::AskGate& ask) {
    self->send(to, lab::Milestone{ask.event.position.batches, ask.event.loss, {}});
    troupe::GateAnswer answer;
    answer.finish = ask.event.position.batches >= 100;
    answer.reason = "100 batches are done";
    return answer;
  }};
}

} // namespace

int main() {
  troupe::LocalSystem system{
    [](auto& config) { config.template add_message_types<caf::id_block::lab>(); }};
  troupe::RunActorsOptions options;
  options.problem = std::make_shared<troupe::Digits>(
    troupe::DigitsOptions{.train = 5000, .validation = 0, .test = 1000});
  options.model = std::make_shared<troupe::Network>(options.problem->spec());
  options.make_optimizer
    = [](troupe::Index size) { return troupe::make_optimizer(troupe::AdamOptions{}, size); };
  const auto log = system.spawn(journal);
  troupe::LocalRun run{system, options};
  run.add_gate({"reporter", troupe::Conditions{}.set_trigger("every_n_batches", 20),
                system.spawn(reporter, log)});
  run.train();
  const auto last = system.ask<lab::Milestone>(log, lab::GetMilestone{}, "the journal");
  std::printf("%zu milestones: %s\n", last.history.size(), to_string(last).c_str());
  return last.history.size() == 5 ? EXIT_SUCCESS : EXIT_FAILURE;
}
