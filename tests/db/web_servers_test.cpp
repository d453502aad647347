// The page behind nginx and Apache, below a prefix: their configuration is the text of docs/administration.md.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>

#include <fmt/format.h>

#include "api/web_assets.hpp"
#include "lib/process/child.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"
#include "tests/source_tree.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// The first block of this kind (`nginx`, `apache`, or none) below a heading of the guide for administrators.
std::string block_of_guide(const std::string& heading, const std::string& kind) {
  std::ifstream file{source_tree() / "docs/administration.md"};
  std::string block;
  bool is_here = false, is_block = false;
  for (std::string line; std::getline(file, line);) {
    if (is_block && line == "```") return block;
    if (is_block) block += line + "\n";
    if (line.starts_with("#")) is_here = line == heading;
    if (is_here && line == "```" + kind) is_block = true;
  }
  throw std::runtime_error{fmt::format("docs/administration.md has no block '{}' below '{}'", kind, heading)};
}

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) text.replace(at, what.size(), with);
}

int free_port() {
  const http::FileDescriptor fd{::socket(AF_INET, SOCK_STREAM, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return 0;
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

bool is_root() { return ::geteuid() == 0; }
/// The user that Debian's web servers run as, where we may become it.
std::string user_of_server() { return is_root() ? "www-data" : ::getpwuid(::geteuid())->pw_name; }

enum class Server { nginx, apache };

/// A web server with one block of the guide, on a port of its own.
class WebServer {
 public:
  WebServer(Server kind, const fs::path& folder, const std::string& block) : port_{std::to_string(free_port())} {
    const auto file = folder / "web-server.conf";
    std::ofstream{file} << (kind == Server::nginx ? nginx(folder, block) : apache(folder, block));
    process::Command command{.arguments = kind == Server::nginx ? std::vector<std::string>{kNginx, "-p", folder, "-c", file}
                                                                : std::vector<std::string>{kApache, "-DFOREGROUND", "-f", file}};
    command.output = folder / "web-server.log";
    auto child = process::Child::start(command);
    if (!child) throw std::runtime_error{child.error()};
    child_ = std::make_unique<process::Child>(std::move(*child));
    const bool is_up = await([&] {
      try {
        return connect_to(port_).get() >= 0;
      } catch (const std::exception&) {
        return child_->wait(process::Duration{0}).has_value();
      }
    });
    std::ifstream log{command.output};
    if (!is_up || child_->wait(process::Duration{0}))
      throw std::runtime_error{"it does not start: " + std::string{std::istreambuf_iterator<char>{log}, {}}};
  }
  [[nodiscard]] static bool is_installed(Server kind) { return fs::exists(kind == Server::nginx ? kNginx : kApache); }
  [[nodiscard]] const std::string& port() const { return port_; }

 private:
  static constexpr auto kNginx = "/usr/sbin/nginx";
  static constexpr auto kApache = "/usr/sbin/apache2";

  [[nodiscard]] std::string nginx(const fs::path& folder, const std::string& block) const {
    return fmt::format(
        "{3}daemon off;\nworker_processes 1;\npid {0}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n"
        "client_body_temp_path {0}/t1;\nproxy_temp_path {0}/t2;\nfastcgi_temp_path {0}/t3;\nuwsgi_temp_path {0}/t4;\n"
        "scgi_temp_path {0}/t5;\nserver {{\nlisten 127.0.0.1:{1};\n{2}}}\n}}\n",
        folder.string(), port_, block, is_root() ? "user www-data;\n" : "");
  }
  [[nodiscard]] std::string apache(const fs::path& folder, const std::string& block) const {
    std::string modules;
    for (const auto* name :
         {"mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "headers", "proxy", "proxy_http"})
      modules += fmt::format("LoadModule {0}_module /usr/lib/apache2/modules/mod_{0}.so\n", name);
    const auto user = is_root() ? std::string{"User www-data\nGroup www-data\n"} : std::string{};
    return fmt::format(
        "ServerRoot {0}\nServerName localhost\nDefaultRuntimeDir {0}\nPidFile {0}/pid\nErrorLog /dev/stderr\n{1}Listen "
        "127.0.0.1:{2}\n{3}{4}",
        folder.string(), modules, port_, user, block);
  }

  std::string port_;
  std::unique_ptr<process::Child> child_;
};

/// Reads an answer that does not end, byte by byte as it comes; HTTP/1.0, so that it comes without the frames of chunks.
class Stream {
 public:
  Stream(const std::string& port, const std::string& target, const std::string& header) : fd_{connect_to(port)} {
    const auto request = fmt::format("GET {} HTTP/1.0\r\nHost: grid\r\nAccept: text/event-stream\r\n{}\r\n\r\n", target, header);
    if (::send(fd_.get(), request.data(), request.size(), MSG_NOSIGNAL) != std::ssize(request)) throw std::runtime_error{"not taken"};
  }
  /// Whether the text comes, before the stream ends.
  [[nodiscard]] bool has(const std::string& text) {
    std::array<char, 4096> buffer{};
    while (read_.find(text) == std::string::npos) {
      pollfd item{fd_.get(), POLLIN, 0};
      if (::poll(&item, 1, static_cast<int>(kHangGuard.count())) <= 0) return false;
      const auto got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) return false;
      read_.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return true;
  }
  [[nodiscard]] const std::string& read() const { return read_; }

 private:
  http::FileDescriptor fd_;
  std::string read_;
};

class BehindAWebServer : public ApiTest, public testing::WithParamInterface<Server> {
 protected:
  void SetUp() override {
    if (!WebServer::is_installed(GetParam())) GTEST_SKIP() << "tools/setup --test installs it";
    if (api::web_assets().empty()) GTEST_SKIP() << "built without the page";
    ApiTest::SetUp();
    if (HasFatalFailure()) return;
    auto block = block_of_guide(heading(), GetParam() == Server::nginx ? "nginx" : "apache");
    replace_all(block, "/run/gleaner/api.socket", socket());
    replace_all(block, "127.0.0.1:8400", "127.0.0.1:" + port());
    replace_all(block, "/etc/gleaner/portal.passwd", (web_folder() / "passwd").string());
    server_.emplace(GetParam(), web_folder(), block);
  }
  void TearDown() override {
    server_.reset();
    if (!folder().empty()) ApiTest::TearDown();
  }
  void configure(api::ApiOptions& options) override {
    static_cast<void>(options);
    // The web server has another user.
    fs::permissions(folder(), fs::perms{0755});
    fs::create_directory(web_folder());
    fs::permissions(web_folder(), fs::perms{0777});
    // Both servers read such a line.
    const auto made = process::capture({.arguments = {"openssl", "passwd", "-apr1", "secret"}}, kHangGuard);
    ASSERT_TRUE(made && made->end.succeeded());
    std::ofstream{web_folder() / "passwd"} << "alice:" << made->output;
  }
  [[nodiscard]] virtual std::string heading() const { return "### The page behind a web server"; }
  [[nodiscard]] fs::path web_folder() const { return folder() / "web"; }
  [[nodiscard]] const std::string& web() const { return server_->port(); }
  /// Asks the web server.
  [[nodiscard]] ApiAnswer visit(ApiRequest request) const {
    request.target = "/gleaner" + request.target;
    return ask(web(), request);
  }
  /// The page, its files, acts and the stream, by whoever the header makes alice.
  void expect_the_whole_page_for(const std::pair<std::string, std::string>& alice);

 private:
  std::optional<WebServer> server_;
};

void BehindAWebServer::expect_the_whole_page_for(const std::pair<std::string, std::string>& alice) {
  const auto lead = visit({.target = "/ui", .headers = {alice}});
  EXPECT_EQ(lead.status, 308);
  EXPECT_THAT(lead.headers.at("location"), testing::AnyOf("ui/", HasSubstr("/gleaner/ui/")));
  const auto page = visit({.target = "/ui/?view=grid", .headers = {alice}});
  ASSERT_EQ(page.status, 200) << page.body;
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
  const std::regex address{R"re((?:src|href)="([^"]+)")re"};
  int files = 0;
  for (std::sregex_iterator at{page.body.begin(), page.body.end(), address}; at != std::sregex_iterator{}; ++at, ++files)
    EXPECT_EQ(visit({.target = "/ui/" + (*at)[1].str(), .headers = {alice}}).status, 200) << (*at)[1];
  EXPECT_GE(files, 3) << "script, style, icon";

  const auto id = a_campaign_of(1);
  const auto act = [&](const std::string& what, std::map<std::string, std::string> headers) {
    headers.insert(alice);
    return visit({.method = "POST", .target = fmt::format("/v1/campaigns/{}/{}", id, what), .headers = std::move(headers)});
  };
  Stream stream{web(), "/gleaner/v1/events?after=now", alice.first + ": " + alice.second};
  ASSERT_TRUE(stream.has("\r\n\r\nretry: ") || stream.has("id: ")) << stream.read();
  EXPECT_EQ(act("hold", {{"Origin", "http://evil.example"}}).code(), "only_reads");
  ASSERT_EQ(act("hold", {{"Sec-Fetch-Site", "same-origin"}}).status, 202);
  // A web server that gathers an answer would keep so short a message until the stream ends.
  EXPECT_TRUE(stream.has(R"("paused")")) << stream.read();
  ASSERT_EQ(act("resume", {{"Origin", "http://grid"}}).status, 202) << "the Host came through as it was";
  EXPECT_TRUE(stream.has(R"("in_treatment")")) << stream.read();
}

TEST_P(BehindAWebServer, UnderAPrefix_PeopleSignInByACode_AndTheWholePageIsThere) {
  EXPECT_EQ(visit({.target = "/v1/summary"}).code(), "unknown_caller");
  EXPECT_EQ(visit({.target = "/", .headers = {{"X-Gleaner-User", "alice"}}}).code(), "unknown_caller");
  const auto code = as("alice", {.method = "POST", .target = "/v1/session-codes"});
  const auto body = fmt::format(R"({{"code": "{}"}})", code.json["code"].GetString());
  const auto begun = visit({.method = "POST",
                            .target = "/session",
                            .body = body,
                            .headers = {{"Content-Type", "application/json"}, {"Sec-Fetch-Site", "same-origin"}}});
  ASSERT_EQ(begun.status, 201) << begun.body;
  const auto set = begun.headers.at("set-cookie");
  EXPECT_THAT(set, Not(HasSubstr("Path"))) << "a browser takes the folder of the request's path, below the prefix";
  expect_the_whole_page_for({"Cookie", set.substr(0, set.find(';'))});
  EXPECT_EQ(sql("SELECT DISTINCT origin FROM audit WHERE act = 'campaign paused'"), "web");
}

/// The web server logs people in.
class BehindSingleSignOn : public BehindAWebServer {
 protected:
  [[nodiscard]] std::string heading() const override { return "### Single sign-on"; }
  void configure(api::ApiOptions& options) override {
    BehindAWebServer::configure(options);
    const auto option = block_of_guide(heading(), "");
    ASSERT_EQ(option, "api_proxies = www-data\n");
    options.config.api_proxies = {user_of_server()};
  }
  static constexpr auto kAlice = "Basic YWxpY2U6c2VjcmV0";  // alice:secret
};

TEST_P(BehindSingleSignOn, ThePageIsThere_WithoutACode) {
  EXPECT_EQ(visit({.target = "/"}).status, 401) << "of the web server";
  const auto root = visit({.target = "/", .headers = {{"Authorization", kAlice}}});
  ASSERT_EQ(root.status, 200) << root.body;
  EXPECT_STREQ(root.json["user"].GetString(), "alice");
  EXPECT_FALSE(root.json["session"].GetBool());
  expect_the_whole_page_for({"Authorization", kAlice});
  EXPECT_EQ(sql("SELECT DISTINCT origin FROM audit WHERE act = 'campaign paused'"), "web, named by " + user_of_server());
}

TEST_P(BehindSingleSignOn, Attack_NamingOneselfOtherwise_ChangesNothing) {
  for (const auto* header : {"X-Gleaner-User", "x-gleaner-user", "X_Gleaner_User", "X-Gleaner_User"}) {
    const auto root = visit({.target = "/", .headers = {{"Authorization", kAlice}, {header, "root"}}});
    ASSERT_EQ(root.status, 200) << header << root.body;
    EXPECT_STREQ(root.json["user"].GetString(), "alice") << header;
    EXPECT_EQ(visit({.target = "/", .headers = {{header, "alice"}}}).status, 401) << header;
  }
  const ApiRequest submission{
      .method = "POST", .target = "/cigri/campaigns", .body = "{}", .headers = {{"Authorization", kAlice}, {"X-CIGRI-USER", "root"}}};
  EXPECT_EQ(visit(submission).status, 403);
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
}

std::string name_of(const testing::TestParamInfo<Server>& info) { return info.param == Server::nginx ? "Nginx" : "Apache"; }
INSTANTIATE_TEST_SUITE_P(Web, BehindAWebServer, testing::Values(Server::nginx, Server::apache), name_of);
INSTANTIATE_TEST_SUITE_P(Web, BehindSingleSignOn, testing::Values(Server::nginx, Server::apache), name_of);

}  // namespace
}  // namespace gleaner::tests
