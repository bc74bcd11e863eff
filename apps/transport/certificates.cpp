#include "apps/transport/certificates.hpp"

#include "apps/folder/run_folder.hpp"
#include "base/failure.hpp"
#include "base/files/durable_file.hpp"
#include "base/files/private_files.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace troupe {

namespace {

template <auto Release>
struct Free {
  template <class T>
  void operator()(T* x) const {
    Release(x);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using File = std::unique_ptr<FILE, Free<fclose>>;

constexpr long day = 24L * 3600;

File open_to_read(const std::filesystem::path& path) { return File{std::fopen(path.c_str(), "r")}; }

Certificate read_certificate(const std::filesystem::path& path) {
  auto file = open_to_read(path);
  return Certificate{file ? PEM_read_X509(file.get(), nullptr, nullptr, nullptr) : nullptr};
}

Key read_key(const std::filesystem::path& path) {
  auto file = open_to_read(path);
  return Key{file ? PEM_read_PrivateKey(file.get(), nullptr, nullptr, nullptr) : nullptr};
}

/// Whether there is a file that must not be replaced. An empty file is a leftover of a full disk.
bool has_content(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::exists(path, error)
         && (std::filesystem::file_size(path, error) > 0 || error);
}

/// The text that `write` produces.
template <class Write>
std::string pem_of(Write write) {
  const std::unique_ptr<BIO, Free<BIO_free_all>> memory{BIO_new(BIO_s_secmem())};
  if (!memory || write(memory.get()) != 1)
    throw Failure(ExitCode::internal, {"OpenSSL could not print a key or a certificate"});
  char* text = nullptr;
  const auto bytes = BIO_get_mem_data(memory.get(), &text);
  return {text, static_cast<std::size_t>(bytes)};
}

/// Writes both files, or neither if one cannot be written. @throws IoError
void write_pair(const std::filesystem::path& certificate_path, X509* certificate,
                const std::filesystem::path& key_path, EVP_PKEY* key) {
  write_file(key_path, pem_of([key](BIO* to) {
               return PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr);
             }),
             Readers::owner);
  try {
    write_file(certificate_path,
               pem_of([certificate](BIO* to) { return PEM_write_bio_X509(to, certificate); }),
               Readers::owner);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(key_path, ignored);
    throw;
  }
}

void add_extension(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  auto* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate new_certificate(const std::string& name, EVP_PKEY* key, int days) {
  Certificate certificate{X509_new()};
  X509_set_version(certificate.get(), 2); // version 3, since versions count from 0
  unsigned char serial[16];
  RAND_bytes(serial, sizeof serial);
  serial[0] &= 0x7F; // serial numbers are positive
  auto* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
  BN_free(number);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -day); // clocks differ
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), days * day);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

void sign(X509* certificate, EVP_PKEY* key) {
  if (X509_sign(certificate, key, EVP_sha256()) == 0)
    throw Failure(ExitCode::internal, {"OpenSSL could not sign a certificate"});
}

} // namespace

Identity identity_in(const std::filesystem::path& folder, const std::string& name) {
  return {folder / (as_file_name(name) + ".pem"), folder / (as_file_name(name) + ".key"),
          folder / "ca.pem"};
}

void make_authority(const std::filesystem::path& folder, int days) {
  make_private_folder(folder);
  const auto certified = has_content(folder / "ca.pem"), has_key = has_content(folder / "ca.key");
  if (certified != has_key)
    throw ConfigError("'" + folder.string() + "' has an incomplete certificate authority, "
                      + (certified ? "ca.pem without ca.key" : "ca.key without ca.pem")
                      + "; restore the other file, or give another folder");
  if (certified)
    throw ConfigError(
      "'" + folder.string()
      + "' already has a certificate authority; a new one would lock out its nodes. "
        "Give another folder, or delete this one");
  Key key{EVP_EC_gen("P-256")};
  auto certificate = new_certificate("troupe cluster", key.get(), days);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  add_extension(certificate.get(), certificate.get(), NID_basic_constraints,
                "critical,CA:TRUE,pathlen:0");
  add_extension(certificate.get(), certificate.get(), NID_key_usage,
                "critical,keyCertSign,cRLSign");
  add_extension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  sign(certificate.get(), key.get());
  write_pair(folder / "ca.pem", certificate.get(), folder / "ca.key", key.get());
}

