#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "lib/http/server.hpp"
#include "lib/oar/client.hpp"
#include "tests/unit/oar_fake.hpp"

/// Whom the client trusts, and how it shows who it is.
namespace gleaner::oar {
namespace {

using ::testing::HasSubstr;

/// A certification authority, a server's certificate and a client's, made once.
class Certificates {
 public:
  static const Certificates& get() {
    static const Certificates kCertificates;
    return kCertificates;
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] http::TlsFiles server() const { return {file("server.pem"), file("server.key"), std::nullopt}; }
  [[nodiscard]] http::TlsFiles server_for_known_clients() const { return {file("server.pem"), file("server.key"), file("ca.pem")}; }
  ~Certificates() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Certificates(Certificates&&) = delete;
  Certificates& operator=(Certificates&&) = delete;

 private:
  Certificates() {
    auto pattern = (std::filesystem::temp_directory_path() / "gleaner-tls-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    const std::string commands = fmt::format(
        "cd '{}' && exec >/dev/null 2>&1; new='openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch'; "
        "$new -x509 -days 2 -subj /CN=authority -keyout ca.key -out ca.pem && "
        "$new -x509 -days 2 -subj /CN=stranger -keyout stranger.key -out stranger.pem && "
        "echo subjectAltName=IP:127.0.0.1 >san && "
        "for who in server client; do $new -subj /CN=$who -keyout $who.key -out $who.csr && "
        "openssl x509 -req -days 2 -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile san -out $who.pem || exit 1; done",
        folder_.string());
    if (std::system(commands.c_str()) != 0) {
      throw std::runtime_error("openssl could not make the certificates");
    }
  }
  std::filesystem::path folder_;
};

TEST(OarClientTls, AServerOfTheGivenAuthorityIsTrusted) {
  FakeOar oar{[](const auto&) { return json(200, kVersion); }, Certificates::get().server()};
  auto access = oar.access();
  access.ca_file = Certificates::get().file("ca.pem");
  const auto version = Client{access}.version();
  EXPECT_TRUE(version) << describe(version.error());
}

TEST(OarClientTls, AServerThatNobodyVouchesFor_GetsNoRequest) {
  FakeOar oar{[](const auto&) { return json(201, kAccepted); }, Certificates::get().server()};
  auto access = oar.access();
  Client trusting_the_system{access};
  expect<NotSent>(submit_one(trusting_the_system));
  access.ca_file = Certificates::get().file("stranger.pem");
  Client trusting_another{access};
  expect<NotSent>(submit_one(trusting_another));
  access.ca_file = "/no/such/file";
  Client mistaken{access};
  expect<NotSent>(submit_one(mistaken));
  EXPECT_TRUE(oar.requests().empty());
}

TEST(OarClientTls, VerificationMayBeTurnedOff) {
  FakeOar oar{[](const auto&) { return json(200, kVersion); }, Certificates::get().server()};
  auto access = oar.access();
  access.verification = Verification::off;
  EXPECT_TRUE(Client{access}.version());
}

TEST(OarClientTls, TheNameInTheCertificateIsVerifiedToo) {
  FakeOar oar{[](const auto&) { return json(200, kVersion); }, Certificates::get().server()};
  auto access = oar.access();
  access.ca_file = Certificates::get().file("ca.pem");
  access.url.replace(access.url.find("127.0.0.1"), 9, "localhost");
  Client client{access};
  expect<NotSent>(client.version());
}

TEST(OarClientTls, AClientShowsItsCertificate) {
  FakeOar oar{[](const http::Request& request) {
                return json(200, R"({"authenticated_user":")" + request.peer.certificate.value_or("nobody") + "\"}");
              },
              Certificates::get().server_for_known_clients()};
  auto access = oar.access();
  access.ca_file = Certificates::get().file("ca.pem");
  access.authentication = Authentication::certificate;
  access.certificate_file = Certificates::get().file("client.pem");
  access.key_file = Certificates::get().file("client.key");
  EXPECT_THAT(Client{access}.who_am_i("griduser1").value_or("failed"), HasSubstr("client"));
  access.certificate_file = Certificates::get().file("stranger.pem");
  access.key_file = Certificates::get().file("stranger.key");
  EXPECT_FALSE(Client{access}.version());
}

}  // namespace
}  // namespace gleaner::oar
