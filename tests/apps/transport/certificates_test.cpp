#include "apps/transport/certificates.hpp"
#include "apps/transport/trust.hpp"
#include "base/failure.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <fstream>
#include <iterator>
#include <memory>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

TEST_CASE("a full disk leaves no partial certificate, and later it can be made", "[certs]") {
  WorkFolder work;
  const auto folder = work.path() / "certs";
  for (const rlim_t bytes : {0, 300}) { // too few for a key, and for a certificate
    const FullDisk disk{bytes};
    CHECK_THROWS_AS(make_authority(folder), IoError);
    CHECK(std::filesystem::is_empty(folder));
  }
  make_authority(folder);
  {
    const FullDisk disk{300};
    CHECK_THROWS_AS(make_identity(folder, "worker-0"), IoError);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "worker-0.key"));
  CHECK(defect_of(make_identity(folder, "worker-0")).empty());
}

TEST_CASE("a full disk ends the program with the exit code for files", "[certs]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), "trap '' XFSZ; ulimit -f 0; exec \"$troupe\" certs init certs "
                         "2>/dev/null");
  CHECK(ran.code == static_cast<int>(ExitCode::io));
  CHECK(std::filesystem::is_empty(work.path() / "certs"));
}

TEST_CASE("empty files are no certificates, and an incomplete authority is reported", "[certs]") {
  WorkFolder work;
  const auto& folder = work.path();
  for (const auto* file : {"ca.pem", "ca.key", "worker-0.pem", "worker-0.key"})
    std::ofstream{folder / file};
  make_authority(folder);
  CHECK(defect_of(make_identity(folder, "worker-0")).empty());
  std::filesystem::remove(folder / "ca.pem");
  CHECK_THROWS_WITH(make_authority(folder), Contains("ca.key without ca.pem"));
  CHECK_THROWS_WITH(make_identity(folder, "worker-1"), Contains("has no certificate authority"));
}

TEST_CASE("a checked identity can be used after its folder was removed", "[certs]") {
  WorkFolder work;
  const auto folder = work.path() / "certs";
  make_authority(folder);
  const auto identity = make_identity(folder, "worker-0");
  const auto trust = check_trust(identity, false, "10.0.0.1");
  std::filesystem::remove_all(folder);
  REQUIRE(trust.tls);
  CHECK(trust.tls->accept(0)); // and shows it to a peer
  CHECK_THROWS_WITH(check_trust(identity, false, "10.0.0.1"),
                    Contains(identity.certificate.string()));
}

TEST_CASE("strict verifiers, as Python 3.13 is one, accept the certificate of a node", "[certs]") {
  WorkFolder work;
  make_authority(work.path());
  const auto identity = make_identity(work.path(), "worker-0");
  const std::unique_ptr<X509_STORE, decltype(&X509_STORE_free)> store{X509_STORE_new(),
                                                                      &X509_STORE_free};
  REQUIRE(X509_STORE_load_file(store.get(), identity.authority.c_str()) == 1);
  X509_STORE_set_flags(store.get(), X509_V_FLAG_X509_STRICT);
  const std::unique_ptr<BIO, decltype(&BIO_free)> file{
    BIO_new_file(identity.certificate.c_str(), "r"), &BIO_free};
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{
    PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr), &X509_free};
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> check{X509_STORE_CTX_new(),
                                                                              &X509_STORE_CTX_free};
  REQUIRE(X509_STORE_CTX_init(check.get(), store.get(), certificate.get(), nullptr) == 1);
  const auto verified = X509_verify_cert(check.get());
  INFO(X509_verify_cert_error_string(X509_STORE_CTX_get_error(check.get())));
  CHECK(verified == 1);
}
