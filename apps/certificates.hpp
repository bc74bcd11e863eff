// The cluster's own certificate authority: who holds a certificate of it may join, nobody else is
// heard.
#pragma once

#include "troupe/apps/kept_file.hpp"

#include <filesystem>
#include <string>

namespace troupe {

/// Files of one node's identity.
struct Identity {
  std::filesystem::path certificate; ///< PEM
  std::filesystem::path key;         ///< PEM, P-256, readable by its owner only
  std::filesystem::path authority;   ///< PEM, the certificate of the cluster's authority
};

/// Copies of an identity's files, for as long as it lives: CAF reads them for each connection, and
/// the process ends where it cannot.
class KeptIdentity {
public:
  /// @throws IoError where a file cannot be read.
  explicit KeptIdentity(const Identity& identity)
    : certificate_(identity.certificate),
      key_(identity.key),
      authority_(identity.authority) {}

  /// The copies.
  Identity identity() const { return {certificate_.path(), key_.path(), authority_.path()}; }

private:
  KeptFile certificate_, key_, authority_;
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

/// What is wrong with an identity as a sentence, "" where it can be used: files that are missing,
/// unreadable, expired, of another authority, or a key that others can read.
std::string defect_of(const Identity& identity);

} // namespace troupe
