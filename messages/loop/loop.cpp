#include "messages/loop/loop.hpp"

#include "base/text/known_word.hpp"

namespace troupe {

std::string to_string(OnLoss policy) {
  switch (policy) {
  case OnLoss::fail: return "fail";
  case OnLoss::finish: return "finish";
  case OnLoss::proceed: return "proceed";
  }
  return "unknown policy";
}

bool from_text(std::string_view text, OnLoss& policy) {
  return from_known_word(text, policy, {OnLoss::fail, OnLoss::finish, OnLoss::proceed});
}

std::string to_string(Outcome outcome) {
  switch (outcome) {
  case Outcome::finished: return "finished";
  case Outcome::interrupted: return "interrupted";
  case Outcome::failed: return "failed";
  }
  return "unknown outcome";
}

} // namespace troupe
