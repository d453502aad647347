// Parameter files of this machine: who may have which, and what a hostile or hanging one costs. The program param-file runs as systemd
// would start it, one for each connection.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "api/param_file/read_file.hpp"
#include "api/param_files.hpp"

extern char** environ;

namespace gleaner::api {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A socket; `answer` gets each connection, and closes it.
class Listener {
 public:
  explicit Listener(const fs::path& path, std::function<void(int connection)> answer) : answer_{std::move(answer)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    socket_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(socket_, 16) != 0)
      throw std::runtime_error{"no socket"};
    thread_ = std::thread{[this] { serve(); }};
  }
  ~Listener() {
    stopped_ = true;
    thread_.join();
    ::close(socket_);
  }

 private:
  void serve() {
    while (!stopped_) {
      pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection >= 0) answer_(connection);
    }
  }

  std::function<void(int)> answer_;
  int socket_ = -1;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

class ParamFilesTest : public testing::Test {
 protected:
  ParamFilesTest() {
    std::string pattern = "/tmp/gleaner-param-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{pattern};
    folder_ = pattern;
    fs::permissions(folder_, fs::perms{0755});
    for (const auto* name : {"site", "site/mine", "locks", "elsewhere"}) fs::create_directory(folder_ / name);
    if (::geteuid() == 0) user_ = ::getpwnam("nobody")->pw_uid;
    give(folder_ / "site/mine");
  }
  ~ParamFilesTest() override { fs::remove_all(folder_); }

  void give(const fs::path& path) const {
    if (::geteuid() == 0 && ::lchown(path.c_str(), user_, static_cast<gid_t>(-1)) != 0) throw std::runtime_error{path};
  }
  fs::path a_file(const std::string& name, std::string_view content, unsigned mode = 0600) const {
    const auto path = folder_ / name;
    std::ofstream{path} << content;
    fs::permissions(path, fs::perms{mode});
    give(path);
    return path;
  }

  /// Starts the program as systemd does: the connection is its stdin and stdout.
  void start_reader() {
    listener_.emplace(folder_ / "socket", [this](int connection) {
      const char* programs = std::getenv("GLEANER_BIN_DIR");
      const auto program = std::string{programs != nullptr ? programs : "build/bin"} + "/param-file";
      const auto locks = (folder_ / "locks").string();
      const auto allowed = "GLEANER_API_CIGRI_PARAM_FILES=" + (folder_ / "site").string();
      std::vector<char*> environment{const_cast<char*>(allowed.c_str())};
      for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
      environment.push_back(nullptr);
      posix_spawn_file_actions_t actions{};
      ::posix_spawn_file_actions_init(&actions);
      ::posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO);
      ::posix_spawn_file_actions_adddup2(&actions, connection, STDOUT_FILENO);
      std::array<const char*, 4> words{program.c_str(), "--locks", locks.c_str(), nullptr};
      pid_t child = -1;
      ASSERT_EQ(::posix_spawn(&child, program.c_str(), &actions, nullptr, const_cast<char* const*>(words.data()), environment.data()), 0);
      ::posix_spawn_file_actions_destroy(&actions);
      ::close(connection);
      ::waitpid(child, nullptr, 0);
    });
  }

  [[nodiscard]] http::Peer peer(uid_t user) const {
    return {.address = "unix", .process = http::Peer::Process{.uid = user, .gid = 0, .pid = 1, .user = "x"}, .certificate = std::nullopt};
  }
  ParamFiles& files(std::chrono::milliseconds patience = std::chrono::minutes{2}) {
    if (!files_)
      files_.emplace(ParamFiles::Options{.folders = {(folder_ / "site").string()}, .reader = folder_ / "socket", .patience = patience});
    return *files_;
  }
  /// The answer: `=` and the bytes of a file that is read, else status and message.
  std::string said(const std::string& path) {
    const auto read = files().read(peer(user_), path);
    return read ? "=" + *read : fmt::format("{} {}", read.error().status, read.error().body);
  }

  fs::path folder_;
  uid_t user_ = ::geteuid();
  std::optional<Listener> listener_;
  std::optional<ParamFiles> files_;
};

TEST_F(ParamFilesTest, AFileThatTheUserMayRead_IsRead_AndNoOther) {
  start_reader();
  const auto mine = a_file("site/mine/list", "1 a\n2 b\n");
  EXPECT_EQ(said(mine), "=1 a\n2 b\n");
  fs::create_symlink("list", folder_ / "site/mine/link");
  EXPECT_EQ(said(folder_ / "site/mine/link"), "=1 a\n2 b\n");
  a_file("elsewhere/list", "secret", 0644);
  EXPECT_THAT(said(folder_ / "elsewhere/list"), testing::AllOf(HasSubstr("400"), HasSubstr("below "), HasSubstr("api_cigri_param_files")));
  EXPECT_THAT(said(folder_ / "site/mine/nothing"), HasSubstr("there is no such file on this machine"));
  EXPECT_THAT(said("list"), HasSubstr("write its path from the root"));
  EXPECT_THAT(said(a_file("site/mine/unreadable", "x", 0000)), HasSubstr("may not read it"));
  if (::geteuid() != 0) GTEST_SKIP() << "only root reads as others";
  std::ofstream{folder_ / "site/roots"} << "secret";
  fs::permissions(folder_ / "site/roots", fs::perms{0600});
  EXPECT_THAT(said(folder_ / "site/roots"), HasSubstr("nobody may not read it"));
  const auto as_root = files().read(peer(0), mine);
  ASSERT_FALSE(as_root);
  EXPECT_THAT(as_root.error().body, HasSubstr("files of root are not read"));
}

