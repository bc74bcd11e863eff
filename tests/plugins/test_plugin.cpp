// A plugin that tests load: an extension, a problem and a loss.
#include "base/plugin.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/record_maker.hpp"
#include "model/data/images/digits.hpp"
#include "model/data/problem_kind.hpp"
#include "model/losses/loss_kind.hpp"
#include "model/losses/softmax_cross_entropy.hpp"

TROUPE_PLUGIN;

namespace {

using namespace troupe;

struct CountedOptions {
  std::string record = "counted_by_plugin";
  TROUPE_FIELDS(record);
};

const RegisterExtension counted_kind{ExtensionOf<CountedOptions>{
  .name = "counted",
  .conditions = [] { return Conditions{}.set_trigger("after_epoch", true); },
  .spawn =
    [](const CountedOptions& options, const ExtensionContext& context) {
      const auto record = options.record;
      return spawn_record_maker(
        context.system, "counted",
        [record](const LoopEvent& event) {
          return Records{{record, Value{static_cast<std::int64_t>(event.position.batches)}}};
        },
        context.logger);
    },
  .place
  = [](const CountedOptions& options, OrderedExtension& place) { place.writes = {options.record}; },
}};

const RegisterProblem plugin_digits_kind{problem_kind<Digits, DigitsOptions>(
  "plugin_digits", {.train = 64, .validation = 16, .test = 16})};

const RegisterLoss plugin_loss_kind{{"plugin_loss", [](const LossOptions&) {
                                       return std::make_shared<SoftmaxCrossEntropy<float>>();
                                     }}};

} // namespace
