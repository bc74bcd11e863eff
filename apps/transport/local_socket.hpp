// Connections within one machine, between processes of one user, through which descriptors of
// memory can be sent. Names are abstract: they are in no folder and end with their listener.
#pragma once

#include <optional>
#include <string>

namespace troupe {

/// @returns the listener's descriptor. @throws IoError
int listen_locally(const std::string& name);

/// Connects a local socket to who listens on the name. @throws IoError where nobody does.
void connect_locally(int socket, const std::string& name);

/// @throws IoError where the peer is of another user.
void check_same_user(int socket);

/// @returns false where the connection has ended; errno says how.
bool send_descriptor(int socket, int descriptor);
/// @returns the descriptor, which is the caller's to close; nothing where none came.
std::optional<int> receive_descriptor(int socket);

} // namespace troupe
