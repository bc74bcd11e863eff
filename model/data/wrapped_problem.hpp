#pragma once

#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"
#include "model/data/statistics_source.hpp"

#include <memory>

namespace troupe {

/// A problem that wraps another one: functions that a derived class does not override are
/// forwarded, statistics and fit included.
class WrappedProblem : public Problem, public StatisticsSource, public FittedProblem {
public:
  /// @pre problem is not null
  explicit WrappedProblem(std::shared_ptr<const Problem> problem);

  std::string name() const override { return problem_->name(); }
  const DataSpec& spec() const override { return problem_->spec(); }
  Index size(Section section) const override { return problem_->size(section); }
  bool endless() const override { return problem_->endless(); }
  Epoch epochs() const override { return problem_->epochs(); }
  Epoch curriculum_epochs() const override { return problem_->curriculum_epochs(); }
  Index curriculum_length(Epoch epoch) const override { return problem_->curriculum_length(epoch); }
  bool curriculum_must_finish() const override { return problem_->curriculum_must_finish(); }
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override {
    problem_->gather(section, rows, batch);
  }
  std::vector<std::string> class_names() const override { return problem_->class_names(); }
  std::vector<std::string> reading_notes() const override { return problem_->reading_notes(); }

  /// What the wrapped problem has fitted; "" if it fits nothing.
  std::string fit() const override { return fit_of(*problem_); }

  std::vector<Statistic> statistics() const override;
  std::vector<double> collect_statistics(const Batch& batch,
                                         std::span<const float> prediction) const override;
  bool reads_prediction() const override;

protected:
  /// The problem that is wrapped.
  const Problem& wrapped() const { return *problem_; }

private:
  std::shared_ptr<const Problem> problem_;
  const StatisticsSource* counts_; ///< the problem, if it is a source; else null
};

} // namespace troupe
