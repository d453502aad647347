#include "api/readership.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/store/policies.hpp"

namespace gleaner::api {
namespace {

std::optional<http::Response> refuse_reading(const Route& route, const Call& call) {
  if (call.config.read_access == process::ReadAccess::all || call.caller.role == Role::administrator || call.parts.empty())
    return std::nullopt;
  const auto id = id_of(call.parts.front());
  if (!id) return std::nullopt;
  store::views::OwnedObject object;
  if (route.pattern.starts_with("/v1/campaigns/:id")) object.campaign = *id;
  else if (route.pattern.starts_with("/v1/jobs/:id")) object.job = *id;
  else if (route.pattern.starts_with("/v1/events/:id")) object.event = *id;
  else return std::nullopt;
  return call.connections.read([&](store::Transaction& transaction) -> std::optional<http::Response> {
    const auto owner = store::views::owner(transaction, object);
    if (!owner || readership_of(call, transaction).may_read(owner->user, owner->project)) return std::nullopt;
    return error(Code::not_yours,
                 fmt::format("{} is of {}, and you are {}: only its user{} and administrators may read it here (read_access = {})",
                             campaign_text(owner->campaign), jdl::excerpt(owner->user),
                             call.caller.user.empty() ? std::string{"not known"} : jdl::excerpt(call.caller.user),
                             call.config.read_access == process::ReadAccess::project ? ", the users of its project" : "",
                             process::name_of(call.config.read_access)));
  });
}

}  // namespace

bool Readership::may_read(const std::string& owner, const std::string& project) const {
  if (!readers_) return true;
  if (owner.empty()) return false;
  return owner == readers_->user || (!project.empty() && std::ranges::find(readers_->projects, project) != readers_->projects.end());
}

Readership readership_of(const Call& call, store::Transaction& transaction) {
  const auto access = call.config.read_access;
  if (access == process::ReadAccess::all || call.caller.role == Role::administrator) return {call.caller, std::nullopt};
  store::views::Readers readers{.user = call.caller.user, .projects = {}};
  if (access == process::ReadAccess::project) readers.projects = store::projects_of(transaction, call.caller.user);
  return {call.caller, std::move(readers)};
}

std::optional<store::views::Readers> readers_of(const Call& call) {
  if (call.config.read_access == process::ReadAccess::all || call.caller.role == Role::administrator) return std::nullopt;
  if (call.config.read_access == process::ReadAccess::own) return store::views::Readers{.user = call.caller.user, .projects = {}};
  return call.connections.read([&](store::Transaction& transaction) { return readership_of(call, transaction).restriction(); });
}

http::Response respond_if_readable(const Route& route, const Call& call) {
  if (auto refused = refuse_reading(route, call)) return std::move(*refused);
  return route.respond(call);
}

}  // namespace gleaner::api
