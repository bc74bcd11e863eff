#include "apps/dashboard/grid_view.hpp"

#include "base/text/number_in.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace troupe {

namespace {

using Json = nlohmann::ordered_json;

/// The ends of each run, by its number.
using EndsByRun = std::map<RunNumber, std::vector<const TrialEnded*>>;

EndsByRun ends_by_run(const GridJournal& journal) {
  EndsByRun ends;
  for (const auto& ended : journal.ended)
    ends[ended.run].push_back(&ended);
  return ends;
}

/// The number of trials: as described, or as the folders say.
std::size_t trials_of(const GridDescription& description, const RunRows& runs) {
  auto trials = description.values.size();
  for (const auto& run : runs)
    trials = std::max(trials, grid_place_of(run->found.path.filename().string()).trial);
  return trials;
}

std::uint32_t repetitions_of(const GridDescription& description, const RunRows& runs) {
  auto repetitions = std::max(description.repetitions, 1U);
  for (const auto& run : runs)
    repetitions
      = std::max(repetitions, grid_place_of(run->found.path.filename().string()).repetition);
  return repetitions;
}

struct GridCounts {
  std::size_t done = 0, failed = 0, training = 0;
};

GridCounts grid_counts(const EndsByRun& ends, const RunRows& runs) {
  GridCounts counts;
  for (const auto& run : runs)
    counts.training += is_alive(run->state) ? 1 : 0;
  for (const auto& [number, of_run] : ends)
    (of_run.back()->outcome == TrialOutcome::done ? counts.done : counts.failed) += 1;
  return counts;
}

std::string seed_of(const RunRow& run) {
  for (const auto& [key, value] : run.configuration)
    if (*key == "training.seed")
      return *value;
  return "";
}

Json run_of_grid(RunNumber number, std::uint32_t repetition, const RunRow* run,
                 const std::vector<const TrialEnded*>* ends, const std::vector<Epoch>& rungs) {
  Json json{{"run", number},
            {"id", run == nullptr ? Json(nullptr) : Json(run->id)},
            {"repetition", repetition},
            {"state", run == nullptr ? "new" : to_string(run->state)},
            {"outcome", ""},
            {"reason", ""},
            {"score", nullptr},
            {"rung", nullptr},
            {"seed", run == nullptr ? "" : seed_of(*run)},
            {"node", ""},
            {"scores", Json::array()}};
  if (ends == nullptr)
    return json;
  const auto& last = *ends->back();
  json["outcome"] = to_string(last.outcome);
  json["reason"] = last.reason;
  json["score"] = number_or_null(last.score);
  json["rung"] = last.rung;
  json["node"] = last.node;
  for (const auto* ended : *ends)
    if (ended->outcome == TrialOutcome::done)
      json["scores"].push_back({ended->rung < rungs.size() ? rungs[ended->rung] : ended->rung + 1,
                                number_or_null(ended->score)});
  return json;
}

/// The scores of a trial's finished runs at the furthest rung that any of them has reached.
struct TrialScore {
  std::vector<double> scores;
  std::uint32_t rung = 0;

  void add(const TrialEnded& ended) {
    if (ended.outcome != TrialOutcome::done || !std::isfinite(ended.score))
      return;
    if (ended.rung > rung)
      scores.clear();
    rung = std::max(rung, ended.rung);
    if (ended.rung == rung)
      scores.push_back(ended.score);
  }
  double mean() const {
    return scores.empty() ? std::nan("")
                          : std::accumulate(scores.begin(), scores.end(), 0.0)
                              / static_cast<double>(scores.size());
  }
  double deviation() const {
    if (scores.size() < 2)
      return std::nan("");
    auto squares = 0.0;
    for (const auto score : scores)
      squares += (score - mean()) * (score - mean());
    return std::sqrt(squares / static_cast<double>(scores.size() - 1));
  }
};

/// Sets `rank` of each trial: those that reached a further rung come first, then by mean.
void rank_trials(Json& trials, const std::vector<TrialScore>& scores, bool larger) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!scores[i].scores.empty())
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (scores[a].rung != scores[b].rung)
      return scores[a].rung > scores[b].rung;
    return larger ? scores[a].mean() > scores[b].mean() : scores[a].mean() < scores[b].mean();
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    trials[order[i]]["rank"] = i + 1;
}

} // namespace

