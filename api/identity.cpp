#include "api/identity.hpp"

#include <grp.h>
#include <pwd.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace gleaner::api {
namespace {

std::optional<gid_t> group_id(const std::string& name) {
  group entry{};
  group* found = nullptr;
  std::vector<char> buffer(64 * 1024);
  if (name.empty() || ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr)
    return std::nullopt;
  return found->gr_gid;
}

bool is_member(const http::Peer::Process& process, gid_t group) {
  std::vector<gid_t> groups(64);
  int count = static_cast<int>(groups.size());
  if (::getgrouplist(process.user.c_str(), process.gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    if (::getgrouplist(process.user.c_str(), process.gid, groups.data(), &count) < 0) return false;
  }
  groups.resize(static_cast<std::size_t>(count));
  return std::ranges::find(groups, group) != groups.end();
}

}  // namespace

std::optional<std::string_view> bearer_token(const http::Request& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const auto header = request.headers.find("Authorization");
  if (!header || header->size() <= kScheme.size() || ::strncasecmp(header->data(), kScheme.data(), kScheme.size()) != 0)
    return std::nullopt;
  return header->substr(kScheme.size());
}

Identities::Identities(std::string admin_group, std::optional<std::filesystem::path> tokens_file) : admin_group_{std::move(admin_group)} {
  if (tokens_file) tokens_.emplace(std::move(*tokens_file));
}

std::optional<Caller> Identities::of(const http::Request& request) {
  if (const auto& process = request.peer.process) {
    if (process->user.empty()) return std::nullopt;
    return Caller{process->user, role_of(*process)};
  }
  const auto token = bearer_token(request);
  if (!token || !tokens_) return std::nullopt;
  return tokens_->find(*token);
}

Role Identities::role_of_user(const std::string& name) const {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(64 * 1024);
  if (::getpwnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return Role::user;
  return role_of({.uid = found->pw_uid, .gid = found->pw_gid, .pid = 0, .user = name});
}

Role Identities::role_of(const http::Peer::Process& process) const {
  if (process.uid == 0 || process.uid == ::geteuid()) return Role::administrator;
  const auto group = group_id(admin_group_);
  return group && is_member(process, *group) ? Role::administrator : Role::user;
}

}  // namespace gleaner::api
