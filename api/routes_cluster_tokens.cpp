// Routes of users' tokens for clusters that want one of each user. No token is ever shown again.
#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "api/audit.hpp"
#include "api/limits.hpp"
#include "api/router.hpp"
#include "api/secret.hpp"
#include "api/task_intake.hpp"
#include "lib/fleet/tokens.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clusters.hpp"
#include "lib/text/clean.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kLongestTokenBody = 20'000;

void write_token(text::JsonWriter& json, const store::ShownToken& token, grid::Instant now) {
  const bool is_over = token.expires_at && *token.expires_at <= now;
  const bool is_refused = token.refused_at && now - *token.refused_at < store::kTokenRetry;
  const auto* const state = is_over                     ? "ended"
                            : !token.unreadable.empty() ? "unreadable"
                            : is_refused                ? "refused"
                            : token.taken_at            ? "valid"
                                                        : "unchecked";
  json.object([&] {
    json.field("cluster", token.cluster_name);
    json.field("cluster_id", token.cluster.value());
    json.field("login", token.login);
    json.field("state", state);
    json.field("fingerprint", token.fingerprint);
    json.field("given", token.given_at);
    json.field("renewed", token.renewed_at);
    json.field("expires", token.expires_at);
    json.field("last_used", token.taken_at);
    json.field("renewal_error", token.renewal_error.empty() ? std::nullopt : std::optional{token.renewal_error});
    write_links(json, {{"self", fmt::format("/v1/tokens/{}", token.cluster_name)}, {"parent", "/v1/tokens"}});
  });
}

http::Response list_tokens(const Call& call) {
  const auto all =
      call.connections.read([&](store::Transaction& transaction) { return store::shown_tokens(transaction, call.caller.user); });
  text::JsonWriter json;
  json.object([&] {
    json.key("items").array(all, [&](const store::ShownToken& token) { write_token(json, token, call.now); });
    json.field("total", static_cast<std::int64_t>(all.size()));
    write_links(json, {{"self", "/v1/tokens"}, {"parent", "/"}});
  });
  return answer(json);
}

/// The cluster of the path, by its name, or its id as CiGri's clients have it, and the caller's login there.
struct Place {
  store::Cluster cluster;
  std::string login;
};
Asked<Place> place_of(const Call& call) {
  const auto& word = call.parts[0];
  std::vector<std::string> names;
  auto found = call.connections.read([&](store::Transaction& transaction) -> std::optional<Place> {
    auto cluster = store::find_cluster(transaction, word);
    if (!cluster) {
      const auto id = id_of(word);
      for (auto& one : store::clusters(transaction)) {
        names.push_back(one.name);
        if (id && one.id.value() == *id) cluster = std::move(one);
      }
    }
    if (!cluster) return std::nullopt;
    auto login = store::login_of(transaction, call.caller.user, cluster->id);
    return Place{std::move(*cluster), std::move(login)};
  });
  if (found) return std::move(*found);
  const std::vector<std::string_view> known{names.begin(), names.end()};
  return tl::unexpected{
      error(Code::no_such_cluster, fmt::format("there is no cluster '{}'{}", jdl::excerpt(word), text::did_you_mean(word, known)))};
}

std::string utc(grid::Instant at) { return fmt::format("{:%Y-%m-%d %H:%M} UTC", std::chrono::floor<std::chrono::seconds>(at)); }

/// A token that may be the caller's there, as far as its claims say.
Asked<oar::Token> asked_token(const Call& call, const Place& place) {
  const auto& name = place.cluster.name;
  if (place.cluster.retired_at) return tl::unexpected{error(Code::wrong_state, fmt::format("{} is retired", name))};
  if (place.cluster.authentication != "token")
    return tl::unexpected{
        error(Code::wrong_state, fmt::format("{} wants no token of its users: the grid reaches it by {}", name,
                                             place.cluster.authentication == "signed" ? std::string{"a key of its own"} : "other means"))};
  const auto text = secret_of_body(call, "token", kLongestTokenBody);
  if (!text) return tl::unexpected{text.error()};
  auto token = oar::read_token(*text);
  if (!token) return tl::unexpected{error(Code::bad_value, fmt::format("token: {}", token.error()))};
  if (token->user != place.login)
    return tl::unexpected{error(Code::bad_value, fmt::format("token: it is of the user '{}', and you are '{}' on {}",
                                                             text::clean_text(jdl::excerpt(token->user)), place.login, name))};
  if (token->ends_at && *token->ends_at <= call.now)
    return tl::unexpected{
        error(Code::bad_value, fmt::format("token: it ended on {}: get another one on {} by 'oarsub -T'", utc(*token->ends_at), name))};
  return std::move(*token);
}