GridDescription grid_description_in(const std::string& text) {
  GridDescription description;
  const auto json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    return description;
  try {
    description.by = json.at("by").get<std::string>();
    description.larger = json.at("better").get<std::string>() == "max";
    description.unit = json.at("unit").get<std::string>();
    description.axes = json.at("axes").get<std::vector<std::string>>();
    description.rungs = json.at("rungs").get<std::vector<Epoch>>();
    description.repetitions = json.at("repetitions").get<std::uint32_t>();
    for (const auto& trial : json.at("trials")) {
      description.tasks.push_back(trial.at("task").get<std::size_t>());
      description.values.push_back(trial.at("values").get<std::vector<std::string>>());
    }
  } catch (const Json::exception&) {
    return {};
  }
  return description;
}

GridPlace grid_place_of(const std::string& folder_name) {
  constexpr std::string_view begin = "trial-";
  constexpr std::string_view between = "-rep-";
  const std::string_view name = folder_name;
  const auto middle = name.find(between);
  if (!name.starts_with(begin) || middle == std::string_view::npos)
    return {};
  const auto trial = number_in<std::size_t>(name.substr(begin.size(), middle - begin.size()));
  const auto repetition = number_in<std::uint32_t>(name.substr(middle + between.size()));
  return trial && repetition && *repetition > 0 ? GridPlace{*trial, *repetition} : GridPlace{};
}

Json grid_row(const FoundFolder& grid, const GridDescription& description,
              const GridJournal& journal, const RunRows& runs) {
  const auto ends = ends_by_run(journal);
  const auto counts = grid_counts(ends, runs);
  // The journal may know of runs whose folders were not found yet.
  const auto all
    = std::max<std::size_t>(trials_of(description, runs) * repetitions_of(description, runs),
                            ends.empty() ? 0 : ends.rbegin()->first);
  return {{"id", folder_id(grid.path)},
          {"name", grid.path.filename().string()},
          {"folder", grid.path.string()},
          {"state", counts.training > 0                 ? "training"
                    : counts.done + counts.failed < all ? "stopped"
                    : counts.failed > 0                 ? "failed"
                                                        : "done"},
          {"runs", all},
          {"done", counts.done},
          {"failed", counts.failed},
          {"training", counts.training},
          {"by", description.by},
          {"better", description.larger ? "max" : "min"}};
}

Json grid_answer(const FoundFolder& grid, const GridDescription& description,
                 const GridJournal& journal, const RunRows& runs) {
  auto answer = grid_row(grid, description, journal, runs);
  const auto ends = ends_by_run(journal);
  const auto trials = trials_of(description, runs);
  const auto repetitions = repetitions_of(description, runs);
  std::map<std::pair<std::size_t, std::uint32_t>, const RunRow*> by_place;
  for (const auto& run : runs) {
    const auto place = grid_place_of(run->found.path.filename().string());
    by_place[{place.trial, place.repetition}] = run.get();
  }
  auto list = Json::array();
  std::vector<TrialScore> scores(trials);
  for (std::size_t trial = 1; trial <= trials; ++trial) {
    auto of_trial = Json::array();
    for (std::uint32_t repetition = 1; repetition <= repetitions; ++repetition) {
      const RunNumber number = (repetition - 1) * trials + trial;
      const auto found = ends.find(number);
      const auto place = by_place.find({trial, repetition});
      if (found != ends.end())
        for (const auto* ended : found->second)
          scores[trial - 1].add(*ended);
      of_trial.push_back(
        run_of_grid(number, repetition, place == by_place.end() ? nullptr : place->second,
                    found == ends.end() ? nullptr : &found->second, description.rungs));
    }
    const auto& score = scores[trial - 1];
    const auto known = trial <= description.values.size();
    list.push_back({{"trial", trial},
                    {"task", known ? description.tasks[trial - 1] : 1},
                    {"values", known ? description.values[trial - 1] : std::vector<std::string>{}},
                    {"rank", nullptr},
                    {"mean", number_or_null(score.mean())},
                    {"deviation", number_or_null(score.deviation())},
                    {"rung", score.scores.empty() ? Json(nullptr) : Json(score.rung)},
                    {"runs", std::move(of_trial)}});
  }
  rank_trials(list, scores, description.larger);
  answer["axes"] = description.axes;
  answer["rungs"] = description.rungs;
  answer["unit"] = description.unit;
  answer["trials"] = std::move(list);
  return answer;
}

} // namespace troupe
