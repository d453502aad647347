#include "clients/gridget/local_tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "lib/process/exit_code.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::clients::gridget {
namespace {

namespace fs = std::filesystem;
using process::Error;
using process::ExitCode;

Error cannot(std::string_view what, const fs::path& path, int code) {
  return Error{ExitCode::failure, fmt::format("{}: {}: {}", terminal::printable(path.string()), what, std::strerror(code))};
}

/// Bytes that a file name may not have: whoever lists the folder would obey them (control letters, also those of UTF-8, and those that
/// reverse the direction of writing), or the system has no such name.
std::size_t obeyed_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) < 0x20U || byte(0) == 0x7FU) return 1;
  if (byte(0) == 0xC2U && byte(1) >= 0x80U && byte(1) <= 0x9FU) return 2;
  const bool is_embedding = byte(0) == 0xE2U && byte(1) == 0x80U && (byte(2) >= 0xAAU && byte(2) <= 0xAEU);
  const bool is_isolate = byte(0) == 0xE2U && byte(1) == 0x81U && (byte(2) >= 0xA6U && byte(2) <= 0xA9U);
  return is_embedding || is_isolate ? 3 : 0;
}

/// A name that the system takes. Only what is written out can make one longer; its end is then a hash of the whole (FNV-1a).
std::string shortened(std::string name) {
  if (name.size() <= grid::kLongestFileName) return name;
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  constexpr std::size_t kKept = 230;
  return fmt::format("{}~{:016x}", std::string_view{name}.substr(0, kKept), hash);
}

/// Adds one part of a path. A part that would leave the folder is written out, and so are bytes that are no part of a name.
void add_part(fs::path& path, std::string_view part) {
  if (part.empty()) return;
  if (part == "." || part == "..") {
    std::string written;
    for (std::size_t i = 0; i < part.size(); ++i) written += "%2E";
    path /= written;
    return;
  }
  std::string name;
  while (!part.empty()) {
    const auto obeyed = obeyed_bytes(part);
    for (std::size_t i = 0; i < obeyed; ++i) name += fmt::format("%{:02X}", static_cast<unsigned char>(part[i]));
    if (obeyed == 0) name += part.front();
    part.remove_prefix(std::max<std::size_t>(obeyed, 1));
  }
  path /= shortened(std::move(name));
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw cannot("cannot be made", folder, error.value());
}

/// The file of a tree that says whose outputs it holds.
void claim_folder(const fs::path& mark, const std::string& campaign, const fs::path& folder) {
  if (std::ifstream known{mark}; known) {
    std::string text{std::istreambuf_iterator<char>{known}, {}};
    if (text.ends_with('\n')) text.pop_back();
    if (text == campaign) return;
    if (!text.empty())
      throw Error{ExitCode::refused, fmt::format("{} holds the outputs of another campaign ({}): choose another folder with --to",
                                                 terminal::printable(folder.string()), terminal::printable(text))};
  }
  std::ofstream stream{mark, std::ios::trunc};
  stream << campaign << '\n';
  if (!stream.flush()) throw cannot("cannot be written", mark, errno);
}

/// The task at the beginning of a part of a path: its number, and then its attempt, its kind or its files.
std::optional<std::int64_t> task_at(std::string_view text) {
  const bool is_padded = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  const auto task = text::take_whole_number(text);
  const bool is_one = task && *task >= 0 && !is_padded && (text.starts_with('/') || text.starts_with('.'));
  return is_one ? std::optional{*task} : std::nullopt;
}

std::int64_t thousand_of(std::int64_t task) { return task / grid::kTasksOfOutputFolder * grid::kTasksOfOutputFolder; }

}  // namespace

fs::path local_path(const grid::TaskOutput& output) {
  const fs::path folder{grid::output_folder("", output.task)};
  const auto base = folder.relative_path();
  if (output.kind != grid::OutputKind::file) return base / grid::output_name(output);
  const auto standard = grid::output_name({.task = output.task, .attempt = output.attempt, .kind = grid::OutputKind::standard_output});
  auto path = base / standard.substr(0, standard.size() - std::string_view{".out"}.size());
  std::string_view rest{output.name};
  while (!rest.empty()) {
    const auto slash = std::min(rest.find('/'), rest.size());
    add_part(path, rest.substr(0, slash));
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return path;
}

std::optional<NamedOutput> named_output(std::string_view path) {
  const auto first = task_at(path);
  if (!first) return std::nullopt;
  if (const auto folder = fmt::format("{}/", *first); *first > 0 && *first % grid::kTasksOfOutputFolder == 0 && path.starts_with(folder)) {
    const auto within = task_at(path.substr(folder.size()));
    if (within && thousand_of(*within) == *first) return NamedOutput{.task = *within, .path = std::string{path}};
  }
  return NamedOutput{.task = *first, .path = (fs::path{grid::output_folder("", *first)}.relative_path() / path).string()};
}

LocalTree::LocalTree(fs::path folder, const std::string& campaign) : folder_{std::move(folder)}, parts_{folder_ / ".gridget"} {
  make_folders(parts_);
  const auto lock = parts_ / "lock";
  lock_ = http::FileDescriptor{::open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!lock_.valid()) throw cannot("cannot be opened", lock, errno);
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
    throw Error{ExitCode::try_again, fmt::format("another gridget fetches into {} now", terminal::printable(folder_.string()))};
  claim_folder(parts_ / "campaign", campaign, folder_);
}

bool LocalTree::has(const grid::TaskOutput& output, std::optional<std::int64_t> size) const {
  struct stat status {};
  if (::stat((folder_ / local_path(output)).c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return !size || status.st_size == *size;
}

PartialFile::PartialFile(const LocalTree& tree, const grid::TaskOutput& output)
    : part_{tree.parts_ / grid::output_name(output)}, place_{tree.folder_ / local_path(output)} {
  file_ = http::FileDescriptor{::open(part_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666)};
  if (!file_.valid()) throw cannot("cannot be opened", part_, errno);
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw cannot("cannot be read", part_, errno);
  size_ = status.st_size;
}

void PartialFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file_.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw cannot("cannot be written", part_, errno);
    size_ += written;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void PartialFile::restart() {
  if (::ftruncate(file_.get(), 0) != 0) throw cannot("cannot be written", part_, errno);
  size_ = 0;
}

void PartialFile::finish() {
  make_folders(place_.parent_path());
  file_.reset();
  if (::rename(part_.c_str(), place_.c_str()) != 0) throw cannot("cannot be made", place_, errno);
}

}  // namespace gleaner::clients::gridget
