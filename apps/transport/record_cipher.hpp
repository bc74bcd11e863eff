#pragma once

#include "apps/transport/tls.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct evp_cipher_ctx_st;

namespace troupe {

/// Encrypts the records of one connection, of any size, by AES-128-GCM. There is a key for each
/// direction, which both ends derive from their TLS session (RFC 8446, section 7.5, exporters). The
/// nonce is the record's number, so that a record that was changed, left out, repeated or moved is
/// refused.
class RecordCipher {
public:
  /// Bytes by which a sealed record is longer.
  static constexpr std::size_t tag = 16;

  /// @param session after its handshake; at most one cipher for each. @throws IoError
  explicit RecordCipher(const TlsSession& session);

  /// @param sealed plain.size() + tag bytes
  void seal(std::span<const std::byte> plain, std::byte* sealed);

  /// @param sealed tag bytes or more
  /// @param plain sealed.size() - tag bytes, which are not to be used if the record is refused
  /// @returns whether this is the peer's next record
  [[nodiscard]] bool open(std::span<const std::byte> sealed, std::byte* plain);

private:
  struct FreeContext {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  /// The records of one direction.
  struct Direction {
    std::unique_ptr<evp_cipher_ctx_st, FreeContext> context;
    std::uint64_t next = 0; ///< number of the next record
    bool begin();           ///< begins the next record
  };

  Direction sent_, received_;
};

} // namespace troupe
