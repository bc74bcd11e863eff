// CAF 0.17.6 asks SSL_get_error what a call on a connection meant, and never clears OpenSSL's queue
// of errors, which is the thread's, not the connection's: after one peer has gone without a
// farewell, or has sent nonsense, the next call on any other connection seems to have failed, and
// that connection is closed. OpenSSL wants the queue empty before each call (SSL_get_error(3)), so
// these stand before its functions and empty it. The dynamic linker finds them first because they
// are the program's.

#include <dlfcn.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace {

template <class Function>
Function original(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

} // namespace

extern "C" {

int SSL_read(SSL* ssl, void* buf, int num) {
  static const auto read = original<int (*)(SSL*, void*, int)>("SSL_read");
  ERR_clear_error();
  return read(ssl, buf, num);
}

int SSL_write(SSL* ssl, const void* buf, int num) {
  static const auto write = original<int (*)(SSL*, const void*, int)>("SSL_write");
  ERR_clear_error();
  return write(ssl, buf, num);
}

int SSL_accept(SSL* ssl) {
  static const auto accept = original<int (*)(SSL*)>("SSL_accept");
  ERR_clear_error();
  return accept(ssl);
}

int SSL_connect(SSL* ssl) {
  static const auto connect = original<int (*)(SSL*)>("SSL_connect");
  ERR_clear_error();
  return connect(ssl);
}

} // extern "C"
