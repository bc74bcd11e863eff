#include "extensions/monitoring/samples.hpp"

#include "base/files/private_files.hpp"
#include "base/text/text.hpp"
#include "extensions/monitoring/sample_sheet.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <stdexcept>

namespace troupe {

Conditions samples_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"after_epoch", "after_training"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

std::vector<Section> sections_to_show(const SamplesOptions& options, bool done) {
  if (options.section != "validation" && options.section != "test")
    throw std::invalid_argument("section of samples is " + in_quotes(options.section)
                                + "; give validation or test");
  const auto held_out = options.section == "test" ? Section::test : Section::validation;
  switch (options.visualize) {
  case -1: return {};
  case 0: return {Section::train};
  case 1: return {Section::train, held_out};
  case 2: return {held_out};
  case 3: return done ? std::vector{held_out} : std::vector<Section>{};
  default:
    throw std::invalid_argument("visualize of samples is " + std::to_string(options.visualize)
                                + "; give -1 (nothing), 0 (training), 1 (training and "
                                  "validation), 2 (validation) or 3 (validation, after training)");
  }
}

namespace {

class SamplesState {
public:
  static constexpr const char* name = "samples";
  using Self = Extension::stateful_pointer<SamplesState>;

  void begin(Self self, const SamplesOptions& options, std::shared_ptr<const Problem> problem,
             std::shared_ptr<Model> model, const std::string& folder, Logger logger) {
    self_ = self;
    options_ = options;
    problem_ = std::move(problem);
    model_ = std::move(model);
    folder_ = std::filesystem::path{folder} / options.folder;
    logger_ = std::move(logger);
  }

  void show(const LoopEvent& event) {
    const auto sections = sections_to_show(options_, event.done);
    if (sections.empty()
        || newest_ == event.position.batches) // already shown at the end of the epoch
      return;
    newest_ = event.position.batches;
    for (const auto section : sections)
      try {
        make_private_folder(folder_);
        write(section, event);
      } catch (const std::exception& e) {
        self_->send(logger_, Say{Level::warning,
                                 "no samples of the " + to_string(section) + " section at batch "
                                   + std::to_string(event.position.batches) + ": " + e.what()});
      }
  }

private:
  void write(Section section, const LoopEvent& event) {
    const auto name = fmt::format("{}_{:06}", to_string(section), event.position.batches);
    const auto path
      = write_samples(folder_ / name, {*problem_, *model_, event.parameters.values.view(), section,
                                       options_.examples, options_.scale});
    self_->send(logger_, Say{Level::debug, "samples: " + path.string()});
  }

  Self self_ = nullptr;
  SamplesOptions options_;
  std::shared_ptr<const Problem> problem_;
  std::shared_ptr<Model> model_;
  std::filesystem::path folder_;
  Logger logger_;
  std::optional<Step> newest_; ///< last batch that was shown
};

Extension::behavior_type samples(SamplesState::Self self, const SamplesOptions& options,
                                 std::shared_ptr<const Problem> problem,
                                 std::shared_ptr<Model> model, const std::string& folder,
                                 Logger logger) {
  auto& state = self->state;
  state.begin(self, options, std::move(problem), std::move(model), folder, std::move(logger));
  return {
    [&state](const LoopEvent& event) { state.show(event); },
    [&state](const AskGate& ask) {
      state.show(ask.event);
      return GateAnswer{};
    },
    [](const Drain&) { return Drained{}; },
    saves_nothing,
    restores_nothing,
  };
}

} // namespace

void check(const SamplesOptions& options) {
  sections_to_show(options, false);
  if (options.examples < 1 || options.examples > 1000 || options.scale < 1 || options.scale > 16)
    throw std::invalid_argument("samples shows " + std::to_string(options.examples)
                                + " examples at a scale of " + std::to_string(options.scale)
                                + "; give 1 to 1000 examples and a scale from 1 to 16");
  if (options.folder.empty())
    throw std::invalid_argument("folder of samples is empty; give one, like samples");
}

Extension spawn_samples(caf::actor_system& system, const SamplesOptions& options,
                        std::shared_ptr<const Problem> problem, std::shared_ptr<Model> model,
                        const std::string& folder, Logger logger) {
  check(options);
  return system.spawn(samples, options, std::move(problem), std::move(model), folder,
                      std::move(logger));
}

namespace {

const RegisterExtension samples_kind{ExtensionOf<SamplesOptions>{
  .name = "samples",
  .shows = Shows::parameters,
  .conditions = samples_conditions,
  .spawn =
    [](const SamplesOptions& options, const ExtensionContext& context) {
      return spawn_samples(context.system, options, context.problem,
                           std::shared_ptr<Model>{context.model->clone()},
                           folder_of_worker(context), context.logger);
    },
  .hooks = {.writes_files = [](const SamplesOptions&, const ConfiguredExtension&) { return true; },
            .samples =
              [](const SamplesOptions& options, const ConfiguredExtension&) {
                return SampleView{options.examples, options.scale, options.folder};
              }},
}};

} // namespace

} // namespace troupe