TEST_F(ParamFilesTest, WhatIsNoRegularFile_OrLeadsOutOfTheFolder_IsNotOpened) {
  start_reader();
  ASSERT_EQ(::mkfifo((folder_ / "site/mine/pipe").c_str(), 0644), 0);
  give(folder_ / "site/mine/pipe");
  EXPECT_THAT(said(folder_ / "site/mine/pipe"), HasSubstr("it is no regular file"));
  EXPECT_THAT(said(folder_ / "site/mine"), HasSubstr("it is no regular file"));
  a_file("elsewhere/list", "secret", 0644);
  fs::create_symlink(folder_ / "elsewhere/list", folder_ / "site/mine/out");
  fs::create_symlink("../../elsewhere/list", folder_ / "site/mine/up");
  fs::create_symlink("loop", folder_ / "site/mine/loop");
  EXPECT_THAT(said(folder_ / "site/mine/out"), HasSubstr("it leads out of"));
  EXPECT_THAT(said(folder_ / "site/mine/up"), HasSubstr("it leads out of"));
  EXPECT_THAT(said((folder_ / "site/../elsewhere/list").string()), HasSubstr("it leads out of"));
  EXPECT_THAT(said(folder_ / "site/mine/loop"), HasSubstr("lead nowhere"));
  const auto large = a_file("site/mine/large", "x");
  fs::resize_file(large, param_file::kMostBytes + 1);
  EXPECT_THAT(said(large), HasSubstr("it is larger than 16 MB"));
  fs::resize_file(large, param_file::kMostBytes);
  EXPECT_EQ(said(large).size(), param_file::kMostBytes + 1);
}

TEST_F(ParamFilesTest, WhereASiteAllowsNone_OrTheWayIsAnother_TheWordsSayThat) {
  ParamFiles none{{.folders = {}, .reader = folder_ / "socket"}};
  const auto off = none.read(peer(user_), "/x");
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().status, 400U);
  EXPECT_THAT(off.error().body, HasSubstr("this site allows no such files (api_cigri_param_files)"));
  const auto far = files().read({.address = "10.0.0.1:4", .process = std::nullopt, .certificate = std::nullopt}, "/x");
  ASSERT_FALSE(far);
  EXPECT_EQ(far.error().status, 400U);
  EXPECT_THAT(far.error().body, HasSubstr("over TCP"));
  EXPECT_THAT(said("/x"), testing::AllOf(HasSubstr("503"), HasSubstr("tell the grid's administrators")));
}

TEST_F(ParamFilesTest, AReaderThatHangs_HoldsOneRequestOfItsUser_ForAShortTime_AndNobodyElse) {
  std::vector<int> held;
  std::atomic<int> connections = 0;
  listener_.emplace(folder_ / "socket", [&](int connection) {
    held.push_back(connection);
    ++connections;
  });
  files(std::chrono::milliseconds{1500});
  std::string first;
  std::thread waiting{[&] { first = said("/site/x"); }};
  while (connections == 0) std::this_thread::yield();
  EXPECT_THAT(said("/site/x"), testing::AllOf(HasSubstr("503"), HasSubstr("other parameter files are being read")));
  EXPECT_EQ(connections, 1) << "the second one does not wait";
  const auto other = files().read(peer(4242), "/site/y");
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().body, HasSubstr("could not be read within 2 s"));
  waiting.join();
  EXPECT_THAT(first, testing::AllOf(HasSubstr("503"), HasSubstr("its file system may hang")));
  EXPECT_EQ(connections, 2);
  listener_.reset();
  for (const int connection : held) ::close(connection);
}

TEST_F(ParamFilesTest, AFileThatIsStillBeingRead_KeepsItsUsersNextOneAway) {
  start_reader();
  const auto mine = a_file("site/mine/list", "1\n");
  const auto lock = ::open((folder_ / "locks" / fmt::format("{}.lock", user_)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  EXPECT_THAT(said(mine), HasSubstr("another parameter file of yours is still being read"));
  ::close(lock);
  EXPECT_EQ(said(mine), "=1\n");
}

TEST(ParamFileAnswers, ThatAreCut_AreNone) {
  const std::string bytes = "1\n2\n";
  const auto whole = param_file::head_of(bytes.size()) + bytes;
  EXPECT_EQ(param_file::bytes_of(whole), bytes);
  EXPECT_EQ(param_file::bytes_of(whole.substr(0, whole.size() - 1)), tl::unexpected{std::string{}});
  EXPECT_EQ(param_file::bytes_of("ok 4"), tl::unexpected{std::string{}});
  EXPECT_EQ(param_file::bytes_of(""), tl::unexpected{std::string{}});
  EXPECT_EQ(param_file::bytes_of("no\n"), tl::unexpected{std::string{"no"}});
  EXPECT_FALSE(param_file::parse("0\n"));
  EXPECT_FALSE(param_file::parse("x\n/a\n"));
  EXPECT_FALSE(param_file::parse("7\n/a\n/b\n"));
  EXPECT_EQ(param_file::parse("7\n/a b\n")->path, "/a b");
}

}  // namespace
}  // namespace gleaner::api
