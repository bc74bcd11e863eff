// Mutual TLS 1.3: both sides present a certificate of the same authority.
#pragma once

#include "apps/transport/certificates.hpp"

#include <cstddef>
#include <memory>
#include <string>

struct ssl_st;
struct ssl_ctx_st;

namespace troupe {

struct FreeTls {
  void operator()(ssl_st* session) const;
  void operator()(ssl_ctx_st* context) const;
};

/// One side of one connection; empty for a plain connection.
class TlsSession {
public:
  TlsSession() = default;
  explicit TlsSession(ssl_st* session) : session_(session) {}

  explicit operator bool() const { return session_ != nullptr; }
  ssl_st* get() const { return session_.get(); }

  enum class Handshake { done, reads, writes, failed };
  /// Continues the handshake as far as the socket allows.
  /// @returns what it waits for; after `failed`, `why()` has the reason.
  Handshake shake_hands();
  const std::string& why() const { return why_; }

private:
  std::unique_ptr<ssl_st, FreeTls> session_;
  std::string why_;
};

/// A process's certificate, key and authority, read once: later changes of the files have no
/// effect.
class TlsContext {
public:
  /// @throws IoError for unusable files.
  explicit TlsContext(const Identity& identity);
  /// @param pem certificate and key of make_own_certificate: only that certificate is trusted
  /// @throws IoError for an unusable text.
  explicit TlsContext(const std::string& pem);

  TlsSession accept(int descriptor) const;
  TlsSession connect(int descriptor) const;

private:
  TlsSession session(int descriptor) const;
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
};

/// OpenSSL's oldest error in this thread, which is removed from its queue.
std::string tls_reason();

} // namespace troupe
