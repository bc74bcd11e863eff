#include "actors/control/attached_extensions.hpp"

#include "base/text/text.hpp"

#include <stdexcept>

namespace troupe {

namespace {

std::string joined_names(const std::vector<AttachedExtension>& extensions) {
  return extensions.empty() ? "none" : joined(extensions, ", ", &AttachedExtension::name);
}

} // namespace

std::vector<AttachedExtension> AttachedExtensions::to_detach(const std::string& name) const {
  std::vector<AttachedExtension> found;
  for (const auto& extension : attached_)
    if (extension.name == name)
      found.push_back(extension);
  if (found.empty())
    throw std::invalid_argument("no extension is called '" + name
                                + "'; there are: " + joined_names(attached_));
  if (found.front().shares) // the shared parameters are the run's result
    throw std::invalid_argument("'" + name
                                + "' shares parameters from the start or not at all; it cannot "
                                  "be detached while training runs");
  return found;
}

void AttachedExtensions::check_new(const std::string& name, const std::string& type) const {
  for (const auto& other : attached_)
    if (other.name == name)
      throw std::invalid_argument("an extension called '" + name
                                  + "' is there already; give this one a name, like: attach " + type
                                  + ":another");
}

void AttachedExtensions::remove(const AttachedExtension& extension) {
  std::erase_if(attached_, [&](const auto& other) { return other.actor == extension.actor; });
  if (extension.definition.empty())
    detached_.insert(extension.name);
}

void AttachedExtensions::ended(const caf::actor_addr& actor) {
  std::erase_if(attached_,
                [&](const auto& extension) { return extension.actor.address() == actor; });
}

SavedFields AttachedExtensions::saved() const {
  SavedFields records;
  for (const auto& name : detached_)
    records["detached." + name] = Value{true};
  for (const auto& extension : attached_)
    if (!extension.definition.empty())
      records["attached." + extension.name] = Value{extension.definition};
  return records;
}

} // namespace troupe
