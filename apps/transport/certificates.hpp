// The cluster's own certificate authority: who holds a certificate of it may join, nobody else is
// heard.
#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// Files of one node's identity.
struct Identity {
  std::filesystem::path certificate; ///< PEM
  std::filesystem::path key;         ///< PEM, P-256, readable by its owner only
  std::filesystem::path authority;   ///< PEM, the certificate of the cluster's authority
};

/// The identity called `name` in a folder of certificates; the files need not exist.
Identity identity_in(const std::filesystem::path& folder, const std::string& name);

/// Makes a new authority in `folder`: ca.pem and ca.key, P-256, valid for `days`.
/// @throws IoError where files cannot be written; ConfigError where there is an authority already.
void make_authority(const std::filesystem::path& folder, int days = 3650);

/// Makes the key of a node and a certificate by the folder's authority: <name>.pem, <name>.key.
/// @throws IoError, ConfigError where the authority cannot be read or there is such a node already.
Identity make_identity(const std::filesystem::path& folder, const std::string& name,
                       int days = 365);

/// A key and a certificate that is its own authority, as a text in PEM: whoever has it, and nobody
/// else, can talk to whoever has it.
std::string make_own_certificate(const std::string& name);

/// What is wrong with an identity as a sentence, "" where it can be used: files that are missing,
/// unreadable, expired, of another authority, or a key that others can read.
std::string defect_of(const Identity& identity);

} // namespace troupe
