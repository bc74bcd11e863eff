// An extension of one's own: an observer that records the value of one parameter.
#include <troupe/extensions/support/extension_kind.hpp>
#include <troupe/extensions/support/record_maker.hpp>

#include <stdexcept>

namespace {

using namespace troupe;

struct ParameterRecordOptions {
  std::string parameter = ""; ///< its name in the layout; of several numbers the first is recorded
  TROUPE_FIELDS(parameter);
};

void check(const ParameterRecordOptions& options) {
  if (options.parameter.empty())
    throw std::invalid_argument("parameter is missing; give the name of one, like median");
}

Extension spawn_parameter_record(const ParameterRecordOptions& options,
                                 const ExtensionContext& context) {
  const auto* found = context.layout.find(options.parameter);
  if (found == nullptr)
    throw std::invalid_argument("the model has no parameter '" + options.parameter + "'");
  const auto name = options.parameter;
  const auto offset = static_cast<std::size_t>(found->offset);
  return spawn_record_maker(
    context.system, "median",
    [=](const LoopEvent& event) {
      return Records{{"parameter_" + name, Value{double{event.parameters.values.view()[offset]}}}};
    },
    context.logger);
}

const RegisterExtension median_kind{ExtensionOf<ParameterRecordOptions>{
  .name = "median",
  .shows = Shows::parameters,
  .conditions = [] { return Conditions{}.set_trigger("after_epoch", true); },
  .spawn = spawn_parameter_record,
  .place = [](const ParameterRecordOptions& options,
              OrderedExtension& place) { place.writes = {"parameter_" + options.parameter}; },
}};

} // namespace
