// Connections within one machine, between processes of one user, that can carry memory descriptors.
// Names are abstract: they belong to no folder and vanish with their listener.
#pragma once

#include <optional>
#include <string>

namespace troupe {

/// @returns the listener's descriptor. @throws IoError
int listen_locally(const std::string& name);

/// Connects a local socket to the listener of that name. @throws IoError if there is none.
void connect_locally(int socket, const std::string& name);

/// @throws IoError if the peer belongs to another user.
void check_same_user(int socket);

/// @returns false if the connection has ended; errno has the reason.
bool send_descriptor(int socket, int descriptor);
/// @returns the descriptor, which the caller closes; nothing if none came.
std::optional<int> receive_descriptor(int socket);

} // namespace troupe
