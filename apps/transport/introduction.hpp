// How this process introduces itself to an actor on another node.
#pragma once

#include "messages/access/entry_point.hpp"

#include <caf/actor_cast.hpp>
#include <caf/expected.hpp>
#include <caf/timespan.hpp>

#include <string>

namespace troupe {

/// The handle of an actor on another node that has accepted this process.
template <class Handle>
struct Introduction {
  Handle handle;
  bool token_required = false; ///< false: the other side accepts any trusted certificate
};

/// @returns Error::invalid_options if the other side refuses this process. It blocks for the
/// deadline at most.
caf::expected<Introduction<caf::strong_actor_ptr>> introduce(caf::actor_system& system,
                                                             const EntryPoint& entry,
                                                             const Introduce& introduce,
                                                             caf::timespan deadline);

template <class Handle>
caf::expected<Introduction<Handle>> introduce_to(caf::actor_system& system, const EntryPoint& entry,
                                                 const std::string& actor, const std::string& token,
                                                 caf::timespan deadline) {
  const auto made = introduce(system, entry, {protocol_version, actor, token}, deadline);
  if (!made)
    return made.error();
  return Introduction<Handle>{caf::actor_cast<Handle>(made->handle), made->token_required};
}

} // namespace troupe
