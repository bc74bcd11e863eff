// The problems that a configuration can name; each is registered in its own file.
//
//   const RegisterProblem idx_kind{problem_kind<Idx, IdxOptions>("idx")};
//
// From there on a configuration can say `problem: {name: idx, folder: mnist}`.
#pragma once

#include "base/config/component_kind.hpp"
#include "base/registry.hpp"
#include "model/data/fitted_problem.hpp"
#include "model/data/section_sample.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace troupe {

/// Made with what an earlier run's problem has fitted ("": nothing), and the choice of the rows
/// that are trained on (none: all of the training section).
struct ProblemKind : ComponentKind<std::shared_ptr<const Problem>, const std::string& /*fit*/,
                                   const ChooseTrainingRows&> {
  bool makes_examples = false; ///< as against reading them from files
};

/// All that are linked or loaded, by name.
template <>
Registry<ProblemKind>& registry_of();
/// The same, to look up.
inline const Registry<ProblemKind>& problem_kinds() { return registry_of<ProblemKind>(); }

/// Makes a problem known to configurations; one of namespace scope in the problem's own file.
using RegisterProblem = Registration<ProblemKind>;

/// A problem whose constructor takes its options; a FittedProblem's takes the fit besides, and may
/// take the choice of rows.
template <class Made, HasFields Options>
ProblemKind problem_kind(std::string name, Options defaults = {}) {
  ProblemKind kind;
  kind.name = std::move(name);
  kind.defaults = [defaults] { return config::encode(defaults); };
  kind.make =
    [defaults](
      const config::Node& section, const std::string& path, [[maybe_unused]] const std::string& fit,
      [[maybe_unused]] const ChooseTrainingRows& choose) -> std::shared_ptr<const Problem> {
    const auto options = options_of<Options>(section, path, defaults);
    if constexpr (std::is_constructible_v<Made, const Options&, const std::string&,
                                          const ChooseTrainingRows&>)
      return std::make_shared<Made>(options, fit, choose);
    else if constexpr (std::is_base_of_v<FittedProblem, Made>)
      return std::make_shared<Made>(options, fit);
    else
      return std::make_shared<Made>(options);
  };
  // If the options say how many examples there are, no file does.
  kind.makes_examples = requires { defaults.train; };
  return kind;
}

} // namespace troupe
