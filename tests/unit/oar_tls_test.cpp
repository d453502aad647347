#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/oar/client.hpp"
#include "tests/unit/certificates.hpp"
#include "tests/unit/oar_fake.hpp"

/// Whom the client trusts, and how it shows who it is.
namespace gleaner::oar {
namespace {

using ::testing::HasSubstr;
using tests::Certificates;

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
