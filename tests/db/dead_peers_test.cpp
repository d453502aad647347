#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <future>
#include <stdexcept>

#include "lib/store/detail.hpp"
#include "tests/db/await.hpp"
#include "tests/db/grid_fixture.hpp"

/// A machine that loses power: no packet of its connections comes any more, and none says that they are over.
namespace gleaner::tests {
namespace {

using Work = store::Database::Work;
using namespace std::chrono_literals;

void write_file(const char* path, const std::string& text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  const bool written = file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (file >= 0) ::close(file);
  if (!written) throw std::runtime_error{fmt::format("{}: {}", path, std::strerror(errno))};
}

/// A network of this program alone; who is not root becomes the same user in a namespace where that is allowed. False when the system
/// allows neither.
bool leave_the_network() {
  if (::unshare(CLONE_NEWNET) == 0) return true;
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  write_file("/proc/self/setgroups", "deny");
  write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", user));
  write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
  return true;
}

enum class Link { up, down };

/// While it is down every packet is lost, as to a machine without power.
void set_loopback(Link link) {
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
  request.ifr_flags = link == Link::up ? IFF_UP : 0;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool set = ::ioctl(socket, SIOCSIFFLAGS, &request) == 0;
  ::close(socket);
  if (!set) throw std::runtime_error{fmt::format("the loopback interface cannot be changed: {}", std::strerror(errno))};
}

/// The server in a network of its own: reached over TCP, which can be cut, and over its unix socket, which cannot.
class DeadPeer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!leave_the_network()) return;
    set_loopback(Link::up);
    PrivatePostgres::instance().listen_on("127.0.0.1");
    cut_off_ = true;
  }
  void SetUp() override {
    if (!cut_off_) GTEST_SKIP() << "this system allows no network namespace";
    set_loopback(Link::up);
    conninfo_ = PrivatePostgres::instance().fresh_database();
    // libpq takes the last host that it is given.
    over_tcp_ = conninfo_ + " host=127.0.0.1";
  }
  void TearDown() override {
    if (cut_off_) set_loopback(Link::up);
  }

  [[nodiscard]] bool is_free(std::int64_t cluster) {
    store::Database other{conninfo_};
    return other.try_lock(Work::update, cluster);
  }
  static bool cut_off_;
  std::string conninfo_, over_tcp_;
};
bool DeadPeer::cut_off_ = false;

constexpr store::ConnectionLimits kSoonGivenUp{.dead_after = 2s, .statement = {}, .lock = {}, .idle_in_transaction = {}};
constexpr store::ConnectionLimits kNeverGivenUp{.dead_after = {}, .statement = {}, .lock = {}, .idle_in_transaction = {}};

TEST_F(DeadPeer, ThatHeldLocks_LosesThem_AndTheLeasesRow) {
  store::Database watched{over_tcp_, kSoonGivenUp};
  store::Database forgotten{over_tcp_, kNeverGivenUp};
  ASSERT_TRUE(watched.try_lock(Work::update, 1));
  ASSERT_TRUE(forgotten.try_lock(Work::update, 2));
  auto transaction = watched.begin();
  store::detail::exec_text(transaction, "UPDATE lease SET holder = 'a machine without power'");
  ASSERT_FALSE(is_free(1));
  set_loopback(Link::down);
  EXPECT_TRUE(await([&] { return is_free(1); }));
  EXPECT_FALSE(is_free(2)) << "without limits PostgreSQL waits for two hours";
  store::Database other{conninfo_, {.lock = 10s}};
  EXPECT_TRUE(store::acquire_lease(other, "another machine", 1h));
}

TEST_F(DeadPeer, ThatIsTheServer_IsNotWaitedFor) {
  store::Database database{over_tcp_, kSoonGivenUp};
  auto waiting = std::async(std::launch::async, [&] {
    auto transaction = database.begin();
    store::detail::exec_text(transaction, "SELECT pg_sleep(3600)");
  });
  store::Database other{conninfo_};
  ASSERT_TRUE(await([&] {
    auto transaction = other.begin();
    return store::detail::exec_text(transaction,
                                    "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep%'")[0][0]
               .as<int>() == 1;
  }));
  set_loopback(Link::down);
  ASSERT_EQ(waiting.wait_for(kHangGuard), std::future_status::ready);
  EXPECT_THROW(waiting.get(), store::Unavailable);
}

}  // namespace
}  // namespace gleaner::tests