/// The cluster's word on a token, after one question.
struct Checked {
  bool is_taken = false;
  std::string why_not_asked;  ///< empty: it was
};
Asked<Checked> check(const Call& call, const Place& place, const oar::Token& token) {
  constexpr std::chrono::seconds kPatience{5};
  const auto& cluster = place.cluster;
  const auto turn = call.cluster_turns.take(cluster.id, call.caller.user, kPatience);
  if (!turn) return Checked{.why_not_asked = "it has many questions now"};
  fleet::OpenedTokens only;
  only.usable.emplace(token.user, token);
  auto access = fleet::access_of(cluster, only);
  if (!access) return tl::unexpected{error(Code::cluster_unavailable, access.error())};
  auto limits = fleet::limits_of(call.config);
  limits.connect = std::min<std::chrono::milliseconds>(limits.connect, kPatience);
  limits.read = std::min<std::chrono::milliseconds>(limits.read, kPatience);
  oar::Client client{std::move(*access), limits};
  const auto user = client.check_token(token.user);
  if (user && *user == token.user) return Checked{.is_taken = true, .why_not_asked = {}};
  if (user || oar::is_of_identity(user.error()))
    return tl::unexpected{
        error(Code::refused_by_cluster,
              fmt::format("{} does not take this token: is it whole, and of this cluster? 'oarsub -T' prints one there", cluster.name))};
  return Checked{.why_not_asked = oar::describe(user.error())};
}

http::Response give_token(const Call& call) {
  auto place = place_of(call);
  if (!place) return place.error();
  const auto token = asked_token(call, *place);
  if (!token) return token.error();
  const auto ring = secrets::KeyRing::read(call.config.token_key_file);
  if (!ring) {
    process::log::error("no token can be kept", {{"error", ring.error()}});
    return error(Code::unavailable,
                 "this grid can keep no tokens now, as it cannot read its key for them: its administrators see why by 'gridctl check'");
  }
  const auto checked = check(call, *place, *token);
  if (!checked) return checked.error();
  const auto& cluster = place->cluster;
  auto sealed = ring->seal(token->text, {.user = call.caller.user, .cluster = cluster.id});
  const store::StoredToken stored{.owner = {.user = call.caller.user, .cluster = cluster.id},
                                  .login = place->login,
                                  .sealed = std::move(sealed.text),
                                  .key_name = std::move(sealed.key_name),
                                  .fingerprint = secrets::fingerprint(token->text),
                                  .expires_at = token->ends_at};
  call.connections.write([&](store::Transaction& transaction) {
    store::put_token(transaction, stored, checked->is_taken ? std::optional{call.now} : std::nullopt, call.now);
    note(call, transaction,
         {.name = "token given",
          .subject = fmt::format("token for {}", cluster.name),
          .campaign = {},
          .after = text_json("fingerprint", stored.fingerprint)});
    store::wake_up(transaction);
    return 0;
  });
  const auto end = token->ends_at ? fmt::format(", and ends on {}", utc(*token->ends_at)) : std::string{", and has no end"};
  const auto state = checked->is_taken
                         ? fmt::format("{} takes it", cluster.name)
                         : fmt::format("it is not checked yet, as {} could not be asked ({})", cluster.name, checked->why_not_asked);
  text::JsonWriter json;
  json.object([&] {
    json.field("status", std::int64_t{201});
    json.field("title", "Created");
    json.field("message", fmt::format("your token for {} is kept: {}{}", cluster.name, state, end));
    json.field("cluster", cluster.name);
    json.field("login", place->login);
    json.field("checked", checked->is_taken);
    json.field("expires", token->ends_at);
    json.field("fingerprint", stored.fingerprint);
  });
  return answer(201, json.text());
}

http::Response delete_token(const Call& call) {
  const auto place = place_of(call);
  if (!place) return place.error();
  const auto& cluster = place->cluster;
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    const auto live = store::remove_token(transaction, {.user = call.caller.user, .cluster = cluster.id}, call.now);
    if (!live) return error(Code::no_such_token, fmt::format("you have no token for {} here", cluster.name));
    note(call, transaction, {.name = "token deleted", .subject = fmt::format("token for {}", cluster.name), .campaign = {}});
    const auto jobs = *live == 0 ? std::string{}
                                 : fmt::format(
                                       "; {} of your jobs {} on there, and until you give another one, the grid neither deletes them "
                                       "nor reads what they leave",
                                       *live, *live == 1 ? "goes" : "go");
    return accepted(fmt::format("your token for {} is deleted{}", cluster.name, jobs), 1);
  });
}

}  // namespace

std::span<const Route> cluster_token_routes() {
  static constexpr std::array kRoutes{
      Route{"GET", "/v1/tokens", Access::identified, list_tokens, {}, Etag::sent, Compression::never},
      Route{"POST", "/v1/tokens/:cluster", Access::identified, give_token},
      Route{"DELETE", "/v1/tokens/:cluster", Access::identified, delete_token},
  };
  return kRoutes;
}

}  // namespace gleaner::api
