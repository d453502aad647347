#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lib/http/file_descriptor.hpp"
#include "lib/http/server.hpp"
#include "lib/oar/client.hpp"
#include "tests/unit/oar_fake.hpp"

/// The client before servers that fail.
namespace gleaner::oar {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(OarClient, EachRequestNamesItsSender_AndWhatItAccepts) {
  std::string seen;
  FakeOar oar{[&](const http::Request& request) {
    seen = fmt::format("{}|{}|{}", request.headers.find("X_REMOTE_IDENT").value_or("-"), request.headers.find("Accept").value_or("-"),
                       request.headers.find("Authorization").value_or("-"));
    return json(200, kVersion);
  }};
  Client client{oar.access()};
  EXPECT_EQ(client.version().value_or("failed"), "2.5.9 (Canicule)");
  EXPECT_EQ(seen, "reader|application/json|Basic Z3JpZDpvcGVuLXNlc2FtZQ==");
  EXPECT_EQ(oar.requests(), std::vector<std::string>{"GET /oarapi/version.json"});
}

TEST(OarClient, ResourcesThatMatch_AreCountedByTheCluster_WithoutTheOneThatIsNone) {
  std::string user;
  for (const auto& [answer, matching] : std::vector<std::pair<Response, std::optional<int>>>{
           {json(200, R"({"items":[{"resource_id":3}],"total":5,"offset":0})"), 4},
           {json(200, R"({"items":[{"resource_id":0}],"total":"1","offset":0})"), 0},
           {json(500, R"({"code":500,"title":"SQL error","message":"SQL error"})"), std::nullopt},
           {json(200, R"({"items":[]})"), std::nullopt}}) {
    FakeOar oar{[&](const http::Request& request) {
      user = request.headers.find("X_REMOTE_IDENT").value_or("-");
      return answer;
    }};
    Client client{oar.access(), short_limits()};
    const auto found = client.matching("ada", "mem > 8", Effort::best);
    EXPECT_EQ(found ? std::optional{*found} : std::nullopt, matching);
    EXPECT_EQ(user, "ada");
    EXPECT_FALSE(client.matching("ada", "1 = 1) OR (1 = 1", Effort::best));
    EXPECT_EQ(oar.requests().size(), 1U) << "what is no condition is not sent";
  }
}

TEST(OarClient, TheStressFactor_ComesWithTheList_AndItsFailureIsItsOwn) {
  for (const auto& [answer, stress] :
       std::vector<std::pair<Response, std::optional<double>>>{{json(200, R"({"GLOBAL_STRESS":"0.7"})"), 0.7},
                                                               {json(404, "{}"), std::nullopt},
                                                               {json(200, R"({"GLOBAL_STRESS":"much"})"), std::nullopt}}) {
    FakeOar oar{[&](const http::Request& request) {
      return request.target.find("stress_factor") == std::string::npos ? json(200, R"({"items":[],"total":0,"offset":0,"links":[]})")
                                                                       : answer;
    }};
    Client client{oar.access(), short_limits()};
    const auto occupation = client.occupation();
    ASSERT_TRUE(occupation) << describe(occupation.error());
    EXPECT_EQ(occupation->stress, stress);
    EXPECT_TRUE(occupation->response);
    EXPECT_EQ(oar.requests().size(), 2U);
  }
}

TEST(OarClient, TheStressFactor_IsAskedForAlone_AsARequestBesideAnotherWaitsForAProcessOfApache) {
  std::atomic<int> open{0}, most{0};
  FakeOar oar{[&](const http::Request& request) {
    most = std::max(most.load(), ++open);
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
    --open;
    return request.target.find("stress_factor") == std::string::npos ? json(200, R"({"items":[],"total":0,"offset":0,"links":[]})")
                                                                     : json(200, R"({"GLOBAL_STRESS":"0"})");
  }};
  Client client{oar.access(), short_limits()};
  ASSERT_TRUE(client.occupation());
  EXPECT_EQ(most, 1);
}

TEST(OarClient, NobodyListens_SoNothingWasSent) {
  auto access = FakeOar{[](const auto&) { return json(200, kVersion); }}.access();  // gone already
  Client client{access, short_limits()};
  expect<NotSent>(client.version());
  expect<NotSent>(submit_one(client));
}

TEST(OarClient, ASubmissionWithoutAWholeAnswer_HasAnUnknownOutcome_AndIsSentOnce) {
  const std::vector<Response> answers{with(json(201, kAccepted), {0ms, 0, Mishap::Ending::close}),
                                      with(json(201, kAccepted), {0ms, 0, Mishap::Ending::reset}),
                                      with(json(201, kAccepted), {0ms, 60, Mishap::Ending::close}),
                                      with(json(201, kAccepted), {kLate, std::nullopt, Mishap::Ending::none}),
                                      json(201, kAccepted.substr(0, 10)),
                                      json(201, "{}"),
                                      json(201, R"({"id":7,"cmd_output":""})"),
                                      html(201, "<html>hello</html>"),
                                      html(200, "<html>login</html>"),
                                      json(302, "{}")};
  for (std::size_t place = 0; place < answers.size(); ++place) {
    FakeOar oar{[&](const auto& request) { return request.method == "POST" ? answers[place] : json(200, kVersion); }};
    Client client{oar.access(), short_limits()};
    EXPECT_TRUE(client.version());  // so that a connection waits for the next request
    expect<NoAnswer>(submit_one(client));
    EXPECT_EQ(oar.requests().size(), 2U) << "answer " << place;
    EXPECT_TRUE(client.version()) << "answer " << place;
  }
}

TEST(OarClient, AServerErrorLeavesASubmissionUnknown_UnlessOarsubSaidNo) {
  FakeOar failing{[](const auto&) { return html(502, "<title>502 Proxy Error</title>"); }};
  Client client{failing.access()};
  const auto failed = submit_one(client);
  expect<ServerError>(failed);
  EXPECT_TRUE(outcome_unknown(failed.error()));
  EXPECT_EQ(failing.requests().size(), 1U);
  FakeOar refusing{[](const auto&) { return json(400, R"({"code":400,"title":"Bad query","message":"not enough resources"})"); }};
  Client other{refusing.access()};
  const auto refused = submit_one(other);
  expect<Refused>(refused);
  EXPECT_FALSE(outcome_unknown(refused.error()));
  EXPECT_THAT(describe(refused.error()), HasSubstr("not enough resources"));
}

/// A firewall for web applications refuses OAR's answer, after the jobs were made.
TEST(OarClient, ARefusalThatIsNotOars_LeavesASubmissionUnknown_UnlessOarNeverGotTheRequest) {
  for (const auto& [status, unknown] :
       {std::pair{403, true}, {404, true}, {400, true}, {406, true}, {401, false}, {413, false}, {414, false}, {431, false}}) {
    FakeOar oar{[&, status = status](const auto&) { return html(static_cast<unsigned>(status), "<title>Refused</title>"); }};
    Client client{oar.access()};
    const auto answer = submit_one(client);
    ASSERT_FALSE(answer);
    EXPECT_EQ(outcome_unknown(answer.error()), unknown) << status;
    EXPECT_EQ(oar.requests().size(), 1U) << status;
  }
}

TEST(OarClient, AnAnswerToARead_ThatIsNoJson_HalfOfIt_OrOfAnotherKind_IsNoAnswer) {
  const std::vector<Response> answers{html(200, "<html></html>"),
                                      json(200, R"({"items":[)"),
                                      json(200, "[]"),
                                      json(200, ""),
                                      with(json(200, kVersion), {0ms, 80, Mishap::Ending::close}),
                                      with(json(200, kVersion), {kLate, std::nullopt, Mishap::Ending::none}),
                                      json(204, "")};
  for (const auto& answer : answers) {
    FakeOar oar{[&](const auto&) { return answer; }};
    Client client{oar.access(), short_limits()};
    expect<NoAnswer>(client.occupying());
    expect<NoAnswer>(client.resources());
    expect<NoAnswer>(client.version());
  }
}

TEST(OarClient, AnAnswerLongerThanTheLimit_IsNoAnswer) {
  FakeOar oar{[](const auto&) { return json(200, std::string(5000, ' ') + kVersion); }};
  auto limits = short_limits();
  limits.answer_bytes = 1000;
  Client client{oar.access(), limits};
  const auto version = client.version();
  expect<NoAnswer>(version);
  EXPECT_THAT(describe(version.error()), HasSubstr("longer than 1000 bytes"));
}

TEST(OarClient, AnAnswerInACodingThatNobodyAskedFor_IsNoAnswer_ByItsName) {
  FakeOar oar{[](const auto&) {
    auto answer = json(200, "\x1f\x8b");
    answer.headers.add("Content-Encoding", "gzip");
    return answer;
  }};
  Client client{oar.access(), short_limits()};
  const auto version = client.version();
  expect<NoAnswer>(version);
  EXPECT_THAT(describe(version.error()), HasSubstr("a Content-Encoding (gzip), and none was asked for"));
}

TEST(OarClient, ARedirection_IsNotFollowed_AndItsTargetIsNamed) {
  FakeOar other{[](const auto&) { return json(200, kVersion); }};
  FakeOar oar{[&](const auto&) {
    auto answer = html(302, "");
    answer.headers.add("Location", other.access().url + "/elsewhere");
    return answer;
  }};
  Client client{oar.access(), short_limits()};
  const auto version = client.version();
  expect<NoAnswer>(version);
  EXPECT_THAT(describe(version.error()),
              HasSubstr(fmt::format("it redirects to '{}/elsewhere', which is not followed", other.access().url)));
  expect<NoAnswer>(submit_one(client));
  EXPECT_THAT(other.requests(), ::testing::IsEmpty()) << "the password is for the cluster's own URL";
}

/// Answers the first connection with the text, and then with the rest again and again, until the other end closes it.
class EndlessServer {
 public:
  EndlessServer(std::string begin, std::string rest) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listening_.get(), 1), 0);
    EXPECT_EQ(::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread{[this, begin = std::move(begin), rest = std::move(rest)] {
      const http::FileDescriptor peer{::accept(listening_.get(), nullptr, nullptr)};
      std::array<char, 4096> request{};
      if (::recv(peer.get(), request.data(), request.size(), 0) <= 0) return;
      auto next = ::send(peer.get(), begin.data(), begin.size(), MSG_NOSIGNAL);
      while (next > 0) next = ::send(peer.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    }};
  }
  ~EndlessServer() { thread_.join(); }
  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  http::FileDescriptor listening_{::socket(AF_INET, SOCK_STREAM, 0)};
  int port_ = 0;
  std::thread thread_;
};

