#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/grid/clock.hpp"
#include "lib/grid/evidence.hpp"
#include "lib/oar/bearer.hpp"
#include "lib/oar/client.hpp"
#include "lib/oar/dialects/oar3_text.hpp"
#include "lib/oar/outputs.hpp"
#include "lib/oar/token.hpp"
#include "tests/unit/oar_fake.hpp"

/// The dialect of OAR 3, on answers as a real one gives them.
namespace gleaner::oar {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

/// {"alg":"HS256","typ":"JWT"} . {"user":"ada","exp":4102444800} . a signature that nobody checks here
const std::string kAda = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1c2VyIjoiYWRhIiwiZXhwIjo0MTAyNDQ0ODAwfQ.c2ln";
/// {"user":"bob","exp":1000000000}
const std::string kBobOf2001 = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1c2VyIjoiYm9iIiwiZXhwIjoxMDAwMDAwMDAwfQ.c2ln";

Access oar3_access(const FakeOar& oar) {
  auto access = oar.access();
  access.api = Api::oar3;
  access.authentication = Authentication::token;
  for (const auto& text : {kAda, kBobOf2001}) {
    auto token = read_token(text).value();
    access.tokens.emplace(token.user, token);
  }
  return access;
}

SubmitRequest a_request_to_3(std::vector<std::string> lines = {}) {
  SubmitRequest request;
  request.user = "ada";
  request.name = "gleaner.1-x.2";
  request.resources = "/core=1";
  request.walltime = "0:5:0";
  request.command = "bash -c \"\\$(echo x|base64 -d)\" gleaner.1-x";
  request.lines = std::move(lines);
  return request;
}

Response of_type(unsigned status, std::string_view type, std::string body) {
  auto response = json(status, std::move(body));
  response.headers = {};
  response.headers.add("Content-Type", std::string{type});
  return response;
}
Response text_500() { return of_type(500, "text/plain; charset=utf-8", "Internal Server Error"); }
Response file_with(std::string content) { return of_type(200, "application/octet-stream", std::move(content)); }

TEST(Oar3Token, ItsClaims_SayWhoseItIs_AndUntilWhen) {
  const auto token = read_token("OAR_API_TOKEN=" + kAda + "\n").value();
  EXPECT_EQ(token.user, "ada");
  EXPECT_EQ(token.ends_at, grid::from_unix(4'102'444'800));
  EXPECT_EQ(token.text, kAda);
}

TEST(Oar3Token, WhatIsNoToken_IsRefused_AndNeverRepeated) {
  for (const std::string wrong : {"", "secret", "a.b", "a.b.c.d", "e30.e30.!", "e30.bm8.e30", "e30.e30.e30"}) {
    const auto read = read_token(wrong);
    ASSERT_FALSE(read) << wrong;
    if (wrong.size() > 5) {
      EXPECT_THAT(read.error(), ::testing::Not(HasSubstr(wrong)));
    }
  }
}

TEST(Oar3Token, AFileHasOneOfEachUser_TheLastToEnd) {
  const auto tokens = read_tokens("# ours\n" + kAda + "\n\nOAR_API_TOKEN=" + kBobOf2001 + "\r\n").value();
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[1].user, "bob");
  EXPECT_THAT(read_tokens("# none\n").error(), HasSubstr("no token"));
  EXPECT_THAT(read_tokens(kAda + "\nnonsense\n").error(), HasSubstr("line 2"));
}

TEST(Oar3Text, TheBody_HasLists_NoEscapes_AndNoNewlineAtItsEnd) {
  auto request = a_request_to_3({"1 0 5 7 -", "2 0 6 7 -"});
  request.types = {"besteffort"};
  request.checkpoint = {.signal = 12, .before_end = 60s};
  EXPECT_EQ(oar3::submission_body(request),
            R"({"resource":["{type = 'default'}/core=1,walltime=0:5:0"],"command":"bash -c \"$(echo x|base64 -d)\" gleaner.1-x",)"
            R"("param_file":"1 0 5 7 -\n2 0 6 7 -","name":"gleaner.1-x.2","type":["besteffort"],"signal":12,"checkpoint":60})");
}

TEST(Oar3Text, APartOfARequest_IsOfTypeDefault_UnlessItNamesAType) {
  EXPECT_EQ(oar3::of_default_type("/nodes=1"), "{type = 'default'}/nodes=1");
  EXPECT_EQ(oar3::of_default_type("core=2"), "{type = 'default'}/core=2");
  EXPECT_EQ(oar3::of_default_type("{a > 1 OR b = '+'}/core=1+{type='licence'}/licence=2"),
            "{(a > 1 OR b = '+') AND type = 'default'}/core=1+{type='licence'}/licence=2");
  EXPECT_EQ(oar3::of_default_type(""), "");
}

TEST(Oar3Text, IdsThatItsDatabaseCannotHave_AreNeverAskedFor) {
  const std::vector<grid::RemoteJobId> ids{grid::RemoteJobId{7}, grid::RemoteJobId{3}, grid::RemoteJobId{7},
                                           grid::RemoteJobId{oar3::kLastJob + 1}};
  const auto chunks = oar3::id_chunks(ids, 100);
  ASSERT_EQ(chunks.size(), 1U);
  EXPECT_EQ(chunks[0].query, "job_ids=3&job_ids=7");
  EXPECT_EQ(chunks[0].count, 2U);
  EXPECT_EQ(oar3::id_chunks(ids, 10).size(), 2U);
}

TEST(Oar3Text, OnlyComparisonsOfKnownPropertiesWithTheirKindOfValue_AreSent) {
  const oar3::Columns columns{{"mem", oar3::Column::number}, {"host", oar3::Column::text}, {"core", oar3::Column::number}};
  for (const std::string right :
       {"mem >= 8", "mem >= '8'", "host = 'node-1'", "host LIKE 'node-%' AND mem > 8", "NOT (core = 1 OR core IN (2, 3))",
        "host IS NOT NULL", "mem BETWEEN 1 AND 16", "host NOT IN ('a','b')", "8 <= mem", "core = mem", "host <> 'a' and (mem=1)"}) {
    EXPECT_EQ(oar3::wrong_properties(right, columns), std::nullopt) << right;
  }
  for (const std::string wrong : {"memory >= 8", "mem = 'much'", "host = 5", "mem LIKE '1%'", "host = 'a:b'", "host = 'a",
                                  "mem = 99999999999 AND", "mem", "1 = 1; DROP", "mem = '99999999999'", "(mem = 1", "mem = 1)",
                                  "host = 'a' host", "lower(host) = 'a'", "core = host", "host = 'it''s'", "mem = 1 -- x"}) {
    EXPECT_NE(oar3::wrong_properties(wrong, columns), std::nullopt) << wrong;
  }
  EXPECT_THAT(oar3::wrong_properties("memory >= 8", columns).value_or(""), HasSubstr("'memory' is no property"));
}

TEST(Oar3Text, AClaim_ShowsWhoHoldsTheAttempt_AndItsEnd) {
  const RunOf run{grid::TaskNumber{3}, 0, grid::JobId{41}, grid::RemoteJobId{12}};
  EXPECT_EQ(oar3::evidence_in_claim(run, "1795746857 node-1 41 12\n"), "3.0.41.12.s");
  EXPECT_EQ(oar3::evidence_in_claim(run, "1795746857 node-1 41 12\ne0.1500.c1400.m2048\n"), "3.0.41.12.e0.1500.c1400.m2048");
  EXPECT_EQ(oar3::evidence_in_claim(run, "1795746857 node-1 40 11\ne3\n"), "3.0.40.11.e3") << "another job's";
  EXPECT_EQ(oar3::evidence_in_claim(run, "1795746857 node-1 41 12\nu\n"), "3.0.41.12.u");
  EXPECT_EQ(oar3::evidence_in_claim(run, "1795746857 node-1 41 12\ne0"), "3.0.41.12.s") << "a line that is written just now";
  for (const std::string none : {"", "1795746857 node-1", "x y z\n", "1795746857 node-1 a b\n", "1795746857 n 41 12\nfrob\n"})
    EXPECT_EQ(oar3::evidence_in_claim(run, none), std::nullopt) << none;
}

TEST(Oar3Text, ATilde_IsTheHomeOfTheUser) {
  EXPECT_EQ(oar3::absolute_path("~/a/b", "ada", "/home/%u").value(), "/home/ada/a/b");
  EXPECT_EQ(oar3::absolute_path("/tmp/x", "ada", "/home/%u").value(), "/tmp/x");
  EXPECT_FALSE(oar3::absolute_path("a", "ada", "/home/%u"));
  EXPECT_FALSE(oar3::absolute_path("~/a,b", "ada", "/home/%u")) << "its API would put a backslash before it";
}

TEST(Oar3Text, ItsMessages_AreTheDetail) {
  EXPECT_EQ(oar3::message_of(R"({"detail":"Not authenticated"})"), "Not authenticated");
  EXPECT_EQ(oar3::message_of(R"({"detail":[{"loc":["body","resource"],"msg":"value is not a valid list","type":"x"}]})"),
            "body.resource: value is not a valid list");
  EXPECT_EQ(oar3::message_of("Internal Server Error"), "Internal Server Error");
}

TEST(Oar3Client, ARequestHasItsUsersToken_AndNoIdentityHeader) {
  std::string seen;
  FakeOar oar{[&](const http::Request& request) {
    seen = fmt::format("{}|{}", request.headers.find("X_REMOTE_IDENT").value_or("-"), request.headers.find("Authorization").value_or("-"));
    return json(200, R"({"authenticated_user":"ada"})");
  }};
  Client client{oar3_access(oar), short_limits()};
  EXPECT_EQ(client.who_am_i("ada").value_or("failed"), "ada");
  EXPECT_EQ(seen, "-|Bearer " + kAda);
  EXPECT_EQ(oar.requests(), std::vector<std::string>{"GET /oarapi/whoami"});
}

TEST(Oar3Client, WhoHasNoTokenThatIsValid_IsRefused_AndNothingIsSent) {
  FakeOar oar{[](const http::Request&) { return json(200, R"({"id":5})"); }};
  Client client{oar3_access(oar), short_limits()};
  for (const auto& [user, why] :
       std::vector<std::pair<std::string, std::string>>{{"eve", "there is no token of eve"}, {"bob", "has ended"}}) {
    auto request = a_request_to_3();
    request.user = user;
    const auto answer = std::move(client.submit({&request, 1}).front());
    ASSERT_FALSE(answer);
    EXPECT_FALSE(outcome_unknown(answer.error()));
    EXPECT_THAT(describe(answer.error()), HasSubstr(why));
  }
  EXPECT_THAT(oar.requests(), IsEmpty());
}

TEST(Oar3Client, ATokenThatIsRefused_IsNotSentAgain_AndIsNoRefusalOfTheRequest) {
  FakeOar oar{[](const http::Request&) { return json(401, R"({"detail":"Could not validate credentials !!! "})"); }};
  auto access = oar3_access(oar);
  access.token_use = std::make_shared<TokenUse>();
  Client client{access, short_limits()};
  const auto request = a_request_to_3();
  for (int i = 0; i < 3; ++i) {
    const auto answer = std::move(client.submit({&request, 1}).front());
    ASSERT_FALSE(answer);
    EXPECT_TRUE(is_of_identity(answer.error())) << describe(answer.error());
    EXPECT_FALSE(outcome_unknown(answer.error()));
    EXPECT_THAT(describe(answer.error()), Not(HasSubstr(kAda)));
  }
  EXPECT_THAT(oar.requests(), SizeIs(1));
  EXPECT_TRUE(access.token_use->is_refused("ada"));
}

TEST(Oar3Client, AWebServersOwn401_IsNoRefusalOfTheToken) {
  FakeOar oar{[](const http::Request&) {
    http::Response response;
    response.status = 401;
    response.headers.add("Content-Type", "text/html");
    response.body = "<html>login</html>";
    return response;
  }};
  auto access = oar3_access(oar);
  access.token_use = std::make_shared<TokenUse>();
  Client client{access, short_limits()};
  const auto request = a_request_to_3();
  EXPECT_FALSE(client.submit({&request, 1}).front());
  EXPECT_FALSE(access.token_use->is_refused("ada"));
}

TEST(Oar3Client, WithoutItsUsersToken_AJobIsDeletedByThatOfOar_IfItIsTheirs) {
  std::string deleted_by;
  FakeOar oar{[&](const http::Request& request) {
    if (request.method == "GET") return json(200, R"({"total":1,"offset":0,"items":[{"id":5,"user":"eve","state":"Running"}]})");
    deleted_by = request.headers.find("Authorization").value_or("-");
    return json(200, R"({"id":5,"cmd_output":"","exit_status":0})");
  }};
  auto access = oar3_access(oar);
  auto admin = read_token(signed_token("oar", "key", grid::now(), grid::Seconds{600})).value();
  const auto text = admin.text;
  access.tokens.emplace("oar", std::move(admin));
  Client client{access, short_limits()};
  const std::vector<JobOf> jobs{{"eve", grid::RemoteJobId{5}}, {"mallory", grid::RemoteJobId{5}}};
  const auto answers = client.remove(jobs);
  EXPECT_TRUE(answers[0]) << describe(answers[0].error());
  EXPECT_EQ(deleted_by, "Bearer " + text);
  EXPECT_FALSE(answers[1]);
}

TEST(Oar3Client, TheSitesKey_SignsForEachUser_ForAShortTime) {
  std::string sent;
  FakeOar oar{[&](const http::Request& request) {
    sent = request.headers.find("Authorization").value_or("-");
    return json(200, R"({"user":"eve","auth":"Token valid"})");
  }};
  auto access = oar3_access(oar);
  access.authentication = Authentication::signed_token;
  access.secret = "key";
  Client client{access, short_limits()};
  EXPECT_EQ(client.check_token("eve").value_or("failed"), "eve");
  const auto token = read_token(sent.substr(std::string{"Bearer "}.size())).value();
  EXPECT_EQ(token.user, "eve");
  EXPECT_LE(*token.ends_at, grid::now() + std::chrono::minutes{16});
  EXPECT_EQ(token_signature(token.text.substr(0, token.text.rfind('.')), "key"), token.text.substr(token.text.rfind('.') + 1));
  for (const auto* user : {"root", "oar", "e\"ve", ""}) EXPECT_FALSE(client.check_token(user)) << user;
}

TEST(Oar3Token, AnyBytes_AreReadOrRefused_AndAnErrorRepeatsNone) {
  constexpr std::string_view letters{"abcXYZ019-_.{}\"\\:,= \n\r\t\0\xff\x80"sv};
  std::mt19937 random{7};
  const auto letter = [&] { return letters[random() % letters.size()]; };
  for (int round = 0; round < 20'000; ++round) {
    auto text = round % 2 == 0 ? kAda : std::string(random() % 60, 'a');
    for (auto changes = random() % 4; changes > 0 && !text.empty(); --changes) text[random() % text.size()] = letter();
    if (round % 7 == 0) text.insert(random() % (text.size() + 1), 1, letter());
    const auto read = read_token(text);
    if (read) {
      EXPECT_FALSE(read->user.empty());
      EXPECT_LE(read->text.size(), text.size());
      if (read->ends_at) {
        EXPECT_GE(grid::to_unix(*read->ends_at), 0);
      }
    } else if (text.size() > 12) {
      EXPECT_THAT(read.error(), Not(HasSubstr(text)));
    }
  }
}

TEST(Oar3Token, AnEndThatIsNoDate_IsRefused) {
  const auto with_claims = [](const std::string& claims) {
    constexpr std::string_view kDigits{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"};
    std::string text;
    unsigned rest = 0, bits = 0;
    for (const char byte : claims) {
      rest = rest << 8U | static_cast<unsigned char>(byte);
      for (bits += 8; bits >= 6; bits -= 6) text += kDigits[rest >> (bits - 6) & 63U];
    }
    if (bits > 0) text += kDigits[rest << (6 - bits) & 63U];
    return read_token("e30." + text + ".c2ln");
  };
  EXPECT_TRUE(with_claims(R"({"user":"ada","exp":4102444800})"));
  EXPECT_FALSE(with_claims(R"({"user":"ada","exp":-1})"));
  EXPECT_FALSE(with_claims(R"({"user":"ada","exp":1e300})"));
  EXPECT_FALSE(with_claims(R"({"user":["ada"],"exp":5})"));
  EXPECT_FALSE(with_claims(R"({"exp":5})"));
  EXPECT_FALSE(with_claims(R"([])"));
  EXPECT_FALSE(with_claims(std::string(3000, '[')));
}

TEST(Oar3Token, ARenewedOne_IsReadAsAnyOther) {
  FakeOar oar{[&](const http::Request&) { return json(200, fmt::format(R"({{"OAR_API_TOKEN":"{}"}})", kAda)); }};
  Client client{oar3_access(oar), short_limits()};
  const auto renewed = client.renewed_token("ada");
  ASSERT_TRUE(renewed) << describe(renewed.error());
  EXPECT_EQ(renewed->user, "ada");
}

// The key of RFC 7515, appendix A.1, is bytes; of this one, PyJWT makes the same signature.
TEST(Oar3Token, ItsSignature_IsThatOfHS256) {
  EXPECT_EQ(
      token_signature("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ",
                      "your-256-bit-secret"),
      "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c");
}

TEST(Oar3Client, AnArrayIsListed_BecauseItsAnswerHasTheFirstIdAlone) {
  FakeOar oar{[](const http::Request& request) {
    if (request.method == "POST") return json(200, R"({"id":5})");
    return json(200, R"({"total":2,"offset":0,"items":[{"id":5,"state":"Waiting"},{"id":9,"state":"Waiting"}]})");
  }};
  Client client{oar3_access(oar), short_limits()};
  const auto request = a_request_to_3({"1 0 5 7 -", "2 0 6 7 -"});
  const auto answer = std::move(client.submit({&request, 1}).front());
  ASSERT_TRUE(answer) << describe(answer.error());
  EXPECT_THAT(answer->ids, ElementsAre(grid::RemoteJobId{5}, grid::RemoteJobId{9}));
  EXPECT_EQ(answer->array, grid::RemoteJobId{5});
  EXPECT_EQ(oar.requests(), (std::vector<std::string>{"POST /oarapi/jobs", "GET /oarapi/jobs?array=5&limit=3&offset=0"}));
}

TEST(Oar3Client, AnArrayThatCannotBeListed_OrHasOtherJobs_IsALaunchOfUnknownFate) {
  for (const auto& list : {text_500(), json(200, R"({"total":1,"offset":0,"items":[{"id":5,"state":"Waiting"}]})")}) {
    FakeOar oar{[&](const http::Request& request) { return request.method == "POST" ? json(200, R"({"id":5})") : list; }};
    Client client{oar3_access(oar), short_limits()};
    const auto request = a_request_to_3({"1 0 5 7 -", "2 0 6 7 -"});
    const auto answer = std::move(client.submit({&request, 1}).front());
    ASSERT_FALSE(answer);
    EXPECT_TRUE(outcome_unknown(answer.error())) << describe(answer.error());
  }
}

TEST(Oar3Client, ASubmissionAnswered500_MayHaveMadeItsJob_AndIsSentOnce) {
  FakeOar oar{[](const http::Request&) { return text_500(); }};
  Client client{oar3_access(oar), short_limits()};
  const auto request = a_request_to_3();
  const auto answer = std::move(client.submit({&request, 1}).front());
  ASSERT_FALSE(answer);
  EXPECT_TRUE(outcome_unknown(answer.error()));
  EXPECT_EQ(oar.requests(), std::vector<std::string>{"POST /oarapi/jobs"});
}

TEST(Oar3Client, ARefusalIsNoLaunch_Also501OfItsOwn_ButNotOneOfAFirewall) {
  struct Case {
    Response response;
    bool unknown;
  };
  for (const auto& [response, unknown] :
       {Case{json(400, R"({"detail":"not enough resources"})"), false}, Case{json(403, R"({"detail":"[ADMISSION RULE] no"})"), false},
        Case{json(422, R"({"detail":[]})"), false}, Case{json(501, R"({"detail":"Not Implemented"})"), false},
        Case{html(403, "<title>Forbidden</title>"), true}}) {
    FakeOar oar{[&](const http::Request&) { return response; }};
    Client client{oar3_access(oar), short_limits()};
    const auto request = a_request_to_3();
    const auto answer = std::move(client.submit({&request, 1}).front());
    ASSERT_FALSE(answer);
    EXPECT_EQ(outcome_unknown(answer.error()), unknown) << describe(answer.error());
  }
}

TEST(Oar3Client, PropertiesThatCouldBreakItsDatabaseSession_AreNotSent) {
  FakeOar oar{[](const http::Request& request) {
    if (request.method == "POST") return json(200, R"({"id":5})");
    return json(200, R"({"total":1,"offset":0,"items":[{"id":1,"network_address":"n","state":"Alive","mem":16}]})");
  }};
  Client client{oar3_access(oar), short_limits()};
  auto request = a_request_to_3();
  request.properties = "memory > 8";
  const auto refused = std::move(client.submit({&request, 1}).front());
  ASSERT_FALSE(refused);
  EXPECT_THAT(describe(refused.error()), HasSubstr("'memory' is no property"));
  EXPECT_THAT(oar.requests(), ElementsAre("GET /oarapi/resources?detailed=true&limit=1000&offset=0"));
  request.properties = "mem > 8";
  EXPECT_TRUE(client.submit({&request, 1}).front());
  EXPECT_THAT(oar.requests(), ElementsAre(HasSubstr("/resources"), "POST /oarapi/jobs")) << "the properties are read once";
}

TEST(Oar3Client, AReadAnswered500_IsRepeated_BecauseAnotherClientsMayHaveMetIt) {
  int left = 2;
  FakeOar oar{[&](const http::Request&) { return left-- > 0 ? text_500() : json(200, R"({"total":0,"offset":0,"items":[]})"); }};
  Client client{oar3_access(oar), short_limits()};
  EXPECT_TRUE(client.occupying());
}

TEST(Oar3Client, ABrokenSession_IsSaidInItsOwnWords_WithWhatToDo) {
  FakeOar oar{[](const http::Request& request) {
    return request.target.find("/version") != std::string::npos ? json(200, R"({"oar_version":"3.0.3dev"})") : text_500();
  }};
  Client client{oar3_access(oar), short_limits()};
  const auto jobs = client.occupying();
  ASSERT_FALSE(jobs);
  EXPECT_TRUE(std::holds_alternative<ServerError>(jobs.error()));
  EXPECT_THAT(describe(jobs.error()), HasSubstr("until the API is restarted"));
}

TEST(Oar3Client, DeletionsAreRefusedInside200) {
  std::string answer;
  bool session_is_broken = false;
  FakeOar oar{[&](const http::Request& request) {
    if (request.method != "GET") return json(200, answer);
    return session_is_broken ? text_500() : json(200, R"({"total":0,"offset":0,"items":[]})");
  }};
  Client client{oar3_access(oar), short_limits()};
  const JobOf job{"ada", grid::RemoteJobId{7}};
  const auto remove = [&](int status) {
    answer = fmt::format(R"({{"id":7,"cmd_output":"words","exit_status":{}}})", status);
    return std::move(client.remove({&job, 1}).front());
  };
  EXPECT_EQ(remove(0).value(), Removal::accepted);
  EXPECT_EQ(remove(6).value(), Removal::already_over_or_asked);
  expect<Refused>(remove(1));
  expect<Refused>(remove(7));
  session_is_broken = true;
  expect<ServerError>(remove(7));
  expect<ServerError>(remove(2));
  answer = "{}";
  expect<NoAnswer>(client.remove({&job, 1}).front());
}

TEST(Oar3Client, AListEndsWhereItBecameShorter) {
  FakeOar oar{[](const http::Request& request) {
    if (request.target.find("offset=0") == std::string::npos) return json(404, R"({"detail":"Empty request"})");
    return json(200, R"({"total":3,"offset":0,"items":[{"id":1,"state":"Running","message":"R=4,J=B"},{"id":2,"state":"Running"}]})");
  }};
  auto limits = short_limits();
  limits.page = 2;
  Client client{oar3_access(oar), limits};
  const auto jobs = client.occupying();
  EXPECT_TRUE(jobs || std::holds_alternative<NoAnswer>(jobs.error())) << "it ends, whatever the server answers";
}

TEST(Oar3Client, DetailsHaveAMapOfTypes_AndWhatIsNullIsAbsent) {
  FakeOar oar{[](const http::Request&) {
    return json(200,
                R"({"total":1,"offset":0,"items":[{"id":3,"user":"ada","state":"Error","command":"x","queue_name":"besteffort",)"
                R"("launching_directory":"/home/ada","stderr_file":"OAR.3.stderr","start_time":0,"stop_time":5,)"
                R"("types":{"besteffort":true,"timesharing":"user,name"},"nodes":[{"network_address":"n1"}],)"
                R"_("events":[{"id":1,"type":"RESUBMIT_JOB_AUTOMATICALLY","job_id":3,"date":9,"description":"4 => ((0, ''), 5)"}]}]})_");
  }};
  Client client{oar3_access(oar), short_limits()};
  const std::vector<JobOf> asked{{"ada", grid::RemoteJobId{3}}, {"ada", grid::RemoteJobId{4}}};
  const auto details = client.details(asked);
  ASSERT_TRUE(details[0]) << describe(details[0].error());
  EXPECT_THAT(details[0]->types, ::testing::UnorderedElementsAre("besteffort", "timesharing=user,name"));
  EXPECT_EQ(details[0]->resubmitted_as, grid::RemoteJobId{5});
  EXPECT_EQ(details[0]->job.owner, "ada");
  EXPECT_FALSE(details[0]->job.exit_status);
  EXPECT_EQ(details[0]->job.stderr_path, "/home/ada/OAR.3.stderr");
  expect<Refused>(details[1]);
}

TEST(Oar3Client, EvidenceIsReadFromTheClaims_AndFoldersAreFoundWithoutAListing) {
  FakeOar oar{[](const http::Request& request) {
    const auto& target = request.target;
    if (target.find("/media/chmod") != std::string::npos)
      return target.find("gone") == std::string::npos ? json(400, R"({"detail":"Bad mode value: -"})")
                                                      : json(404, R"({"detail":"File not found"})");
    if (target.find("1.0.claim") != std::string::npos) return file_with("17 n 41 12\ne0\n");
    if (target.find("2.0.42.13.u") != std::string::npos) return file_with("");
    return json(404, R"({"detail":"File not found"})");
  }};
  Client client{oar3_access(oar), short_limits()};
  const auto run = [](int task, int job, int remote) {
    return RunOf{grid::TaskNumber{task}, 0, grid::JobId{job}, grid::RemoteJobId{remote}};
  };
  const std::vector<FenceOf> asked{{{"ada", "~/.gleaner/g/1/7"}, {run(1, 41, 12), run(2, 42, 13), run(3, 43, 14)}},
                                   {{"ada", "~/.gleaner/g/1/8"}, {run(4, 44, 15)}}};
  const auto found = client.evidence(asked, 5s);
  ASSERT_TRUE(found[0]) << describe(found[0].error());
  EXPECT_THAT(found[0]->names, ElementsAre("1.0.41.12.e0", "2.0.42.13.u"));
  EXPECT_THAT(found[0]->unread, IsEmpty());
  expect<Refused>(found[1]);
  EXPECT_TRUE(client.find_folder("ada", "~/.gleaner/g"));
  expect<Refused>(client.find_folder("ada", "~/gone"));
  EXPECT_THAT(oar.requests(), ::testing::Contains("GET /oarapi/media?path_filename=/home/ada/.gleaner/g/1/7/1.0.claim"));
}

TEST(Oar3Client, EvidenceForWhichTimeIsOver_IsUnread_NotMissing) {
  FakeOar oar{[](const http::Request& request) {
    if (request.target.find("1.0.claim") != std::string::npos) return file_with("17 n 41 12\n");
    return json(404, R"({"detail":"File not found"})");
  }};
  Client client{oar3_access(oar), short_limits()};
  std::vector<FenceOf> asked{{{"ada", "~/f"},
                              {{grid::TaskNumber{1}, 0, grid::JobId{41}, grid::RemoteJobId{12}},
                               {grid::TaskNumber{2}, 0, grid::JobId{42}, grid::RemoteJobId{13}}}}};
  auto found = client.evidence(asked, 0ms);
  ASSERT_TRUE(found[0]);
  EXPECT_THAT(found[0]->names, ElementsAre("1.0.41.12.s"));
  EXPECT_THAT(found[0]->unread, ElementsAre(grid::JobId{42}));
  std::swap(asked[0].runs[0], asked[0].runs[1]);
  found = client.evidence(asked, 0ms);
  ASSERT_TRUE(found[0]);
  EXPECT_THAT(found[0]->unread, ElementsAre(grid::JobId{42}, grid::JobId{41})) << "no file shows yet that the home can be read";
}

TEST(Oar3Client, WhatItsApiLacks_IsRefusedOrFails_AndIsNeverSent) {
  FakeOar oar{[](const http::Request&) { return json(200, "{}"); }};
  Client client{oar3_access(oar), short_limits()};
  const FileOf file{{"ada", "~/f"}, "x"};
  expect<Refused>(client.write_files({&file, 1}).front());
  expect<Refused>(client.create_files({&file, 1}).front());
  expect<Refused>(client.list_folder("ada", "~/f"));
  expect<Refused>(list_files(client.access(), short_limits(), "ada", "~/f"));
  expect<ServerError>(client.matching("ada", "mem > 8", Effort::best));
  EXPECT_THAT(oar.requests(), IsEmpty());
}

}  // namespace
}  // namespace gleaner::oar
