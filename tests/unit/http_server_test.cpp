#include "lib/http/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <thread>

#include "lib/http/outlet.hpp"
#include "tests/unit/http_raw_client.hpp"

namespace gleaner::http {
namespace {

using namespace std::chrono_literals;

TEST(HttpServer, Request_ArrivesWithItsParts) {
  const auto server = serve([](const Request& request) {
    return text(fmt::format("{} {} {} {} {}", request.method, request.path, *request.parameter("x"), *request.parameter("y"),
                            *request.headers.find("x_remote_ident")));
  });
  const auto answer = ask(*server, kGet);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\nGET /a/b 1 2  someone")) << answer;
}

TEST(HttpServer, KeepAlive_AnswersManyRequestsOfOneConnection) {
  const auto server = serve([](const Request& request) { return text("<" + request.path + ">"); });
  RawClient client{server->port()};
  client.send("GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /3 HTTP/1.1\r\nConnection: close\r\n\r\n");
  const auto answer = client.read_to_end();
  for (const auto* part : {"</1>", "</2>", "</3>"}) EXPECT_NE(answer.find(part), std::string::npos) << part;
}

TEST(HttpServer, Body_IsReadWholeUpToItsLimit) {
  const auto server = serve([](const Request& request) {
    const auto body = request.body->read_all(5);
    return body ? text("got " + *body) : text(std::string{describe(body.error())}, 413);
  });
  EXPECT_TRUE(ask(*server, "POST / HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde").ends_with("got abcde"));
  EXPECT_NE(ask(*server, "POST / HTTP/1.1\r\nContent-Length: 6\r\nConnection: close\r\n\r\nabcdef").find("413"), std::string::npos);
  EXPECT_TRUE(ask(*server, "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")
                  .ends_with("got abc"));
}

/// The body of such a request was served as the next request.
TEST(HttpServer, ABodyWhoseEndIsNotClear_IsRefused_AndWhatFollowsIsNoRequest) {
  std::atomic<int> handled{0};
  const auto server = serve([&](const Request&) {
    ++handled;
    return text("handled");
  });
  for (const auto* framing :
       {"Transfer-Encoding: identity\r\n", "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: x\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"}) {
    const auto answer = ask(*server, fmt::format("POST /1 HTTP/1.1\r\n{}\r\nGET /2 HTTP/1.1\r\n\r\n", framing));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400")) << framing << answer;
    EXPECT_EQ(answer.find("handled"), std::string::npos) << framing;
  }
  EXPECT_EQ(handled, 0);
}

TEST(HttpServer, ABodyInACoding_IsRefused_AndNeverTakenForWhatItStandsFor) {
  const auto server = serve([](const Request& request) { return text(request.body->read_all(100) ? "read" : "not read"); });
  const auto asked = [&](const char* coding) {
    return ask(*server, fmt::format("POST / HTTP/1.1\r\nContent-Encoding: {}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nab", coding));
  };
  for (const auto* coding : {"gzip", "GZIP", "identity\r\nContent-Encoding: br", "identity, gzip"}) {
    const auto answer = asked(coding);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 415")) << coding << answer;
    EXPECT_THAT(answer, ::testing::HasSubstr("Content-Encoding, and none is taken here"));
  }
  EXPECT_TRUE(asked("identity").ends_with("read"));
  EXPECT_TRUE(ask(*server, "GET / HTTP/1.1\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n").ends_with("read")) << "without a body";
}

TEST(HttpServer, BodyBrokenOff_IsAnErrorForTheHandler) {
  std::atomic<int> broken{0};
  const auto server = serve([&](const Request& request) {
    if (const auto body = request.body->read_all(1000); !body && body.error() == BodyError::broken) ++broken;
    return text("");
  });
  RawClient client{server->port()};
  client.send("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc");
  client.end();
  (void)client.read_to_end();
  EXPECT_EQ(broken, 1);
}

TEST(HttpServer, Body_IsReadLineByLineInConstantMemory) {
  const auto server = serve([](const Request& request) {
    std::size_t lines = 0;
    std::size_t bytes = 0;
    while (true) {
      const auto line = request.body->read_line(100);
      if (!line) return text("broken", 400);
      if (!*line) break;
      ++lines;
      bytes += (*line)->size();
    }
    return text(fmt::format("{} lines {} bytes", lines, bytes));
  });
  std::string body;
  for (int i = 0; i < 100'000; ++i) body += "0123456789\n";
  body += "\nlast";
  const auto answer = ask(*server, fmt::format("POST / HTTP/1.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}", body.size(), body));
  EXPECT_TRUE(answer.ends_with("100002 lines 1000004 bytes")) << answer;
}

TEST(HttpServer, LineLongerThanItsLimit_IsRefused) {
  const auto server = serve([](const Request& request) { return text(request.body->read_line(3) ? "read" : "refused"); });
  EXPECT_TRUE(ask(*server, "POST / HTTP/1.1\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcd\n").ends_with("refused"));
}

TEST(HttpServer, StreamedAnswer_ComesInChunks) {
  const auto server = serve([](const Request&) {
    Response response;
    response.stream = [](Sink& sink) { return sink.write("one") && sink.write("") && sink.write("two"); };
    return response;
  });
  const auto answer = ask(*server, kGet);
  EXPECT_TRUE(answer.ends_with("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n")) << answer;
}

TEST(HttpServer, StreamThatFails_EndsWithoutTheLastChunk) {
  const auto server = serve([](const Request&) {
    Response response;
    response.stream = [](Sink& sink) { return sink.write("one") && false; };
    return response;
  });
  const auto answer = ask(*server, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.ends_with("3\r\none\r\n")) << answer;
}

TEST(HttpServer, ConnectionThatIsPassedOn_NeedsNoThread_AndIsWrittenByWhoeverHasIt) {
  std::promise<std::unique_ptr<Outlet>> taken;
  ServerOptions options;
  options.max_connections = 1;
  const auto server = serve(
      [&](const Request& request) {
        if (request.path != "/stream") return text("other");
        Response response;
        response.pass_on = [&](std::unique_ptr<Outlet> outlet) { taken.set_value(std::move(outlet)); };
        return response;
      },
      options);
  RawClient client{server->port()};
  client.send("GET /stream HTTP/1.1\r\n\r\n");
  const auto head = client.read_until("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
  EXPECT_EQ(head.find("Transfer-Encoding"), std::string::npos) << head;
  auto outlet = taken.get_future().get();
  EXPECT_TRUE(ask(*server, kGet).ends_with("other"));
  EXPECT_EQ(outlet->write("one\n"), std::optional<std::size_t>{4});
  EXPECT_TRUE(outlet->skip_input());
  outlet.reset();
  EXPECT_EQ(client.read_to_end(), "one\n");
}

TEST(HttpServer, HeadOfAnAnswerThatWouldBePassedOn_HasNoLength) {
  const auto server = serve([](const Request&) {
    Response response;
    response.pass_on = [](std::unique_ptr<Outlet>) { ADD_FAILURE() << "the client asked for the head alone"; };
    return response;
  });
  const auto answer = ask(*server, "HEAD /stream HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
  EXPECT_EQ(answer.find("Content-Length"), std::string::npos) << answer;
}

TEST(HttpServer, HandlerThatThrows_GivesA500_AndTheReasonIsReported) {
  std::string problem;
  ServerOptions options;
  options.on_problem = [&](std::string_view what) { problem = what; };
  auto server = serve([](const Request&) -> Response { throw std::runtime_error{"boom"}; }, options);
  EXPECT_TRUE(ask(*server, kGet).starts_with("HTTP/1.1 500"));
  server->stop();
  EXPECT_NE(problem.find("boom"), std::string::npos);
}

TEST(HttpServer, AnswersThatNoHandlerMakes_HaveTheFormThatTheirOwnerGivesThem) {
  ServerOptions options;
  options.header_limit = 1000;
  options.deadlines.head = 50ms;
  options.refusal = [](unsigned status, std::string_view message) { return text(fmt::format("<{}: {}>", status, message), status); };
  const auto server = serve([](const Request&) -> Response { throw std::runtime_error{"boom"}; }, options);
  EXPECT_NE(ask(*server, "nonsense\r\n\r\n").find("\r\n\r\n<400: not an HTTP request: "), std::string::npos);
  EXPECT_NE(ask(*server, "GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n").find("\r\n\r\n<431: "), std::string::npos);
  EXPECT_NE(ask(*server, "GET / HTTP/1.1\r\n").find("\r\n\r\n<408: "), std::string::npos);
  EXPECT_NE(ask(*server, kGet).find("\r\n\r\n<500: "), std::string::npos);
}

TEST(HttpServer, NoHttp_IsA400_AndALongHeadA431) {
  ServerOptions options;
  options.header_limit = 1000;
  const auto server = serve([](const Request&) { return text(""); }, options);
  EXPECT_TRUE(ask(*server, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
  EXPECT_TRUE(ask(*server, "GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n").starts_with("HTTP/1.1 431"));
}

TEST(HttpServer, AChunkWhoseHeadNeverEnds_IsA431_AndIsNotKept) {
  ServerOptions options;
  options.header_limit = 1000;
  const auto server = serve([](const Request& request) { return text(request.body->read_all(10) ? "read" : "broken"); }, options);
  const std::string chunked{"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1;"};
  RawClient client{server->port()};
  client.send(chunked + std::string(1 << 20, 'a'));
  client.end();
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 431"));
  EXPECT_TRUE(ask(*server, chunked + std::string(60'000, 'a') + "\r\nx\r\n0\r\n\r\n").ends_with("read")) << "a long one that ends";
}

TEST(HttpServer, BodiesAndRequestsInARow_AreReadThroughASmallBuffer) {
  ServerOptions options;
  options.header_limit = 1000;
  const auto server =
      serve([](const Request& request) { return text(fmt::format("<{}>", request.body->read_all(2 << 20)->size())); }, options);
  std::string all =
      fmt::format("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n", 1 << 20, std::string(1 << 20, 'b'));
  for (int i = 0; i < 4000; ++i) all += "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nab";
  RawClient client{server->port()};
  client.send(all + "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  const auto answers = client.read_to_end();
  std::size_t count = 0;
  for (auto at = answers.find("<2>"); at != std::string::npos; at = answers.find("<2>", at + 1)) ++count;
  EXPECT_NE(answers.find("<1048576>"), std::string::npos);
  EXPECT_EQ(count, 4000U);
  EXPECT_TRUE(answers.ends_with("<0>"));
}

TEST(HttpServer, HeadRequest_HasNoBody) {
  const auto server = serve([](const Request&) { return text("12345"); });
  const auto answer = ask(*server, "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_NE(answer.find("Content-Length: 5"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST(HttpServer, ExpectContinue_IsAnsweredWhenTheBodyIsRead) {
  const auto server = serve([](const Request& request) { return text("got " + request.body->read_all(100).value_or("nothing")); });
  RawClient client{server->port()};
  client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 100"));
  client.send("abc");
  EXPECT_TRUE(client.read_to_end().ends_with("got abc"));
}

TEST(HttpMishap, NoAnswer_ClosesTheConnection) {
  const auto server = serve([](const Request&) {
    auto response = text("12345");
    response.mishap.only_first_bytes = 0;
    return response;
  });
  RawClient client{server->port()};
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(client.error(), 0);
}

TEST(HttpMishap, TruncatedAnswer_HasExactlyTheBytesAskedFor) {
  const auto server = serve([](const Request&) {
    auto response = text(std::string(1000, 'x'));
    response.mishap.only_first_bytes = 100;
    return response;
  });
  const auto answer = ask(*server, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answer.size(), 100U);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200"));
}

TEST(HttpMishap, Reset_IsSeenAsOne) {
  const auto server = serve([](const Request&) {
    auto response = text("");
    response.mishap = {.delay = 0ms, .only_first_bytes = 0, .ending = Mishap::Ending::reset};
    return response;
  });
  RawClient client{server->port()};
  client.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(client.read_to_end(), "");
  EXPECT_EQ(client.error(), ECONNRESET);
}

TEST(HttpMishap, Stop_EndsADelayAtOnce) {
  std::latch asked{1};
  auto server = serve([&](const Request&) {
    auto response = text("");
    response.mishap.delay = 24h;
    asked.count_down();
    return response;
  });
  RawClient client{server->port()};
  client.send("GET / HTTP/1.1\r\n\r\n");
  asked.wait();
  server->stop();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpServer, Stop_LetsTheRequestInProgressFinish) {
  std::latch asked{1};
  std::latch stopping{1};
  auto server = serve([&](const Request&) {
    asked.count_down();
    stopping.wait();
    return text("finished");
  });
  RawClient client{server->port()};
  client.send("GET / HTTP/1.1\r\n\r\n");
  asked.wait();
  server->request_stop();
  stopping.count_down();
  server->stop();
  EXPECT_TRUE(client.read_to_end().ends_with("finished"));
}

TEST(HttpServer, MoreConnectionsThanThreads_CloseAnIdleOne) {
  ServerOptions options;
  options.max_connections = 2;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  RawClient first{server->port()};
  RawClient second{server->port()};
  for (const auto* client : {&first, &second}) {
    client->send("GET / HTTP/1.1\r\n\r\n");
    (void)client->read_until("ok");
  }
  EXPECT_TRUE(ask(*server, kGet).ends_with("ok"));
  int answered = 0;
  for (auto* client : {&first, &second}) {
    client->send(kGet);
    if (client->read_to_end().ends_with("ok")) ++answered;
  }
  EXPECT_EQ(answered, 1);
}

TEST(HttpServer, ManyClientsAtOnce_AreAllAnswered) {
  const auto server = serve([](const Request& request) { return text(request.path); });
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([&, i] {
      const auto path = fmt::format("/{}", i);
      if (ask(*server, fmt::format("GET {} HTTP/1.1\r\nConnection: close\r\n\r\n", path)).ends_with("\r\n" + path)) ++right;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(right, 32);
}

TEST(HttpServer, IdleConnection_ClosesAfterItsLimit) {
  ServerOptions options;
  options.deadlines.idle = 20ms;
  const auto server = serve([](const Request&) { return text("ok"); }, options);
  RawClient client{server->port()};
  EXPECT_EQ(client.read_to_end(), "");
}

class UnixSocket : public testing::Test {
 protected:
  std::string path_ = (std::filesystem::temp_directory_path() / fmt::format("gleaner-http-{}.sock", ::getpid())).string();
  ServerOptions options() {
    ServerOptions made;
    made.unix_socket = UnixEndpoint{path_, 0620};
    return made;
  }
};

TEST_F(UnixSocket, Peer_IsKnownByTheKernelsWord) {
  auto server = serve(
      [](const Request& request) {
        const auto& process = request.peer.process;
        return text(process ? fmt::format("{} {} {}", process->uid, process->pid, process->user.empty()) : "unknown");
      },
      options());
  struct stat status {};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0620U);
  RawClient client{path_};
  client.send(kGet);
  EXPECT_TRUE(client.read_to_end().ends_with(fmt::format("{} {} false", ::getuid(), ::getpid())));
  server->stop();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(UnixSocket, SocketOfADeadServer_IsReplaced_AndALiveOneIsNot) {
  {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.copy(address.sun_path, sizeof address.sun_path - 1);
    ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(fd);
  }
  const auto server = serve([](const Request&) { return text("alive"); }, options());
  const auto second = Server::start(options(), [](const Request&) { return text(""); });
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find("answers there already"), std::string::npos);
}

TEST(HttpServer, PortInUse_IsAnErrorThatNamesIt) {
  const auto server = serve([](const Request&) { return text(""); });
  ServerOptions options;
  options.tcp = TcpEndpoint{"127.0.0.1", server->port()};
  const auto second = Server::start(options, [](const Request&) { return text(""); });
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().find(std::to_string(server->port())), std::string::npos);
}

}  // namespace
}  // namespace gleaner::http
