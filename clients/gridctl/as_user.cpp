#include "clients/gridctl/as_user.hpp"

#include <fcntl.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "lib/http/file_descriptor.hpp"

namespace gleaner::gridctl {
namespace {

/// In the child: becomes the user, and writes what is wrong.
[[noreturn]] void run_check(int answer, const std::string& name, const process::FileOwner& user,
                            const std::function<std::optional<std::string>()>& check) {
  std::string wrong;
  if (::initgroups(name.c_str(), user.group) != 0 || ::setgid(user.group) != 0 || ::setuid(user.user) != 0)
    wrong = fmt::format("nothing can be run as {}: {}", name, std::strerror(errno));
  else wrong = check().value_or("");
  [[maybe_unused]] const auto written = ::write(answer, wrong.data(), wrong.size());
  ::_exit(0);
}

}  // namespace

std::optional<std::string> found_as_user(const std::string& name, const process::FileOwner& user,
                                         const std::function<std::optional<std::string>()>& check) {
  if (::geteuid() != 0 || user.user == 0) return check();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return check();
  http::FileDescriptor read_end{ends[0]};
  http::FileDescriptor write_end{ends[1]};
  const auto child = ::fork();
  if (child < 0) return check();
  if (child == 0) run_check(write_end.get(), name, user, check);
  write_end.reset();
  std::string wrong;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(read_end.get(), buffer.data(), buffer.size())) > 0;)
    wrong.append(buffer.data(), static_cast<std::size_t>(got));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return wrong.empty() ? std::nullopt : std::optional{wrong};
}

}  // namespace gleaner::gridctl
