#include "apps/run_config/extension_checks.hpp"

#include "apps/catalog/components.hpp"
#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

std::vector<std::string> optimizer_settings(const config::Node& optimizer) {
  std::vector<std::string> names;
  try {
    for (const auto& [name, value] : make_optimizer_factory(optimizer)(1)->settings())
      names.push_back(name);
  } catch (const std::exception&) { // reported when the optimizer is made
  }
  return names;
}

/// Two monitors with equal record names would overwrite each other's records.
void check_monitors(const std::vector<ConfiguredExtension>& extensions, Sentences& errors) {
  std::map<std::string, std::string> monitors; // by the name of their loss record
  for (const auto& extension : extensions) {
    const auto loss = hook_answer(extension, &RunHooks<>::sole_record);
    if (!loss)
      continue;
    if (const auto [first, fresh] = monitors.emplace(*loss, extension.name); !fresh)
      errors.push_back("extensions '" + first->second + "' and '" + extension.name
                       + "' both write '" + *loss
                       + "' and related records, overwriting each other; give one a suffix, like "
                         "extensions."
                       + extension.name + ".suffix=" + extension.name);
  }
}

/// A worker joins only once: a second sync would join under the same number.
void check_single_sync(const std::vector<ConfiguredExtension>& extensions, Sentences& errors) {
  std::vector<std::string> names;
  for (const auto& extension : extensions)
    if (hook_answer(extension, &RunHooks<>::shares))
      names.push_back("extensions." + extension.name);
  if (names.size() > 1)
    errors.push_back(joined(names)
                     + " would each share the parameters of the same workers; keep "
                       "one, and switch the others off, like "
                     + names.front() + "=false");
}

} // namespace

void check_extensions(const RunConfig& config, WorkerId workers, Sentences& errors) {
  check_single_sync(config.extensions, errors);
  RunFacts run{.wire = config.cluster.wire.format,
               .workers = workers,
               .one_process = config.training.workers > 1};
  if (const auto* optimizer = config.tree.find("optimizer"))
    run.optimizer_settings = optimizer_settings(*optimizer);
  for (const auto& extension : config.extensions)
    for (auto& defect : hook_answer(extension, &RunHooks<>::defects, run).value_or(Sentences{}))
      errors.push_back(std::move(defect));
}

void check_together(std::vector<ConfiguredExtension> wanted) {
  add_companions(wanted);
  Sentences errors;
  check_monitors(wanted, errors);
  std::set<std::string> names;
  for (const auto& extension : wanted)
    if (!names.insert(extension.name).second)
      errors.push_back("two extensions are called '" + extension.name
                       + "', one of which the run adds itself; give yours another name, "
                         "and its kind as `type`");
  try {
    configured_order(wanted);
  } catch (const ConfigError& e) {
    errors.insert(errors.end(), e.sentences().begin(), e.sentences().end());
  }
  if (!errors.empty())
    throw ConfigError(errors);
}

} // namespace troupe
