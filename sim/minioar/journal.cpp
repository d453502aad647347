#include "sim/minioar/journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace gleaner::minioar {

namespace {

tl::unexpected<std::string> unusable(const std::string& path) {
  return tl::unexpected{fmt::format("cannot use {}: {}", path, std::strerror(errno))};
}

int open_file(const std::string& path) { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600); }

}  // namespace

tl::expected<Journal, std::string> Journal::append_to(const std::string& path) {
  const int fd = open_file(path);
  if (fd < 0) return unusable(path);
  return Journal{fd};
}

tl::expected<Journal, std::string> Journal::open(const std::string& path, const std::function<bool(std::string_view)>& on_line) {
  off_t good = 0;
  {
    std::ifstream file{path, std::ios::binary};
    std::string line;
    while (std::getline(file, line) && !file.eof() && on_line(line)) good += static_cast<off_t>(line.size()) + 1;
  }
  auto journal = append_to(path);
  if (journal && ::ftruncate(journal->fd_, good) != 0) return unusable(path);
  return journal;
}

Journal::Journal(Journal&& other) noexcept : fd_{std::exchange(other.fd_, -1)} {}

Journal::~Journal() {
  if (fd_ >= 0) ::close(fd_);
}

void Journal::add(std::string lines) {
  if (lines.empty() || lines.back() != '\n') lines += '\n';
  std::string_view rest{lines};
  while (!rest.empty()) {
    const auto written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error{errno, std::generic_category(), "cannot write the journal"};
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace gleaner::minioar
