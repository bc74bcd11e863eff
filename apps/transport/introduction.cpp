#include "apps/transport/introduction.hpp"

#include "actors/access/remote_handle.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <iostream>

namespace troupe {

caf::expected<Introduction<caf::strong_actor_ptr>> introduce(caf::actor_system& system,
                                                             const EntryPoint& entry,
                                                             const Introduce& introduce,
                                                             caf::timespan deadline) {
  const auto handle = make_remote_handle(
    system, entry, [](const std::string& line) { std::cerr << "warning: " + line + "\n"; });
  caf::expected<Introduction<caf::strong_actor_ptr>> made{caf::error{}};
  caf::scoped_actor self{system};
  self->request(caf::actor_cast<EntryPoint>(handle), deadline, introduce)
    .receive(
      [&](const Introduced& introduced) {
        made = Introduction<caf::strong_actor_ptr>{handle, introduced.token_required};
      },
      [&](caf::error& error) { made = std::move(error); });
  if (!made)
    caf::anon_send_exit(caf::actor_cast<caf::actor>(handle), caf::exit_reason::user_shutdown);
  return made;
}

} // namespace troupe
