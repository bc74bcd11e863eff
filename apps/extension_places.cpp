// Which records each kind of extension writes and needs: the order in which they are asked follows.
#include "troupe/apps/extension_catalog.hpp"

namespace troupe {

namespace {

std::string text_of(const ConfiguredExtension& extension, const std::string& option,
                    const std::string& otherwise = "") {
  const auto* node = extension.options.find(option);
  return node == nullptr || node->text().empty() ? otherwise : node->text();
}

} // namespace

OrderedExtension place_of(const ConfiguredExtension& extension) {
  OrderedExtension place;
  place.name = extension.name;
  place.after = extension.participation.after;
  place.last = extension.type == "checkpoint";
  const auto record = text_of(extension, "record", "validation_loss");
  if (extension.type == "stream_monitoring") {
    place.writes
      = {text_of(extension, "prefix", text_of(extension, "section", "validation")) + "_*"};
  } else if (extension.type == "training_monitoring") {
    place.writes = {text_of(extension, "prefix", "training") + "_*"};
  } else if (extension.type == "track_the_best" || extension.type == "early_stopping") {
    place.needs = {record};
    place.writes = {text_of(extension, "notification", record + "_best_so_far")};
  } else if (extension.type == "finish_if_no_improvement") {
    place.needs = {text_of(extension, "notification", record + "_best_so_far")};
  }
  return place;
}

} // namespace troupe
