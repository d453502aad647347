#include "tests/db/postgres.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <pqxx/pqxx>

#include "lib/store/database.hpp"
#include "lib/store/migrations.hpp"
#include "tests/db/transitions.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

constexpr auto kPatience = std::chrono::minutes{10};  // against hangs alone
constexpr auto kTemplate = "gleaner_template";
constexpr std::string_view kFolder{"gleaner-server-"};

/// The server's programs: the newest version in Debian's place, or wherever PATH says.
fs::path program(const std::string& name) {
  fs::path newest = name;
  int version = 0;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator{"/usr/lib/postgresql", missing}) {
    const int number = std::atoi(entry.path().filename().c_str());
    if (number > version && fs::exists(entry.path() / "bin" / name)) {
      version = number;
      newest = entry.path() / "bin" / name;
    }
  }
  return newest;
}

/// PostgreSQL does not run as root.
const passwd* other_user() {
  if (geteuid() != 0) return nullptr;
  const auto* user = getpwnam("postgres");
  if (user == nullptr) throw std::runtime_error{"run by root, the tests need the user 'postgres' (package postgresql)"};
  return user;
}

/// In the child: becomes the other user, dies with this program, writes to `log`, runs.
[[noreturn]] void become(const passwd* user, const fs::path& log, const std::vector<std::string>& arguments, pid_t parent) {
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::setpgid(0, 0);  // Ctrl-C is for the tests; they stop the server
  if (user != nullptr) {
    const bool changed = ::setgroups(0, nullptr) == 0 && ::setgid(user->pw_gid) == 0 && ::setuid(user->pw_uid) == 0;
    if (!changed) ::_exit(126);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  if (::getppid() != parent) ::_exit(126);
  ::chdir("/") == 0 ? void() : ::_exit(126);
  std::vector<char*> argv;
  for (const auto& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  ::_exit(127);
}

pid_t spawn(const fs::path& log, const std::vector<std::string>& arguments) {
  const auto* user = other_user();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error{"fork failed"};
  if (child == 0) become(user, log, arguments, parent);
  return child;
}

int wait_for_end(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

/// In memory where there is much of it. A database is three hundred files, and an ext4 without a journal walks for each new file past all
/// inodes that were freed in the last minutes: three quarters of the processor time of a test that makes many databases.
fs::path place_of_servers() {
  constexpr std::uintmax_t kRoom = 8ULL << 30U;
  const fs::path memory{"/dev/shm"};
  std::error_code missing;
  const auto space = fs::space(memory, missing);
  return !missing && space.available >= kRoom && ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
}

/// A lock that the kernel takes back when this program ends, however it ends. Negative: another program has it.
int lock_of(const fs::path& folder, int how) {
  const int locked = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (locked >= 0 && ::flock(locked, how) == 0) return locked;
  if (locked >= 0) ::close(locked);
  return -1;
}

/// A new folder, locked for as long as this program lives. Removes those of programs that were killed, which nobody has locked any more.
fs::path new_folder() {
  const auto place = place_of_servers();
  const int turn = lock_of(place, LOCK_EX);  // so that none is seen before it is locked
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator{place, ignored}) {
    if (!entry.path().filename().string().starts_with(kFolder)) continue;
    const int abandoned = lock_of(entry.path(), LOCK_EX | LOCK_NB);
    if (abandoned < 0) continue;
    fs::remove_all(entry.path(), ignored);
    ::close(abandoned);
  }
  std::string pattern = place / (std::string{kFolder} + "XXXXXX");
  const bool made = ::mkdtemp(pattern.data()) != nullptr && lock_of(pattern, LOCK_EX) >= 0;
  ::close(turn);
  if (!made) throw std::runtime_error{"no temporary folder can be made: " + pattern};
  return pattern;
}

void wait_until_it_answers(const std::string& conninfo, pid_t server, const fs::path& log) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (;;) {
    try {
      pqxx::connection{conninfo};
      return;
    } catch (const std::exception& error) {
      int status = 0;
      const bool ended = ::waitpid(server, &status, WNOHANG) == server;
      if (ended || std::chrono::steady_clock::now() > end)
        throw std::runtime_error{"the private PostgreSQL did not start: " + std::string{error.what()} + "\n" + content(log)};
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }
}

void record_transitions(const std::string& conninfo) {
  pqxx::connection connection{conninfo};
  pqxx::nontransaction{connection}.exec(transitions_recorder());
}

bool is_running = false;

/// At the end of the test program.
class TransitionsAtTheEnd : public ::testing::Environment {
 public:
  void TearDown() override {
    if (transitions_file() == nullptr || !is_running) return;
    auto& server = PrivatePostgres::instance();
    server.start();
    expect_known_transitions(server.migrated());
  }
};
[[maybe_unused]] const auto* const transitions_at_the_end = ::testing::AddGlobalTestEnvironment(new TransitionsAtTheEnd);

}  // namespace

PrivatePostgres& PrivatePostgres::instance() {
  static PrivatePostgres server;
  return server;
}

PrivatePostgres::PrivatePostgres() {
  folder_ = new_folder();
  try {
    initialize();
    start();
    is_running = true;
  } catch (...) {
    fs::remove_all(folder_);
    throw;
  }
}

PrivatePostgres::~PrivatePostgres() {
  stop();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void PrivatePostgres::initialize() {
  const auto* user = other_user();
  if (user != nullptr && ::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)
    throw std::runtime_error{"chown failed: " + folder_.string()};
  const auto log = folder_ / "initdb.log";
  const int status = wait_for_end(spawn(log, {program("initdb"), "--no-sync", "--auth=trust", "--username=gleaner", "--encoding=UTF8",
                                              "--locale=C", "--pgdata=" + (folder_ / "data").string()}));
  if (status != 0) throw std::runtime_error{"initdb failed:\n" + content(log)};
}

void PrivatePostgres::start() {
  if (server_ > 0) return;
  const auto log = folder_ / "server.log";
  server_ = spawn(log, {program("postgres"), "-D", (folder_ / "data").string(), "-c", "listen_addresses=" + addresses_, "-c",
                        "unix_socket_directories=" + folder_.string(), "-c", "fsync=off", "-c", "full_page_writes=off", "-c",
                        "max_connections=200", "-c", "shared_buffers=64MB", "-c", "timezone=UTC"});
  wait_until_it_answers(conninfo("postgres"), server_, log);
}

void PrivatePostgres::stop() {
  if (server_ <= 0) return;
  ::kill(server_, SIGINT);  // the fast shutdown: sessions end, transactions roll back
  wait_for_end(server_);
  server_ = -1;
}

void PrivatePostgres::listen_on(const std::string& addresses) {
  stop();
  addresses_ = addresses;
  start();
}

void PrivatePostgres::administer(const std::string& statement) {
  pqxx::connection connection{conninfo("postgres") + " options='-c default_transaction_read_only=off'"};
  pqxx::nontransaction{connection}.exec(statement);
}

std::string PrivatePostgres::conninfo(const std::string& database) const {
  return "host=" + folder_.string() + " user=gleaner dbname=" + database;
}

std::string PrivatePostgres::create_database(const std::string& options) {
  const auto name = "test_" + std::to_string(++databases_);
  pqxx::connection connection{conninfo("postgres")};
  pqxx::nontransaction{connection}.exec("CREATE DATABASE " + name + options);
  return conninfo(name);
}

std::string PrivatePostgres::empty_database() { return create_database(""); }

std::string PrivatePostgres::cigri_database(const std::string& options) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  std::ifstream file{std::filesystem::path{root != nullptr ? root : "."} / "tests/db/cigri_database.sql"};
  auto conninfo = create_database(options);
  run_alone(conninfo, {std::istreambuf_iterator<char>{file}, {}});
  return conninfo;
}

void PrivatePostgres::run_alone(const std::string& conninfo, const std::string& statements) {
  {
    pqxx::connection connection{conninfo};
    pqxx::work work{connection};
    work.exec(statements);
    work.commit();
  }
  wait_for_end_of_sessions(conninfo);
}

void PrivatePostgres::wait_for_end_of_sessions(const std::string& of) const {
  pqxx::connection connection{conninfo("postgres")};
  const auto name = of.substr(of.rfind("dbname=") + 7);
  pqxx::nontransaction work{connection};
  while (work.exec("SELECT FROM pg_stat_activity WHERE datname = " + work.quote(name)).size() > 0) {
  }
}

std::string PrivatePostgres::fresh_database() {
  if (!has_template_) {
    pqxx::connection connection{conninfo("postgres")};
    pqxx::nontransaction{connection}.exec(std::string{"CREATE DATABASE "} + kTemplate);
    store::Database database{conninfo(kTemplate)};
    store::migrate(database);
    if (transitions_file() != nullptr) record_transitions(conninfo(kTemplate));
    has_template_ = true;
  }
  migrated_.push_back(create_database(std::string{" TEMPLATE "} + kTemplate));
  return migrated_.back();
}

}  // namespace gleaner::tests
