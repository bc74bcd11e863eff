// How an actor is reached from another node. Only its entry point is published; the actor itself
// never sends anything to another node, so that nothing from there can name it.
//
//   another node                    entry point                       actor
//     | ---- Introduce ------------> |   the cluster's token            |
//     | <--- Introduced ------------ |   a key, drawn for this peer     |
//     | ---- Envelope(message) ----> |   the key                        |
//     |                              | ---- message ------------------> |
//     |                              | <--- answer -------------------- |
//     | <--- Envelope(answer) ------ |   the same key                   |
//
// CAF believes a peer that names another node as the sender, and hands on messages between nodes.
// So neither side goes by where a message seems to come from: only a key that both sides know
// counts. What else arrives (an exit message, a down message, a message without an envelope) is
// refused.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <caf/message.hpp>

#include <string>
#include <utility>

namespace troupe {

struct Introduce {
  std::uint32_t protocol = protocol_version;
  std::string actor;   ///< whom the peer expects here: "parameter holder", "grid"
  std::string cluster; ///< the secret that all processes of one cluster share; "": none
  FIELDS(protocol, actor, cluster);
};

struct Introduced {
  std::string key;
  bool asked_token = false; ///< false: anybody with a certificate is let in
  FIELDS(key, asked_token);
};

struct Envelope {
  std::string key;
  caf::message content; ///< one message of the actor's interface, its answer, or an error
  FIELDS(key, content);
};

/// What an envelope holds. CAF moves a message by exchanging it, so that assigned to the one that
/// holds the envelope it would keep itself alive.
inline caf::message taken_out(Envelope& envelope) {
  auto content = std::move(envelope.content);
  return content;
}

/// CAF compares messages only by their text.
inline bool operator==(const Envelope& a, const Envelope& b) {
  return a.key == b.key && caf::to_string(a.content) == caf::to_string(b.content);
}

using EntryPoint = caf::typed_actor<caf::replies_to<Introduce>::with<Introduced>,
                                    caf::replies_to<Envelope>::with<Envelope>>;

} // namespace troupe
