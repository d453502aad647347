#include "lib/fleet/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"

namespace gleaner::fleet {
namespace {

/// One that ends later, or never, goes before one that ends.
bool ends_later(const oar::Token& token, const oar::Token& other) {
  return other.ends_at && (!token.ends_at || *token.ends_at > *other.ends_at);
}

/// Why an opened token is not used now. Empty: it is.
std::string why_unused(const store::StoredToken& stored, const std::string& cluster, grid::Instant now) {
  if (stored.refused_at && now - *stored.refused_at < store::kTokenRetry)
    return fmt::format("{1} refused the token of {0}: another one is needed, by 'gridtoken add {1}'", stored.login, cluster);
  return {};
}

void take(OpenedTokens& opened, const store::StoredToken& stored, oar::Token token) {
  const auto known = opened.usable.find(stored.login);
  if (known != opened.usable.end() && !ends_later(token, known->second)) return;
  opened.usable.insert_or_assign(stored.login, std::move(token));
  opened.fingerprints.insert_or_assign(stored.login, stored.fingerprint);
}

constexpr std::string_view kUnreadable = "TOKENS_UNREADABLE";
constexpr std::string_view kKeyRefused = "SIGNING_KEY_REFUSED";

void brake_unsigned(Visit& visit, store::Transaction& transaction, grid::Instant now) {
  const store::Target target{.campaign = {}, .cluster = visit.cluster.id};
  const auto message = fmt::format(
      "{0} does not take what the site's key signs: is {1} the API_SECRET_KEY of its oar.conf, and do the clocks agree? 'gridctl cluster edit "
      "{0} --key FILE', then 'gridctl brake clear any {0}'",
      visit.cluster.name, visit.cluster.key_file);
  store::open_event(transaction, {.code = kKeyRefused, .target = target, .job = {}, .message = message}, now);
  store::set_brake(transaction, target, "it does not take what the site's key signs",
                   {std::chrono::duration_cast<grid::Seconds>(visit.config.brake_time),
                    std::chrono::duration_cast<grid::Seconds>(visit.config.brake_time_max)},
                   now);
}

}  // namespace

OpenedTokens open_tokens(const store::Cluster& cluster, const process::Config& config, grid::Instant now) {
  OpenedTokens opened;
  if (cluster.tokens.empty()) return opened;
  const auto ring = secrets::KeyRing::read(config.token_key_file);
  if (!ring) opened.key_error = ring.error();
  for (const auto& stored : cluster.tokens) {
    auto secret = ring ? ring->open({.text = stored.sealed, .key_name = stored.key_name},
                                    {.user = stored.owner.user, .cluster = stored.owner.cluster})
                       : tl::expected<std::string, std::string>{tl::unexpected{ring.error()}};
    auto token = secret ? oar::read_token(*secret) : tl::expected<oar::Token, std::string>{tl::unexpected{secret.error()}};
    if (token && token->user != stored.login) token = tl::unexpected{std::string{"it is of another user of the cluster"}};
    auto& reading = opened.readings.emplace_back(OpenedTokens::Reading{stored, token ? std::string{} : token.error()});
    auto why = token ? why_unused(stored, cluster.name, now)
                     : fmt::format("the token of {} for {} cannot be read: {}", stored.login, cluster.name, reading.unreadable);
    if (why.empty()) take(opened, stored, std::move(*token));
    else opened.unusable.try_emplace(stored.login, std::move(why));
  }
  std::erase_if(opened.unusable, [&](const auto& one) { return opened.usable.contains(one.first); });
  return opened;
}

void note_token_use(Visit& visit, const OpenedTokens& opened, const oar::TokenUse& use) {
  const auto all = use.all();
  if (all.empty()) return;
  std::vector<std::string> taken, refused;
  bool is_any_taken = false, is_any_refused = false;
  for (const auto& [login, verdict] : all) {
    const bool is_taken = verdict == oar::TokenUse::Verdict::taken;
    (is_taken ? is_any_taken : is_any_refused) = true;
    if (const auto known = opened.fingerprints.find(login); known != opened.fingerprints.end())
      (is_taken ? taken : refused).push_back(known->second);
    if (!is_taken) process::log::warning("token refused", {{"cluster", visit.cluster.name}, {"login", login}});
  }
  visit.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    store::note_taken(transaction, visit.cluster.id, taken, now);
    store::note_refused(transaction, visit.cluster.id, visit.cluster.name, refused, now);
    if (visit.cluster.authentication != "signed") return;
    if (is_any_refused && !is_any_taken) brake_unsigned(visit, transaction, now);
    if (!is_any_refused) store::close_event(transaction, kKeyRefused, {.campaign = {}, .cluster = visit.cluster.id}, now);
  });
}