Identity make_identity(const std::filesystem::path& folder, const std::string& name, int days) {
  const auto authority = read_certificate(folder / "ca.pem");
  const auto authority_key = read_key(folder / "ca.key");
  if (!authority || !authority_key)
    throw ConfigError(
      "'" + folder.string()
      + "' has no certificate authority (ca.pem, ca.key); make one with `troupe certs init "
      + folder.string() + "`");
  const auto identity = identity_in(folder, name);
  if (has_content(identity.certificate) || has_content(identity.key))
    throw ConfigError("there is a certificate for '" + name + "' in '" + folder.string()
                      + "' already; give the node another name");
  Key key{EVP_EC_gen("P-256")};
  auto certificate = new_certificate(name, key.get(), days);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(authority.get()));
  add_extension(certificate.get(), authority.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), authority.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(certificate.get(), authority.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  if (X509_get0_subject_key_id(authority.get()) != nullptr) // older authorities have none
    add_extension(certificate.get(), authority.get(), NID_authority_key_identifier, "keyid");
  sign(certificate.get(), authority_key.get());
  write_pair(identity.certificate, certificate.get(), identity.key, key.get());
  return identity;
}

std::string make_own_certificate(const std::string& name) {
  constexpr int days = 3650; // longer than any run
  const Key key{EVP_EC_gen("P-256")};
  const auto certificate = new_certificate(name, key.get(), days);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  add_extension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(certificate.get(), certificate.get(), NID_key_usage, "critical,digitalSignature");
  sign(certificate.get(), key.get());
  return pem_of([&](BIO* to) {
    return PEM_write_bio_X509(to, certificate.get())
           & PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string defect_of(const Identity& identity) {
  const auto certificate = read_certificate(identity.certificate);
  if (!certificate)
    return "the certificate '" + identity.certificate.string()
           + "' cannot be read; make one with `troupe certs node "
           + identity.certificate.parent_path().string() + " "
           + identity.certificate.stem().string() + "`, or name another with --name";
  const auto key = read_key(identity.key);
  if (!key)
    return "the key '" + identity.key.string() + "' cannot be read; restore it, or delete '"
           + identity.certificate.string() + "' and make both again with `troupe certs node`";
  const auto authority = read_certificate(identity.authority);
  if (!authority)
    return "the certificate of the cluster's authority '" + identity.authority.string()
           + "' cannot be read; copy it from the folder of `troupe certs init`";
  struct stat status {};
  if (stat(identity.key.c_str(), &status) != 0 || (status.st_mode & 077) != 0)
    return "the key '" + identity.key.string() + "' can be read by others; chmod 600 it";
  if (X509_check_private_key(certificate.get(), key.get()) != 1)
    return "the key '" + identity.key.string() + "' does not belong to '"
           + identity.certificate.string() + "'";
  const Key authority_key{X509_get_pubkey(authority.get())};
  if (X509_verify(certificate.get(), authority_key.get()) != 1)
    return "the certificate '" + identity.certificate.string()
           + "' was not signed by the authority '" + identity.authority.string() + "'";
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0)
    return "the certificate '" + identity.certificate.string()
           + "' has expired; delete it and its key, and make new ones with `troupe certs node "
           + identity.certificate.parent_path().string() + " "
           + identity.certificate.stem().string() + "`";
  if (X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0)
    return "the certificate '" + identity.certificate.string()
           + "' is not valid yet; compare the clocks of the machines";
  return "";
}

} // namespace troupe
