// What a run asks an extension of its configuration, beside how to spawn it: when it will end the
// run, what it saves, whether it fits the rest of the configuration. Each hook may be left out.
//
//   .hooks = {.ends = [](const FinishAfterOptions&, const ConfiguredExtension& self) {
//     return end_of(self.conditions);
//   }},
#pragma once

#include "base/failure.hpp"
#include "extensions/support/configured_extension.hpp"
#include "extensions/support/extension_context.hpp"
#include "model/codecs/wire_format.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// When extensions will end a run, per worker; 0: unknown.
struct ExpectedEnd {
  Step batches = 0;   ///< in total
  double seconds = 0; ///< of training

  /// Takes what is known of another end where it is earlier.
  void take_earlier(const ExpectedEnd& other) {
    if (other.batches > 0 && (batches == 0 || other.batches < batches))
      batches = other.batches;
    if (other.seconds > 0 && std::isfinite(other.seconds)
        && (seconds == 0 || other.seconds < seconds))
      seconds = other.seconds;
  }
};

/// What an extension may have to fit: the rest of the configuration.
struct RunFacts {
  std::vector<std::string> optimizer_settings = {}; ///< their names; empty: unknown
  WireFormat wire = {};                             ///< of parameters between processes
  WorkerId workers = 0;                             ///< that share parameters; 0: unknown
  bool one_process = false;                         ///< all of these are in one process
};

/// How an extension shares the parameters of several workers.
struct WorkerSharing {
  bool in_rounds = false;       ///< each sync waits for all workers
  bool own_are_newer = false;   ///< the workers' parameters are all the same, and newer than the
                                ///< shared ones
  bool optimizer_state = false; ///< the optimizer's slots are shared, too
  bool gradient = false;        ///< and the gradient

  /// What follows the parameters in the shared block, each as long as they are.
  std::vector<std::string> parts(const std::vector<std::string>& optimizer_slots) const {
    auto parts = optimizer_state ? optimizer_slots : std::vector<std::string>{};
    if (gradient)
      parts.emplace_back("gradient");
    return parts;
  }
};

/// The model's metrics on a section of the problem, as an extension writes them: records like
/// `<prefix>_loss_<suffix>`.
struct MeasuredMetrics {
  std::string section = "validation"; ///< train, validation or test
  std::string prefix = {};            ///< before each metric; "": the section's name
  std::string suffix = {};            ///< after each metric; "": none
  bool spread = false;                ///< also their minimum, maximum and deviation over batches

  /// What stands before each metric.
  const std::string& start() const { return prefix.empty() ? section : prefix; }
  /// The record of a metric: "validation_loss".
  std::string record(const std::string& metric) const {
    return start() + "_" + metric + (suffix.empty() ? "" : "_" + suffix);
  }
};

/// A file whose parameters training starts with. The extension's option `path` names it.
struct LoadedFile {
  std::string path;      ///< of a state or a model
  bool strict = false;   ///< every parameter on either side must exist on the other
  bool optional = false; ///< it may be missing
};

/// How samples of the model's inputs and predictions are shown.
struct SampleView {
  Index examples = 36;            ///< number of examples, from the first
  Index scale = 2;                ///< pixels per pixel of an example
  std::string folder = "samples"; ///< in the folder of a run or a test
};

/// @tparam Options of the extension, as its author describes it; none: any extension, whose options
/// are read from its section
template <class... Options>
struct RunHooks {
  /// A function of the options, if there are any, of the section, and of what the hook is about.
  template <class Answer, class... Facts>
  using Hook
    = std::function<Answer(const Options&..., const ConfiguredExtension& self, const Facts&...)>;

  /// When it ends the run, as far as its configuration says.
  Hook<ExpectedEnd> ends = {};
  /// Why it does not fit the rest of the configuration, as sentences. What is wrong with its own
  /// options is for `check(options)`.
  Hook<Sentences, RunFacts> defects = {};
  /// Warnings that follow "extension 'its name' ", where it is attached.
  Hook<Sentences, ExtensionContext> warnings = {};
  /// Present where it shares the parameters of several workers: then a run has only one such
  /// extension, and one worker alone has none.
  Hook<WorkerSharing> shares = {};
  /// Present where it measures the model, so that records of any metric may be waited for.
  Hook<MeasuredMetrics> measures = {};
  /// A record that no other extension may write, since its option `suffix` can tell them apart.
  Hook<std::string> sole_record = {};
  /// Present where training starts with the parameters of a file, which is checked before.
  Hook<LoadedFile> loads = {};
  /// Present where its actor is a Checkpoint (messages/checkpoint), one for all workers of a
  /// process: the file in the run's folder from which the run can be resumed; "": none.
  Hook<std::string> saves_run = {};
  /// The file in the run's folder with the state that the run's results are about; "": the last.
  Hook<std::string> best_state = {};
  /// Present where it writes files of its own into the folder of its worker.
  Hook<bool> writes_files = {};
  /// How `troupe test` shows samples, too.
  Hook<SampleView> samples = {};
};

/// The hooks of any extension by those of one kind.
/// @param read the options of a ConfiguredExtension; it may throw ConfigError
template <class Options, class Read>
RunHooks<> hooks_with(const Read& read, const RunHooks<Options>& of) {
  const auto with = [&read](const auto& hook, auto& any) {
    if (hook)
      any = [read, hook](const ConfiguredExtension& self, const auto&... facts) {
        return hook(read(self), self, facts...);
      };
  };
  RunHooks<> any;
  with(of.ends, any.ends);
  with(of.defects, any.defects);
  with(of.warnings, any.warnings);
  with(of.shares, any.shares);
  with(of.measures, any.measures);
  with(of.sole_record, any.sole_record);
  with(of.loads, any.loads);
  with(of.saves_run, any.saves_run);
  with(of.best_state, any.best_state);
  with(of.writes_files, any.writes_files);
  with(of.samples, any.samples);
  return any;
}

} // namespace troupe
