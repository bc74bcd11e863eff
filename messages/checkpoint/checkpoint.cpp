#include "messages/checkpoint/checkpoint.hpp"

#include "base/text/known_word.hpp"

namespace troupe {

std::string to_string(SeparatePart part) {
  switch (part) {
  case SeparatePart::parameters: return "parameters";
  case SeparatePart::model: return "model";
  case SeparatePart::optimizer: return "optimizer";
  case SeparatePart::log: return "log";
  case SeparatePart::position: return "position";
  }
  return "unknown part";
}

bool from_text(std::string_view text, SeparatePart& part) {
  return from_known_word(text, part,
                         {SeparatePart::parameters, SeparatePart::model, SeparatePart::optimizer,
                          SeparatePart::log, SeparatePart::position});
}

} // namespace troupe
