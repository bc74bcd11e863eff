#include "extensions/sync/parameter_sync_options.hpp"

#include "messages/parameters/fragment.hpp"

#include <stdexcept>

namespace troupe {

WorkerSharing sharing_of(const ParameterSyncOptions& options) {
  const auto averages = shares_gradients(options.rule);
  return {.in_rounds = options.staleness.synchronous(),
          .own_are_newer = averages,
          .optimizer_state = options.optimizer_state,
          .gradient = averages};
}

Shows shows_for(const ParameterSyncOptions& options) {
  if (shares_gradients(options.rule))
    return options.optimizer_state ? Shows::update : Shows::gradients;
  return options.optimizer_state ? Shows::optimizer : Shows::parameters;
}

std::string defect_at_callback(const UpdateRule& rule, Callback callback) {
  const auto before_update = callback == Callback::before_update;
  if (shares_gradients(rule) && !before_update)
    return "the rule " + rule.name
           + " acts on the gradient before each update, but is triggered at " + to_string(callback)
           + "; give it the one trigger `before_update: true`";
  if (!shares_gradients(rule) && before_update)
    return "the rule " + rule.name
           + " shares parameters, but before_update is in the middle of a step from the old ones; "
             "give it another trigger, like `every_n_batches: 1`, or the rule gradient_average";
  return "";
}

namespace {

constexpr Index least_fragment = 16; // floats in a cache line, at which fragments are cut

void check_fragments(const ParameterSyncOptions& options) {
  if (options.fragments < 1 || options.fragments > most_fragments)
    throw std::invalid_argument("fragments is " + std::to_string(options.fragments)
                                + "; give 1 to exchange all parameters at each sync, or up to "
                                + std::to_string(most_fragments));
  if (options.fragments == 1 && !options.overlap)
    return;
  const auto name = std::string{options.overlap ? "overlap" : "fragments"};
  if (shares_gradients(options.rule))
    throw std::invalid_argument(name + " does not go with the rule " + options.rule.name
                                + ", whose workers make each update together; leave it out, or "
                                  "give a rule that shares parameters, like average");
  if (options.optimizer_state)
    throw std::invalid_argument(
      name + " shares parameters alone; leave it out, or leave out optimizer_state");
  if (options.overlap && options.staleness.bounded())
    throw std::invalid_argument("overlap is already a staleness of one sync; give it `staleness: "
                                "0` or `staleness: unbounded`, not "
                                + to_string(options.staleness));
}

} // namespace

void check(const ParameterSyncOptions& options, const Layout& layout) {
  if (const auto most = (layout.size() + least_fragment - 1) / least_fragment;
      options.fragments > 1 && options.fragments > most)
    throw std::invalid_argument("fragments is " + std::to_string(options.fragments)
                                + ", and the model has only " + std::to_string(layout.size())
                                + " parameters; give at most " + std::to_string(most));
}

void check(const ParameterSyncOptions& options) {
  if (auto defect = defect_of(options.rule); !defect.empty())
    throw std::invalid_argument(defect);
  if (shares_gradients(options.rule) && !options.staleness.synchronous())
    throw std::invalid_argument("the rule " + options.rule.name
                                + " takes the mean of one round, and staleness "
                                + to_string(options.staleness)
                                + " has no rounds; give it `staleness: 0`, or the rule downpour");
  if (!(options.deadline > 0))
    throw std::invalid_argument("the deadline for the parameter holder is "
                                + std::to_string(options.deadline) + " s; give a positive time");
  check_fragments(options);
}

} // namespace troupe
