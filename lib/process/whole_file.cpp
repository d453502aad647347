#include "lib/process/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "lib/process/descriptor.hpp"
#include "lib/process/exit_code.hpp"

namespace gleaner::process {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// False, with errno: it is not there, or only a part of it.
bool write_fresh(const std::filesystem::path& fresh, std::string_view text, mode_t mode, FileOwner owner) {
  const Descriptor file{::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (file.number() < 0 || !write_all(file.number(), text)) return false;
  if (::geteuid() == 0 && ::fchown(file.number(), owner.user, owner.group) != 0) return false;
  return ::fchmod(file.number(), mode) == 0 && ::fsync(file.number()) == 0;
}

}  // namespace

FileOwner our_files() { return {.user = ::geteuid(), .group = ::getegid()}; }

void write_whole_file(const std::filesystem::path& file, std::string_view text, mode_t mode, FileOwner owner) {
  const auto fresh = std::filesystem::path{file} += ".new";
  ::unlink(fresh.c_str());  // of a writer that was killed
  if (write_fresh(fresh, text, mode, owner) && ::rename(fresh.c_str(), file.c_str()) == 0) return;
  const auto why = errno;
  ::unlink(fresh.c_str());
  throw Error{ExitCode::failure, fmt::format("{} cannot be written: {}", file.string(), std::strerror(why))};
}

}  // namespace gleaner::process
