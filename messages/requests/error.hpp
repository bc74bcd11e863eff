// Errors between actors. An error carries a sentence: what was being done, with which value, and
// the cure.
#pragma once

#include <caf/error.hpp>
#include <caf/make_message.hpp>
#include <caf/message.hpp>

#include <cstdint>
#include <string>

namespace troupe {

/// Add new values at the end, with the cure.
enum class Error : std::uint8_t {
  invalid_options = 1, ///< refused before anything started: fix the configuration
  shape_mismatch,  ///< sizes differ between two sides: the sentence names the parameter and both
                   ///< shapes
  unknown_name,    ///< no parameter, section, subscription or timeline of that name
  not_created,     ///< the parameters do not exist yet: send CreateIfAbsent first
  stale,           ///< older than a newer state of the sender: pull, then continue from there
  not_joined,      ///< the holder does not know this worker: send Join first
  already_running, ///< the trainer is training: stop it first
  gate_failed,     ///< a required extension did not answer: see the sentence for which and why
  training_failed, ///< the loop ended with an error: see the sentence
  unavailable,     ///< the other node does not answer at the moment; the request is retried
  io,              ///< a file could not be read or written: the sentence names it
  superseded,      ///< another process has taken the sender's number: end, and give each its own
};

/// "invalid options", "stale"; "unknown error" for an invalid value, which may come from another
/// node
std::string to_string(Error error);

/// An error whose text is `sentence`.
caf::error fail(Error code, const std::string& sentence);

/// The sentence of an error made by `fail`; for CAF's own errors their name and context.
std::string sentence(const caf::error& error);

/// For `actor_system_config::add_error_category(caf::atom("troupe"), render_error)`.
std::string render_error(std::uint8_t code, caf::atom_value, const caf::message& context);

} // namespace troupe

CAF_ERROR_CODE_ENUM(troupe::Error, "troupe")
