#include "apps/transport/tls.hpp"

#include "base/failure.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <cstring>

namespace troupe {

namespace {

std::unique_ptr<ssl_ctx_st, FreeTls> new_context() {
  ERR_clear_error();
  std::unique_ptr<ssl_ctx_st, FreeTls> context{SSL_CTX_new(TLS_method())};
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION) != 1)
    throw IoError("OpenSSL cannot be initialised: " + tls_reason());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_AUTO_RETRY | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context.get(), 0);
  return context;
}

} // namespace

void FreeTls::operator()(ssl_st* session) const { SSL_free(session); }
void FreeTls::operator()(ssl_ctx_st* context) const { SSL_CTX_free(context); }

std::string tls_reason() {
  const auto code = ERR_get_error();
  const auto* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "the connection ended" : reason;
}

TlsSession::Handshake TlsSession::shake_hands() {
  ERR_clear_error(); // SSL_get_error looks at the thread's whole error queue
  errno = 0;
  const auto result = SSL_do_handshake(session_.get());
  if (result == 1)
    return Handshake::done;
  switch (SSL_get_error(session_.get(), result)) {
  case SSL_ERROR_WANT_READ: return Handshake::reads;
  case SSL_ERROR_WANT_WRITE: return Handshake::writes;
  default: break;
  }
  why_ = errno != 0 ? std::strerror(errno) : tls_reason();
  ERR_clear_error();
  return Handshake::failed;
}

TlsContext::TlsContext(const Identity& identity) : context_(new_context()) {
  auto* const context = context_.get();
  if (SSL_CTX_use_certificate_chain_file(context, identity.certificate.c_str()) != 1
      || SSL_CTX_use_PrivateKey_file(context, identity.key.c_str(), SSL_FILETYPE_PEM) != 1
      || SSL_CTX_load_verify_locations(context, identity.authority.c_str(), nullptr) != 1)
    throw IoError("the certificate '" + identity.certificate.string()
                  + "' cannot be used: " + tls_reason());
}

TlsContext::TlsContext(const std::string& pem) : context_(new_context()) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text{
    BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{
    PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &X509_free};
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
    PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free};
  auto* const context = context_.get();
  if (!certificate || !key || SSL_CTX_use_certificate(context, certificate.get()) != 1
      || SSL_CTX_use_PrivateKey(context, key.get()) != 1
      || X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate.get()) != 1)
    throw IoError("a run's own certificate cannot be used: " + tls_reason());
}

TlsSession TlsContext::session(int descriptor) const {
  ERR_clear_error();
  TlsSession session{SSL_new(context_.get())};
  if (!session || SSL_set_fd(session.get(), descriptor) != 1)
    throw IoError("OpenSSL cannot open a connection: " + tls_reason());
  return session;
}

TlsSession TlsContext::accept(int descriptor) const {
  auto one = session(descriptor);
  SSL_set_accept_state(one.get());
  return one;
}

TlsSession TlsContext::connect(int descriptor) const {
  auto one = session(descriptor);
  SSL_set_connect_state(one.get());
  return one;
}

} // namespace troupe
