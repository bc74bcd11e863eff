#include "messages/requests/error.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

namespace troupe {

std::string to_string(Error error) {
  switch (error) {
  case Error::invalid_options: return "invalid options";
  case Error::shape_mismatch: return "shape mismatch";
  case Error::unknown_name: return "unknown name";
  case Error::not_created: return "not created";
  case Error::stale: return "stale";
  case Error::not_joined: return "not joined";
  case Error::already_running: return "already running";
  case Error::gate_failed: return "gate failed";
  case Error::training_failed: return "training failed";
  case Error::unavailable: return "unavailable";
  case Error::io: return "input or output failed";
  case Error::superseded: return "superseded";
  }
  return "unknown error";
}

caf::error fail(Error code, const std::string& sentence) { return caf::make_error(code, sentence); }

std::string sentence(const caf::error& error) {
  if (!error)
    return "no error";
  if (error.category() == caf::atom("troupe") && error.context().match_elements<std::string>())
    return error.context().get_as<std::string>(0);
  std::string text;
  if (error.category() == caf::atom("system"))
    text = to_string(static_cast<caf::sec>(error.code()));
  else if (error.category() == caf::atom("exit"))
    text = to_string(static_cast<caf::exit_reason>(error.code()));
  else
    text = caf::to_string(error.category()) + " error " + std::to_string(error.code());
  for (auto& c : text)
    if (c == '_')
      c = ' ';
  if (!error.context().empty())
    text += " " + caf::deep_to_string(error.context());
  return text;
}

std::string render_error(std::uint8_t code, caf::atom_value, const caf::message& context) {
  return to_string(Error{code}) + " " + caf::deep_to_string(context);
}

} // namespace troupe
