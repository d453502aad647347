#include "lib/inputs/spool.hpp"
#include "lib/grid/clock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace gleaner::inputs {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

/// The names in the folder itself last after a crash of the machine, too.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

void Spool::remove(const std::string& name) const {
  std::error_code ignored;
  fs::remove(folder_ / name, ignored);
}

std::vector<std::string> Walk::next(int most) {
  std::vector<std::string> names;
  std::error_code error;
  const auto now = grid::SteadyClock::now();
  if (place_ == fs::directory_iterator{}) {
    if (now < begins_) return names;
    place_ = fs::directory_iterator{spool_.folder(), error};
    begins_ = now + kPause;
  }
  const auto before = fs::file_time_type::clock::now() - older_than_;
  for (int i = 0; i < most && !error && place_ != fs::directory_iterator{}; ++i, place_.increment(error)) {
    auto name = place_->path().filename().string();
    std::error_code ignored;
    const bool is_ours = grid::is_sha256(name) || name.starts_with("arriving-");
    if (is_ours && place_->last_write_time(ignored) < before && !ignored) names.push_back(std::move(name));
  }
  if (error) place_ = {};
  return names;
}

tl::expected<std::string, std::string> Spool::read(std::string_view sha256, std::int64_t most) const {
  const grid::InputFile file{.path = std::string{sha256}, .sha256 = std::string{sha256}, .bytes = most};
  std::error_code error;
  const auto size = fs::file_size(path_of(sha256), error);
  if (error) return tl::unexpected{error.message()};
  if (size > static_cast<std::uintmax_t>(most)) return tl::unexpected{fmt::format("it has more than {} bytes", most)};
  return read({&file, 1}, 0, static_cast<std::int64_t>(size));
}

tl::expected<std::string, std::string> Spool::read(std::span<const grid::InputFile> files, std::int64_t begin, std::int64_t end) const {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(end - begin));
  for (const auto& file : files) {
    const auto first = std::max(begin, file.begin);
    const auto last = std::min(end, file.begin + file.bytes);
    if (first >= last) continue;
    const auto wanted = static_cast<std::size_t>(last - first);
    const auto old_size = bytes.size();
    bytes.resize(old_size + wanted);
    std::ifstream stream{path_of(file.sha256), std::ios::binary};
    if (!stream) return tl::unexpected{fmt::format("{} ({}): {}", file.path, file.sha256, reason())};
    stream.seekg(first - file.begin);
    stream.read(bytes.data() + old_size, static_cast<std::streamsize>(wanted));
    if (stream.gcount() != static_cast<std::streamsize>(wanted))
      return tl::unexpected{fmt::format("{} ({}) is shorter than {} bytes", file.path, file.sha256, file.bytes)};
  }
  return bytes;
}

tl::expected<Arrival, std::string> Arrival::begin(const Spool& spool) {
  std::error_code ignored;
  fs::create_directories(spool.folder(), ignored);
  auto name = (spool.folder() / "arriving-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) return tl::unexpected{fmt::format("{}: {}", spool.folder().string(), reason())};
  return Arrival{descriptor, name};
}

Arrival::Arrival(Arrival&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, path_{std::move(other.path_)}, sum_{std::move(other.sum_)}, bytes_{other.bytes_} {
  other.path_.clear();
}

Arrival::~Arrival() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

tl::expected<void, std::string> Arrival::add(std::string_view bytes) {
  sum_.add(bytes);
  bytes_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const auto count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected{reason()};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

tl::expected<std::string, std::string> Arrival::finish() {
  if (::fsync(descriptor_) != 0) return tl::unexpected{reason()};
  return sum_.finish();
}

tl::expected<void, std::string> Arrival::place(const Spool& spool, std::string_view sha256) {
  if (path_.empty()) return {};
  if (::rename(path_.c_str(), spool.path_of(sha256).c_str()) != 0) return tl::unexpected{reason()};
  path_.clear();
  sync_folder(spool.folder());
  return {};
}

}  // namespace gleaner::inputs
