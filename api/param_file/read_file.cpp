#include "api/param_file/read_file.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lib/text/numbers.hpp"

namespace gleaner::param_file {
namespace {

constexpr std::string_view kOk{"ok "};

class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  Descriptor(Descriptor&& other) noexcept : number_{std::exchange(other.number_, -1)} {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

struct User {
  std::string name;
  std::string home;
  gid_t group = 0;
  std::vector<gid_t> groups{};
};

using Failure = tl::unexpected<std::string>;

/// The user's groups as the system's lists have them, so that the one who asks need not be believed.
tl::expected<User, std::string> user_of(uid_t uid) {
  std::array<char, 16384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return Failure{fmt::format("the user id {} has no name on this machine", uid)};
  User user{.name = entry.pw_name, .home = entry.pw_dir, .group = entry.pw_gid};
  constexpr int kMostGroups = 65536;
  int count = kMostGroups;
  user.groups.resize(kMostGroups);
  if (::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &count) < 0)
    return Failure{fmt::format("{} is in too many groups", user.name)};
  user.groups.resize(static_cast<std::size_t>(count));
  return user;
}

/// A lock that ends with this process, whatever it waits for.
std::optional<std::string> take_turn(const std::filesystem::path& locks, uid_t user) {
  const auto file = locks / fmt::format("{}.lock", user);
  const int lock = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lock < 0) return fmt::format("its lock cannot be opened: {}", std::strerror(errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) == 0) return std::nullopt;
  ::close(lock);
  return "another parameter file of yours is still being read: its file system may hang";
}

std::optional<std::string> become(uid_t uid, const User& user) {
  if (uid == 0) return "files of root are not read";
  if (::geteuid() != uid) {
    if (::setgroups(user.groups.size(), user.groups.data()) != 0 || ::setresgid(user.group, user.group, user.group) != 0 ||
        ::setresuid(uid, uid, uid) != 0)
      return fmt::format("this server may not read files as {}: {}", user.name, std::strerror(errno));
  }
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::getuid() != uid || ::geteuid() != uid || ::setuid(0) == 0) return fmt::format("this server cannot become {}", user.name);
  return std::nullopt;
}

/// `~`, `$HOME` and `{HOME}` at the beginning are the user's home.
std::string expanded(std::string path, const User& user) {
  for (const std::string_view home : {"~/", "$HOME/", "{HOME}/"}) {
    if (path.starts_with(home)) return user.home + path.substr(home.size() - 1);
  }
  return path;
}

/// The longest of the folders that the path is below. Empty: there is none.
std::string_view folder_of(std::string_view path, const std::vector<std::string>& folders) {
  std::string_view best;
  for (const std::string_view folder : folders) {
    const bool is_below = path.size() > folder.size() + 1 && path.starts_with(folder) && path[folder.size()] == '/';
    if (is_below && folder.size() > best.size()) best = folder;
  }
  return best;
}

std::string why_not(const std::string& path, std::string_view folder, const User& user) {
  switch (errno) {
    case EACCES:
    case EPERM: return fmt::format("{}: {} may not read it", path, user.name);
    case ENOENT:
    case ENOTDIR: return fmt::format("{}: there is no such file on this machine", path);
    case EXDEV: return fmt::format("{}: it leads out of {}", path, folder);
    case ELOOP: return fmt::format("{}: its links lead nowhere", path);
    default: return fmt::format("{}: {}", path, std::strerror(errno));
  }
}

int open_below(int folder, const std::string& path) {
  struct open_how how {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
}

std::string too_large(const std::string& path) {
  return fmt::format("{}: it is larger than {} MB: submit it by Gleaner's gridsub, which reads it itself", path, kMostBytes >> 20U);
}

tl::expected<std::string, std::string> read_all(int file, const std::string& path) {
  constexpr std::size_t kPiece = 256 * 1024;
  std::string bytes;
  for (;;) {
    const auto had = bytes.size();
    bytes.resize(had + kPiece);
    const auto count = ::read(file, bytes.data() + had, kPiece);
    if (count < 0 && errno != EINTR) return Failure{fmt::format("{}: {}", path, std::strerror(errno))};
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (bytes.size() > kMostBytes) return Failure{too_large(path)};
    if (count == 0) return bytes;
  }
}

/// Nothing is opened for reading before it is known to be a regular file: opening a pipe or a device may have effects, or not end.
tl::expected<std::string, std::string> read_below(const std::string& path, std::string_view folder, const User& user) {
  const Descriptor base{::open(std::string{folder}.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (!base.is_open()) return Failure{why_not(std::string{folder}, folder, user)};
  const Descriptor found{open_below(base.number(), path.substr(folder.size() + 1))};
  if (!found.is_open()) return Failure{why_not(path, folder, user)};
  struct stat status {};
  if (::fstat(found.number(), &status) != 0) return Failure{why_not(path, folder, user)};
  if (!S_ISREG(status.st_mode)) return Failure{fmt::format("{}: it is no regular file", path)};
  if (status.st_size > static_cast<off_t>(kMostBytes)) return Failure{too_large(path)};
  const Descriptor file{::open(fmt::format("/proc/self/fd/{}", found.number()).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
  if (!file.is_open()) return Failure{why_not(path, folder, user)};
  return read_all(file.number(), path);
}

}  // namespace

tl::expected<Question, std::string> parse(std::string_view text) {
  const auto first = text.find('\n');
  if (first == std::string_view::npos || !text.ends_with('\n')) return Failure{"the question is cut"};
  const auto user = text::whole_number(text.substr(0, first), std::int64_t{0});
  const auto path = text.substr(first + 1, text.size() - first - 2);
  if (!user || *user >= std::numeric_limits<uid_t>::max()) return Failure{"the question names no user"};
  if (path.empty() || path.find_first_of(std::string_view{"\n\0", 2}) != std::string_view::npos)
    return Failure{"the question names no file"};
  return Question{static_cast<uid_t>(*user), std::string{path}};
}

std::string text_of(const Question& question) { return fmt::format("{}\n{}\n", question.user, question.path); }

std::string head_of(std::size_t bytes) { return fmt::format("{}{}\n", kOk, bytes); }

tl::expected<std::string, std::string> bytes_of(std::string answer) {
  const auto end = answer.find('\n');
  if (!answer.starts_with(kOk))
    return Failure{end != std::string::npos && end + 1 == answer.size() ? answer.substr(0, end) : std::string{}};
  const auto size = text::whole_number(std::string_view{answer}.substr(kOk.size(), end - kOk.size()), std::size_t{0});
  if (end == std::string::npos || !size || answer.size() - end - 1 != *size) return Failure{std::string{}};
  answer.erase(0, end + 1);
  return answer;
}

tl::expected<std::string, std::string> read_as(const Question& question, const Site& site) {
  const auto user = user_of(question.user);
  if (!user) return Failure{user.error()};
  const auto path = expanded(question.path, *user);
  if (!path.starts_with('/')) return Failure{fmt::format("{}: write its path from the root, or from ~/", path)};
  const auto folder = folder_of(path, site.folders);
  if (folder.empty())
    return Failure{fmt::format("{}: this site reads parameter files below {} alone (api_cigri_param_files)", path,
                               site.folders.empty() ? std::string{"no folder"} : fmt::format("{}", fmt::join(site.folders, ", ")))};
  if (auto busy = take_turn(site.locks, question.user)) return Failure{std::move(*busy)};
  if (auto refused = become(question.user, *user)) return Failure{std::move(*refused)};
  return read_below(path, folder, *user);
}

}  // namespace gleaner::param_file
