#include "lib/process/standard_streams.hpp"

#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace gleaner::process {
namespace {

int write_all(std::FILE* stream, std::string_view text) noexcept {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (std::fflush(stream) == 0 && written) return 0;
  // A later text must not begin with the rest of this one.
  const int error = errno != 0 ? errno : EIO;
  ::__fpurge(stream);
  std::clearerr(stream);
  return error;
}

}  // namespace

void occupy_standard_streams() noexcept {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // `open` takes the lowest free number, which is this one.
    [[maybe_unused]] const int occupied = ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void write_to_stderr(std::string_view text) noexcept { write_all(stderr, text); }

int write_to_stdout(std::string_view text) noexcept { return write_all(stdout, text); }

}  // namespace gleaner::process