TEST(OarClient, AHeadWithoutEnd_IsNoAnswer_AndItsConnectionIsClosed) {
  for (const auto& [begin, rest] :
       std::vector<std::pair<std::string, std::string>>{{"HTTP/1.1 200 OK\r\nX-Long: ", std::string(10'000, 'a')},
                                                        {"HTTP/1.1 200 OK\r\n", "X-Long: " + std::string(1000, 'a') + "\r\n"}}) {
    EndlessServer server{begin, rest};
    Access access;
    access.url = server.url();
    Limits limits;
    limits.read = std::chrono::minutes{1};
    Client client{access, limits};
    const auto version = client.version();
    expect<NoAnswer>(version);
    EXPECT_THAT(describe(version.error()),
                AnyOf(HasSubstr("a line of the answer's head is too long"), HasSubstr("Too large response headers")));
  }
}

/// Commands of 100 kB are allowed, and a list has them all.
TEST(OarClient, AListTooLongForOneAnswer_IsAskedForInSmallerPages) {
  FakeOar oar{[](const http::Request& request) {
    const auto offset = std::stoi(std::string{request.parameter("offset").value_or("0")});
    const auto limit = std::stoi(std::string{request.parameter("limit").value_or("500")});
    std::string items;
    for (int id = offset + 1; id <= std::min(offset + limit, 40); ++id) {
      items += fmt::format(R"({}{{"id":{},"state":"Running","command":"{}"}})", items.empty() ? "" : ",", id, std::string(100, 'x'));
    }
    return json(200, fmt::format(R"({{"total":40,"items":[{}]}})", items));
  }};
  auto limits = short_limits();
  limits.answer_bytes = 1000;
  Client client{oar.access(), limits};
  const auto occupying = client.occupying();
  ASSERT_TRUE(occupying) << describe(occupying.error());
  EXPECT_EQ(occupying->size(), 40U);
  std::vector<grid::RemoteJobId> ids;
  for (int id = 1; id <= 40; ++id) {
    ids.emplace_back(id);
  }
  const auto jobs = client.jobs(ids);
  ASSERT_TRUE(jobs) << describe(jobs.error());
  EXPECT_EQ(jobs->size(), 40U);
  limits.answer_bytes = 10;
  Client hopeless{oar.access(), limits};
  expect<NoAnswer>(hopeless.occupying());
}

TEST(OarClient, AFolderIsListed_AndOneThatOarDoesNotFind_IsRefused404) {
  FakeOar oar{[](const http::Request& request) {
    return request.target.ends_with("/there") ? json(200, R"({"total":1,"items":[{"name":"3.0.7.1.s"}]})")
                                              : json(404, R"({"code":404,"message":"Path not found: /home/u/gone","title":"Not found"})");
  }};
  Client client{oar.access()};
  const std::vector<PathOf> asked{{"alice", "~/there"}, {"alice", "~/gone"}, {"al ice", "~/there"}, {"alice", "~/$HOME"}};
  const auto folders = client.list_folders(asked);
  EXPECT_EQ(folders[0].value_or(std::vector<std::string>{}), std::vector<std::string>{"3.0.7.1.s"});
  expect<Refused>(folders[1]);
  EXPECT_EQ(std::get<Refused>(folders[1].error()).status, 404);
  for (const std::size_t place : {2U, 3U}) {
    expect<Refused>(folders[place]);
    EXPECT_EQ(std::get<Refused>(folders[place].error()).status, 0) << "it was sent";
  }
  EXPECT_THAT(oar.requests(), ::testing::UnorderedElementsAre("GET /oarapi/media/ls/~/there", "GET /oarapi/media/ls/~/gone"));
}

/// An API that moved or is being updated: nothing is known of the folder.
TEST(OarClient, AListingThatIsNotWhole_OrSomebodyElses404_IsNoAnswer) {
  for (const auto& answer : {html(404, "<title>404 Not Found</title>"), json(200, R"({"total":2,"items":[{"name":"a"}]})"),
                             json(200, R"({"total":)"), html(200, "login")}) {
    FakeOar oar{[&](const auto&) { return answer; }};
    Client client{oar.access()};
    expect<NoAnswer>(client.list_folder("alice", "~/there"));
  }
}

TEST(OarClient, OfAFile_OnlyOarItselfReportsThatItIsMissing) {
  FakeOar oar{[](const http::Request& request) {
    return request.target.ends_with("/gone") ? json(404, R"({"code":404,"message":"File not found"})") : html(404, "<title>404</title>");
  }};
  Client client{oar.access()};
  expect<Refused>(client.read_file("alice", "~/gone"));
  expect<NoAnswer>(client.read_file("alice", "~/proxy"));
}

/// `tail` of a sparse file has no end: what has come is enough.
TEST(OarClient, AFileWithoutEnd_IsCutWhereItIsEnough_AndItsTransferIsEnded) {
  std::atomic<bool> stopped{false};
  FakeOar oar{[&](const auto&) {
    Response response;
    response.headers.add("Content-Type", "application/octet-stream");
    response.stream = [&](http::Sink& sink) {
      for (int block = 0; block < 100'000; ++block) {
        if (!sink.write(std::string(4096, 'x'))) {
          stopped = true;
          return false;
        }
      }
      return true;
    };
    return response;
  }};
  Client client{oar.access()};
  const auto text = client.read_file("alice", "~/sparse", {.last_lines = 10, .most_bytes = 65536});
  ASSERT_TRUE(text) << describe(text.error());
  EXPECT_EQ(text->size(), 65536U);
  EXPECT_THAT(oar.requests(), ::testing::ElementsAre("GET /oarapi/media/~/sparse?tail=10"));
  while (!stopped) std::this_thread::yield();  // it was not sent to its end
  EXPECT_EQ(client.read_file("alice", "~/sparse", {.most_bytes = 10}).value_or("failed"), std::string(10, 'x'));
}

TEST(OarClient, AFileThatComesTooSlowly_CostsItsOwnPatienceAlone) {
  FakeOar oar{[](const http::Request& request) {
    return request.target.find("slow") == std::string::npos ? json(200, "quick")
                                                            : with(json(200, "slow"), {kLate, std::nullopt, Mishap::Ending::none});
  }};
  Client client{oar.access()};
  const std::vector<PathOf> asked{{"alice", "~/slow"}, {"alice", "~/quick"}};
  const auto texts = client.read_files(asked, {.patience = 2s});
  expect<NoAnswer>(texts[0]);
  EXPECT_EQ(texts[1].value_or("failed"), "quick");
}

/// Apache answers so when OAR's process was just ending.
TEST(OarClient, AReadThatTheWebServerFailed_IsMadeOnceMore_AndOneThatOarFailedIsNot) {
  int asked = 0;
  FakeOar once{[&](const auto&) { return ++asked == 1 ? html(500, "<title>500</title>") : json(200, kVersion); }};
  EXPECT_TRUE(Client{once.access()}.version());
  EXPECT_EQ(once.requests().size(), 2U);
  FakeOar always{[](const auto&) { return html(503, "<title>503</title>"); }};
  Client unlucky{always.access()};
  expect<ServerError>(unlucky.version());
  EXPECT_EQ(always.requests().size(), 2U);
  FakeOar database{[](const auto&) { return json(500, R"({"code":500,"message":"Cannot connect to the database"})"); }};
  Client told{database.access()};
  expect<ServerError>(told.version());
  EXPECT_EQ(database.requests().size(), 1U);
}

TEST(OarClient, OnePartOfAListThatFails_FailsTheWhole) {
  FakeOar oar{[](const http::Request& request) {
    return request.target.find("ids=3") == std::string::npos ? json(200, R"({"total":0,"items":[]})") : json(500, R"({"message":"no"})");
  }};
  auto limits = short_limits();
  limits.url_bytes = 1;
  Client client{oar.access(), limits};
  const std::vector<grid::RemoteJobId> ids{grid::RemoteJobId{1}, grid::RemoteJobId{2}, grid::RemoteJobId{3}};
  expect<ServerError>(client.jobs(ids));
}

TEST(OarClient, ManyRequests_EachAnswerInItsPlace_AndNoMoreAtOnceThanAllowed) {
  std::atomic<int> now{0};
  std::atomic<int> most{0};
  http::ServerOptions options;
  options.tcp = http::TcpEndpoint{};
  const auto server = http::Server::start(options, [&](const http::Request& request) {
                        const int busy = ++now;
                        for (int before = most; before < busy && !most.compare_exchange_weak(before, busy);) {
                        }
                        const auto id = request.path.substr(request.path.rfind('/') + 1);
                        auto response = json(200, fmt::format(R"({{"id":{},"state":"Running"}})", id.substr(0, id.find('.'))));
                        --now;
                        return response;
                      }).value();
  Access access;
  access.url = server->url();
  Limits limits;
  limits.parallel = 3;
  Client client{access, limits};
  std::vector<JobOf> asked;
  for (int id = 1; id <= 100; ++id) {
    asked.push_back({"griduser1", grid::RemoteJobId{id}});
  }
  const auto details = client.details(asked);
  for (std::size_t place = 0; place < asked.size(); ++place) {
    ASSERT_TRUE(details[place]) << describe(details[place].error());
    EXPECT_EQ(details[place]->job.id, asked[place].id);
  }
  EXPECT_LE(most, 3);
  EXPECT_EQ(client.requests(), 100U);
}

TEST(OarClient, AnAnswerAboutAnotherJob_IsNoAnswer) {
  FakeOar oar{[](const auto&) { return json(200, R"({"id":8,"state":"Running"})"); }};
  Client client{oar.access()};
  const JobOf asked{"griduser1", grid::RemoteJobId{7}};
  expect<NoAnswer>(client.details({&asked, 1}).front());
}

TEST(OarClient, ADeletionSaidInHtml_IsNoDeletion) {
  FakeOar oar{[](const auto&) { return html(200, "<html>please log in</html>"); }};
  Client client{oar.access()};
  const JobOf asked{"griduser1", grid::RemoteJobId{7}};
  expect<NoAnswer>(client.remove({&asked, 1}).front());
}

TEST(OarClient, LatencyIsThatOfTheWholeAnswer) {
  FakeOar oar{[](const auto&) { return with(json(200, kVersion), {150ms, std::nullopt, Mishap::Ending::none}); }};
  Client client{oar.access()};
  EXPECT_TRUE(client.version());
  EXPECT_GE(client.last_latency(), 150ms);
  EXPECT_GE(client.slowest_latency(), client.last_latency());
}

}  // namespace
}  // namespace gleaner::oar
