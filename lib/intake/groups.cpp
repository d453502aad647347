#include "lib/intake/groups.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace gleaner::intake {
namespace {

constexpr std::size_t kGreatestEntry = 16U * 1024 * 1024;

/// NSS has no code of its own for an entry that does not exist: these are what its services answer then.
bool means_unknown(int code) {
  constexpr std::array kUnknown{0, ENOENT, ESRCH, EBADF, EPERM};
  return std::ranges::find(kUnknown, code) != kUnknown.end();
}

/// Calls a reader of NSS with a buffer that grows until the entry fits. @return null: there is no such entry
template <class Entry, class Read>
tl::expected<Entry*, std::string> read_entry(Entry& entry, std::vector<char>& buffer, Read read) {
  for (buffer.resize(16U * 1024);; buffer.resize(2 * buffer.size())) {
    Entry* found = nullptr;
    const int code = read(&entry, buffer.data(), buffer.size(), &found);
    if (code == ERANGE && buffer.size() < kGreatestEntry) continue;
    if (found == nullptr && !means_unknown(code)) return tl::unexpected{std::string{std::strerror(code)}};
    return found;
  }
}

std::vector<gid_t> group_ids(const passwd& user) {
  int count = 64;
  std::vector<gid_t> ids(static_cast<std::size_t>(count));
  while (::getgrouplist(user.pw_name, user.pw_gid, ids.data(), &count) < 0) {
    count = std::max(count, 2 * static_cast<int>(ids.size()));
    ids.resize(static_cast<std::size_t>(count));
  }
  ids.resize(static_cast<std::size_t>(count));
  return ids;
}

/// Null: this machine does not know the user.
tl::expected<passwd*, std::string> user_entry(const std::string& user, passwd& entry, std::vector<char>& buffer) {
  auto known = read_entry<passwd>(entry, buffer, [&](passwd* into, char* bytes, std::size_t size, passwd** found) {
    return ::getpwnam_r(user.c_str(), into, bytes, size, found);
  });
  if (!known) return tl::unexpected{fmt::format("user '{}': {}", user, known.error())};
  return known;
}

}  // namespace

tl::expected<std::optional<std::int64_t>, std::string> uid_of(const std::string& user) {
  passwd entry{};
  std::vector<char> buffer;
  return user_entry(user, entry, buffer).map([](const passwd* known) {
    return known != nullptr ? std::optional<std::int64_t>{known->pw_uid} : std::nullopt;
  });
}

tl::expected<std::vector<std::string>, std::string> groups_of(const std::string& user) {
  passwd entry{};
  std::vector<char> buffer;
  const auto known = user_entry(user, entry, buffer);
  if (!known) return tl::unexpected{known.error()};
  std::vector<std::string> names;
  if (*known == nullptr) return names;
  for (const auto id : group_ids(entry)) {
    group named{};
    std::vector<char> bytes_of_group;
    const auto found = read_entry<group>(named, bytes_of_group, [&](group* into, char* bytes, std::size_t size, group** result) {
      return ::getgrgid_r(id, into, bytes, size, result);
    });
    if (!found) return tl::unexpected{fmt::format("group {}: {}", id, found.error())};
    if (*found != nullptr && std::ranges::find(names, named.gr_name) == names.end()) names.emplace_back(named.gr_name);
  }
  return names;
}

}  // namespace gleaner::intake
