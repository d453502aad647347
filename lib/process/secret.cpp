#include "lib/process/secret.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "lib/process/descriptor.hpp"

namespace gleaner::process {
namespace {

constexpr std::size_t kLongestSecret = 1 << 20;

}  // namespace

tl::expected<std::string, std::string> read_secret_file(const std::filesystem::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number() < 0) return tl::unexpected{fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno))};
  // The mode of the open file, so that it cannot be replaced between this check and the read.
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode))
    return tl::unexpected{fmt::format("{}: is not a file", path.string())};
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return tl::unexpected{fmt::format("{}: holds a secret that others can read: chmod 600 {}", path.string(), path.string())};
  }
  std::string content;
  std::array<char, 4096> block{};
  for (;;) {
    const auto got = ::read(file.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return tl::unexpected{fmt::format("{}: cannot be read: {}", path.string(), std::strerror(errno))};
    if (got == 0) break;
    content.append(block.data(), static_cast<std::size_t>(got));
    if (content.size() > kLongestSecret) return tl::unexpected{fmt::format("{}: is too long for a secret", path.string())};
  }
  if (content.ends_with('\n')) content.pop_back();
  if (content.ends_with('\r')) content.pop_back();
  if (content.empty()) return tl::unexpected{fmt::format("{}: is empty", path.string())};
  return content;
}

}  // namespace gleaner::process
