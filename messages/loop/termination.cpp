#include "messages/loop/termination.hpp"

#include "base/text/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace troupe {

namespace {

constexpr std::array all_causes{TerminationCause::loss, TerminationCause::episodes,
                                TerminationCause::epochs, TerminationCause::no_improvement};

bool is_reached(std::uint64_t count, std::int64_t limit) {
  return limit > 0 && count >= static_cast<std::uint64_t>(limit);
}

} // namespace

TerminationLimits usual_limits(TrainerKind kind) {
  TerminationLimits limits;
  if (kind == TrainerKind::online) {
    limits.epoch_limit = -1;
    limits.episode_limit = 100000;
  }
  return limits;
}

std::vector<std::string> defects_of(const TerminationLimits& limits, TrainerKind kind,
                                    const std::string& path) {
  std::vector<std::string> sentences;
  const auto online = kind == TrainerKind::online;
  const auto complain = [&](const std::string& key, std::int64_t value, const std::string& cure) {
    sentences.push_back(path + "." + key + " is " + std::to_string(value) + "; " + cure);
  };
  if (!online && limits.epoch_limit <= 0)
    complain("epoch_limit", limits.epoch_limit,
             "offline training is measured by epochs, so give a number of 1 or more, like 10");
  if (online && limits.episode_limit <= 0)
    complain("episode_limit", limits.episode_limit,
             "online training is measured by episodes, so give a number of 1 or more, like 100000");
  if (!online && limits.episode_limit == 0)
    complain("episode_limit", 0, "give a number of episodes, 1 or more, or -1 for no limit");
  if (limits.early_stop_validations <= 0)
    complain("early_stop_validations", limits.early_stop_validations,
             "give a number of 1 or more, like 10");
  for (const auto& [key, value] : {std::pair{"loss_stop", limits.loss_stop},
                                   std::pair{"early_stop_delta", limits.early_stop_delta}})
    if (std::isnan(value))
      sentences.push_back(path + "." + key + " is not a number; give one, or -1 to disable it");
  return sentences;
}

std::string status_text(TerminationCause cause, TrainerKind kind) {
  switch (cause) {
  case TerminationCause::loss:
    return std::string{"Converged ("} + (kind == TrainerKind::online ? "Partial" : "Full")
           + " Validation Loss went below Loss Stop threshold)";
  case TerminationCause::episodes: return "Not converged: Episode Limit reached";
  case TerminationCause::epochs: return "Not converged: Epoch Limit reached";
  case TerminationCause::no_improvement: return "Not converged: Validation Loss stopped improving";
  }
  return not_converged;
}

bool is_terminal_status(std::string_view cause) {
  return std::any_of(all_causes.begin(), all_causes.end(), [&](auto known) {
    return cause == status_text(known, TrainerKind::offline)
           || cause == status_text(known, TrainerKind::online);
  });
}

Termination::Termination(TrainerKind kind, const TerminationLimits& limits, Epoch curriculum)
  : kind_(kind),
    limits_(limits),
    curriculum_(curriculum) {}

std::vector<TerminationCause> Termination::update(const Position& now, std::optional<double> loss) {
  if (loss && !(state_.any && state_.validated == now.batches))
    validated(now, *loss);
  std::vector<TerminationCause> found;
  for (auto cause : all_causes)
    if (holds(cause, now) && std::find(causes_.begin(), causes_.end(), cause) == causes_.end())
      found.push_back(cause);
  causes_.insert(causes_.end(), found.begin(), found.end());
  std::sort(causes_.begin(), causes_.end());
  return found;
}

const std::vector<TerminationCause>& Termination::resume(const Position& now) {
  state_.interrupted = false;
  state_.converged = state_.converged && state_.loss < limits_.loss_stop;
  causes_.clear();
  update(now, {});
  return causes_;
}

bool Termination::closes_epoch(const Position& now) const {
  return kind_ == TrainerKind::offline && holds(TerminationCause::episodes, now);
}

std::string Termination::status() const {
  if (!causes_.empty())
    return text(causes_.front());
  return state_.interrupted ? interrupted_status : not_converged;
}

void Termination::validated(const Position& now, double loss) {
  // Comparisons with NaN are false: it is below nothing and improves nothing.
  const auto improved = loss < state_.reference - std::fmax(0.0, limits_.early_stop_delta);
  if (improved)
    state_.reference = loss;
  state_.waits = improved ? 0 : state_.waits + 1;
  state_.any = true;
  state_.validated = now.batches;
  state_.loss = loss;
  state_.converged = state_.converged || (loss < limits_.loss_stop && now.epochs >= curriculum_);
}

bool Termination::holds(TerminationCause cause, const Position& now) const {
  switch (cause) {
  case TerminationCause::loss: return state_.converged;
  case TerminationCause::episodes: return is_reached(now.batches, limits_.episode_limit);
  case TerminationCause::epochs: return is_reached(now.epochs, limits_.epoch_limit);
  case TerminationCause::no_improvement:
    return limits_.early_stop_delta >= 0 && state_.waits >= limits_.early_stop_validations;
  }
  return false;
}

} // namespace troupe
