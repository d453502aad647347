#include "api/tokens.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <sstream>

#include <fmt/format.h>

#include "lib/process/log.hpp"
#include "lib/process/secret.hpp"
#include "lib/text/line_ends.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kShortestToken = 16;

/// Empty: there is no such word.
std::optional<Role> role_of(std::string_view word) {
  if (word.empty()) return Role::user;
  if (word == "admin") return Role::administrator;
  if (word == "proxy") return Role::proxy;
  return std::nullopt;
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; }

}  // namespace

Tokens::Digest Tokens::digest_of(std::string_view token) {
  Digest digest{};
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

tl::expected<std::vector<Tokens::Entry>, std::string> Tokens::read(const std::filesystem::path& file) {
  auto content = process::read_secret_file(file);
  if (!content) return tl::unexpected{content.error()};
  std::vector<Entry> entries;
  std::istringstream lines{*content};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (text::lone_return(line) != std::string::npos)
      return tl::unexpected{fmt::format("{}:{}: {}", file.string(), number, text::kLoneReturn)};
    std::istringstream words{line};
    std::string token;
    std::string user;
    std::string role;
    std::string more;
    if (!(words >> token) || token.front() == '#') continue;
    words >> user >> role >> more;
    const auto known_role = role_of(role);
    if (user.empty() || !known_role || !more.empty())
      return tl::unexpected{fmt::format("{}:{}: write 'token user', 'token user admin' or 'token user proxy'", file.string(), number)};
    if (token.size() < kShortestToken)
      return tl::unexpected{fmt::format("{}:{}: the token has less than {} characters", file.string(), number, kShortestToken)};
    entries.push_back({digest_of(token), Caller{user, *known_role}});
  }
  return entries;
}

void Tokens::refresh() {
  struct stat status {};
  Version version;
  if (::stat(file_.c_str(), &status) == 0) {
    version = {static_cast<std::int64_t>(status.st_ino), status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)};
  }
  // A missing file has no version, so it is looked up each time.
  if (version == version_ && version.size >= 0) return;
  version_ = version;
  auto entries = read(file_);
  const auto before = std::exchange(problem_, entries ? std::nullopt : std::optional{entries.error()});
  if (problem_ && problem_ != before) process::log::error("tokens unusable", {{"why", *problem_}});
  entries_ = entries ? std::move(*entries) : std::vector<Entry>{};
}

std::optional<Caller> Tokens::find(std::string_view token) {
  const auto digest = digest_of(token);
  const std::lock_guard lock{mutex_};
  refresh();
  std::optional<Caller> found;
  for (const auto& entry : entries_) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = entry.caller;
  }
  return found;
}

std::optional<std::string> Tokens::problem() {
  const std::lock_guard lock{mutex_};
  refresh();
  return problem_;
}

}  // namespace gleaner::api
