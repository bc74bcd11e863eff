// How an actor is reached from another node. Only its entry point is published. The actor itself
// never sends to another node, so no other node can learn its address.
//
//   another node                    entry point                       actor
//     | ---- Introduce ------------> |   the cluster's token            |
//     | <--- Introduced ------------ |   a new key for this peer        |
//     | ---- Envelope(message) ----> |   the key                        |
//     |                              | ---- message ------------------> |
//     |                              | <--- answer -------------------- |
//     | <--- Envelope(answer) ------ |   the same key                   |
//
// CAF accepts any sender that a peer names, and forwards messages between nodes. So neither side
// trusts the apparent sender: a message counts only with a key that both sides know. Everything
// else (exit messages, down messages, messages without an envelope) is refused.
#pragma once

#include "messages/parameters/parameters.hpp"

#include <caf/message.hpp>

#include <string>
#include <utility>

namespace troupe {

/// The first message of a peer. Error::invalid_options is the answer to another protocol, actor or
/// token.
struct Introduce {
  std::uint32_t protocol = protocol_version; ///< of the peer's build
  std::string actor;   ///< the actor that the peer expects here: "parameter holder", "grid"
  std::string cluster; ///< the secret that all processes of one cluster share; "": none
  TROUPE_FIELDS(protocol, actor, cluster);
};

/// The peer is admitted.
struct Introduced {
  std::string key;             ///< for its envelopes; drawn at random for each peer
  bool token_required = false; ///< false: every peer with a certificate is admitted
  TROUPE_FIELDS(key, token_required);
};

/// A message with the key that admits it.
struct Envelope {
  std::string key;      ///< from Introduced
  caf::message content; ///< one message of the actor's interface, its answer, or an error
  TROUPE_FIELDS(key, content);
};

/// Moves the content out of an envelope. CAF moves a message by swapping: assigned to the message
/// that contains the envelope, the content would keep itself alive.
inline caf::message take_content(Envelope& envelope) {
  auto content = std::move(envelope.content);
  return content;
}

/// CAF compares messages only as text.
inline bool operator==(const Envelope& a, const Envelope& b) {
  return a.key == b.key && caf::to_string(a.content) == caf::to_string(b.content);
}

/// Stands for an actor towards other nodes (actors/access/entry_point.hpp).
using EntryPoint = caf::typed_actor<caf::replies_to<Introduce>::with<Introduced>,
                                    caf::replies_to<Envelope>::with<Envelope>>;

} // namespace troupe
