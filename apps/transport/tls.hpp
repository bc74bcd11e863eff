// Mutual TLS 1.3: both sides show a certificate of the same authority.
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

/// One side of one connection; empty: the connection is plain.
class TlsSession {
public:
  TlsSession() = default;
  explicit TlsSession(ssl_st* session) : session_(session) {}

  explicit operator bool() const { return session_ != nullptr; }
  ssl_st* get() const { return session_.get(); }

  enum class Step { done, reads, writes, failed };
  /// Goes on with the handshake as far as the socket lets it.
  /// @returns what it waits for; `why()` says why it has failed.
  Step shake_hands();
  const std::string& why() const { return why_; }

private:
  std::unique_ptr<ssl_st, FreeTls> session_;
  std::string why_;
};

/// A process's certificate, key and authority, read once: what becomes of the files afterwards
/// changes nothing.
class TlsContext {
public:
  /// @throws IoError for files that cannot be used.
  explicit TlsContext(const Identity& identity);
  /// @param pem certificate and key of make_own_certificate: it trusts its own kind only
  /// @throws IoError for a text that cannot be used.
  explicit TlsContext(const std::string& pem);

  TlsSession accept(int descriptor) const;
  TlsSession connect(int descriptor) const;

private:
  TlsSession session(int descriptor) const;
  std::unique_ptr<ssl_ctx_st, FreeTls> context_;
};

/// OpenSSL's oldest reason in this thread, which it then forgets.
std::string tls_reason();

} // namespace troupe
