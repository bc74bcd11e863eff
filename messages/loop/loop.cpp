#include "messages/loop/loop.hpp"

namespace troupe {

std::string to_string(Outcome outcome) {
  switch (outcome) {
  case Outcome::finished: return "finished";
  case Outcome::interrupted: return "interrupted";
  case Outcome::failed: return "failed";
  }
  return "unknown outcome";
}

} // namespace troupe
