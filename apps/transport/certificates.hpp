// The cluster's own certificate authority: only the holder of one of its certificates may join.
#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// The files of one node's identity.
struct Identity {
  std::filesystem::path certificate; ///< PEM
  std::filesystem::path key;         ///< PEM, P-256, readable by its owner only
  std::filesystem::path authority;   ///< PEM, the certificate of the cluster's authority
};

/// The identity called `name` in a folder of certificates; the files need not exist.
Identity identity_in(const std::filesystem::path& folder, const std::string& name);

/// Makes a new authority in `folder`: ca.pem and ca.key, P-256, valid for `days`.
/// @throws IoError if files cannot be written; ConfigError if the folder has an authority already.
void make_authority(const std::filesystem::path& folder, int days = 3650);

/// Makes a node's key and a certificate signed by the folder's authority: `name`.pem and
/// `name`.key.
/// @throws IoError, ConfigError if the authority cannot be read or the node exists already.
Identity make_identity(const std::filesystem::path& folder, const std::string& name,
                       int days = 365);

/// A key and a self-signed certificate that is its own authority, as PEM text. Only processes that
/// have this text can talk to each other.
std::string make_own_certificate(const std::string& name);

/// Why an identity cannot be used, as a sentence; "" if it can. Its files may be missing,
/// unreadable, expired or of another authority, or the key may be readable by others.
std::string defect_of(const Identity& identity);

} // namespace troupe
