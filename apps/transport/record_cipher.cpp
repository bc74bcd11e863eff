#include "apps/transport/record_cipher.hpp"

#include "base/failure.hpp"

#include <openssl/evp.h>
#include <openssl/ssl.h>

#include <array>
#include <cstring>
#include <string_view>

namespace troupe {

namespace {

constexpr std::size_t key_size = 16;

unsigned char* as_chars(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
const unsigned char* as_chars(const std::byte* bytes) {
  return reinterpret_cast<const unsigned char*>(bytes);
}

} // namespace

void RecordCipher::FreeContext::operator()(evp_cipher_ctx_st* context) const {
  EVP_CIPHER_CTX_free(context);
}

RecordCipher::RecordCipher(const TlsSession& session) {
  constexpr std::string_view label = "EXPORTER-Troupe-records";
  std::array<unsigned char, 2 * key_size> keys{}; // the client's, then the server's
  if (SSL_export_keying_material(session.get(), keys.data(), keys.size(), label.data(),
                                 label.size(), nullptr, 0, 0)
      != 1)
    throw IoError("the keys of a connection cannot be derived: " + tls_reason());
  const auto is_server = SSL_is_server(session.get());
  for (auto* direction : {&sent_, &received_}) {
    const auto encrypts = direction == &sent_ ? 1 : 0;
    const auto* key = keys.data() + (is_server == encrypts ? key_size : 0);
    direction->context.reset(EVP_CIPHER_CTX_new());
    if (EVP_CipherInit_ex(direction->context.get(), EVP_aes_128_gcm(), nullptr, key, nullptr,
                          encrypts)
        != 1)
      throw IoError("OpenSSL has no AES-128-GCM: " + tls_reason());
  }
  OPENSSL_cleanse(keys.data(), keys.size());
}

bool RecordCipher::Direction::begin() {
  std::array<unsigned char, 12> nonce{};
  std::memcpy(nonce.data(), &next, sizeof next);
  ++next;
  return EVP_CipherInit_ex(context.get(), nullptr, nullptr, nullptr, nonce.data(), -1) == 1;
}

void RecordCipher::seal(std::span<const std::byte> plain, std::byte* sealed) {
  auto* const context = sent_.context.get();
  int length = 0;
  if (!sent_.begin()
      || EVP_CipherUpdate(context, as_chars(sealed), &length, as_chars(plain.data()),
                          static_cast<int>(plain.size()))
           != 1
      || EVP_CipherFinal_ex(context, as_chars(sealed + plain.size()), &length) != 1
      || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tag, sealed + plain.size()) != 1)
    throw IoError("a record cannot be encrypted: " + tls_reason());
}

bool RecordCipher::open(std::span<const std::byte> sealed, std::byte* plain) {
  auto* const context = received_.context.get();
  const auto size = sealed.size() - tag;
  std::array<std::byte, tag> expected{};
  std::memcpy(expected.data(), sealed.data() + size, tag);
  int length = 0;
  return received_.begin()
         && EVP_CipherUpdate(context, as_chars(plain), &length, as_chars(sealed.data()),
                             static_cast<int>(size))
              == 1
         && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tag, expected.data()) == 1
         && EVP_CipherFinal_ex(context, as_chars(plain + size), &length) == 1;
}

} // namespace troupe