void note_readings(Visit& visit, const OpenedTokens& opened) {
  const auto changed = [](const OpenedTokens::Reading& reading) { return reading.unreadable != reading.token.unreadable; };
  if (std::ranges::none_of(opened.readings, changed)) return;
  const auto first = std::ranges::find_if(opened.readings, [](const auto& reading) { return !reading.unreadable.empty(); });
  const auto unreadable = std::ranges::count_if(opened.readings, [](const auto& reading) { return !reading.unreadable.empty(); });
  visit.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    for (const auto& reading : opened.readings) {
      if (changed(reading)) store::note_unreadable(transaction, reading.token, reading.unreadable);
    }
    const store::Target target{.campaign = {}, .cluster = visit.cluster.id};
    if (first == opened.readings.end()) {
      store::close_event(transaction, kUnreadable, target, now);
      return;
    }
    store::open_event(
        transaction,
        {.code = kUnreadable,
         .target = target,
         .job = {},
         .message =
             fmt::format("{} of the {} users' tokens for {} cannot be read, and the jobs of these users wait: {}", unreadable,
                         opened.readings.size(), visit.cluster.name,
                         opened.key_error ? *opened.key_error : fmt::format("that of {}: {}", first->token.owner.user, first->unreadable))},
        now);
  });
}

void renew_tokens(Visit& visit, const OpenedTokens& opened) {
  if (opened.usable.empty()) return;
  const auto ring = secrets::KeyRing::read(visit.config.token_key_file);
  if (!ring) return;
  std::vector<store::TokenToRenew> due;
  visit.database.transact(
      [&](store::Transaction& transaction) { due = store::tokens_to_renew(transaction, visit.cluster.id, store::now(transaction)); });
  for (const auto& [user, login] : due) {
    if (visit.time_left() <= process::Duration{0}) return;
    const auto reading = std::ranges::find_if(opened.readings, [&](const auto& one) { return one.token.owner.user == user; });
    if (reading == opened.readings.end() || !opened.usable.contains(login)) continue;
    auto stored = reading->token;
    const auto before = stored.fingerprint;
    const auto renewed = visit.client.renewed_token(login);
    std::string why;
    if (!renewed) why = oar::describe(renewed.error());
    else if (renewed->user != login) why = "the cluster gave the token of another user";
    else if (renewed->ends_at && stored.expires_at && *renewed->ends_at <= *stored.expires_at)
      why = "the cluster gave none that ends later";
    visit.database.transact([&](store::Transaction& transaction) {
      const auto now = store::now(transaction);
      if (!why.empty()) return store::note_not_renewed(transaction, stored.owner, before, why, now);
      auto sealed = ring->seal(renewed->text, {.user = user, .cluster = visit.cluster.id});
      stored.sealed = std::move(sealed.text);
      stored.key_name = std::move(sealed.key_name);
      stored.fingerprint = secrets::fingerprint(renewed->text);
      stored.expires_at = renewed->ends_at;
      store::note_renewed(transaction, stored, before, now);
    });
    if (why.empty()) process::log::info("token renewed", {{"cluster", visit.cluster.name}, {"user", user}});
    else process::log::warning("token not renewed", {{"cluster", visit.cluster.name}, {"user", user}, {"error", why}});
  }
}

}  // namespace gleaner::fleet
