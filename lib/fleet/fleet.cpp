#include "lib/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/fleet/tokens.hpp"
#include "lib/grid/clock.hpp"
#include "lib/process/log.hpp"
#include "lib/process/secret.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"

namespace gleaner::fleet {

grid::Instant now() { return grid::now(); }

namespace {

/// Whether the address is that of this machine: nobody else reads what is sent there.
bool is_of_this_machine(std::string_view url) {
  constexpr std::string_view kScheme{"http://"};
  auto host = url.substr(std::min(kScheme.size(), url.size()));
  host = host.substr(0, host.find('/'));
  if (host.starts_with('[')) return host == "[::1]" || host.starts_with("[::1]:");
  host = host.substr(0, host.find(':'));
  const bool is_number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host == "localhost" || (is_number && host.starts_with("127."));
}

}  // namespace

bool would_send_in_clear(const store::Cluster& cluster) {
  return (cluster.authentication == "basic" || cluster.authentication == "token" || cluster.authentication == "signed") &&
         !cluster.url.starts_with("https://") && !is_of_this_machine(cluster.url);
}

namespace {

/// Why its password or its tokens are not sent.
std::optional<std::string> wrong_way(const store::Cluster& cluster, std::string_view secrets) {
  if (!would_send_in_clear(cluster) || cluster.insecure) return std::nullopt;
  return fmt::format(
      "the {2} of cluster {0} is not sent, as it would go in clear over http to {1}: give it an https address ('gridctl "
      "cluster edit {0} --url https://...'), or, if nobody can read what is sent there, 'gridctl cluster edit {0} --insecure'",
      cluster.name, cluster.url, secrets);
}

}  // namespace

tl::expected<oar::Access, std::string> access_of(const store::Cluster& cluster, const process::Config& config) {
  return access_of(cluster, open_tokens(cluster, config, now()));
}

tl::expected<oar::Access, std::string> access_of(const store::Cluster& cluster, const OpenedTokens& tokens) {
  oar::Access access;
  access.name = cluster.name;
  access.url = cluster.url;
  if (cluster.api == "oar3") access.api = oar::Api::oar3;
  if (cluster.api == "g5k") access.api = oar::Api::g5k;
  access.homes = cluster.homes;
  access.login = cluster.login;
  access.identity_header = cluster.identity_header;
  access.ca_file = cluster.ca_file;
  access.certificate_file = cluster.certificate_file;
  access.key_file = cluster.key_file;
  access.verification = cluster.verify_tls ? oar::Verification::full : oar::Verification::off;
  if (cluster.authentication == "certificate") access.authentication = oar::Authentication::certificate;
  if (cluster.authentication == "basic") {
    access.authentication = oar::Authentication::basic;
    if (auto wrong = wrong_way(cluster, "password")) return tl::unexpected{std::move(*wrong)};
    auto secret = process::read_secret_file(cluster.secret_file);
    if (!secret) return tl::unexpected{fmt::format("the password of cluster {}: {}", cluster.name, secret.error())};
    access.secret = std::move(*secret);
  }
  if (cluster.authentication == "token") {
    access.authentication = oar::Authentication::token;
    if (auto wrong = wrong_way(cluster, "tokens' text")) return tl::unexpected{std::move(*wrong)};
    access.tokens = tokens.usable;
    access.unusable_tokens = tokens.unusable;
  }
  if (cluster.authentication == "signed") {
    access.authentication = oar::Authentication::signed_token;
    if (auto wrong = wrong_way(cluster, "token")) return tl::unexpected{std::move(*wrong)};
    auto key = process::read_secret_file(cluster.key_file);
    if (!key) return tl::unexpected{fmt::format("the key that signs for cluster {}: {}", cluster.name, key.error())};
    access.secret = std::move(*key);
  }
  access.token_use = std::make_shared<oar::TokenUse>();
  return access;
}

oar::Limits limits_of(const process::Config& config) {
  oar::Limits limits;
  limits.connect = config.connect_timeout;
  limits.read = config.request_timeout;
  limits.submit = config.submit_timeout;
  return limits;
}

oar::Limits file_limits_of(const process::Config& config) {
  constexpr std::chrono::milliseconds kPatience{2000};
  auto limits = limits_of(config);
  limits.read = std::min(limits.read, kPatience);
  limits.submit = std::min(limits.submit, kPatience);
  return limits;
}

bool was_silent(const oar::Failure& failure) {
  return std::holds_alternative<oar::NotSent>(failure) || std::holds_alternative<oar::NoAnswer>(failure);
}

void SharedDatabase::transact(const std::function<void(store::Transaction&)>& work) {
  const std::lock_guard lock{mutex_};
  if (lost_) throw store::Unavailable{*lost_};
  try {
    store::transact(database_, term_, work);
  } catch (const store::TimedOut&) {
    throw;
  } catch (const store::Unavailable& error) {
    lost_ = error.what();
    throw;
  }
}

bool SharedDatabase::try_lock(store::Database::Work work, grid::ClusterId cluster) {
  const std::lock_guard lock{mutex_};
  return database_.try_lock(work, cluster.value());
}

void SharedDatabase::unlock(store::Database::Work work, grid::ClusterId cluster) {
  const std::lock_guard lock{mutex_};
  database_.unlock(work, cluster.value());
}

void note_unreachable(SharedDatabase& database, const store::Cluster& cluster, const std::string& error) {
  constexpr int kMostDoublings = 4;
  constexpr std::chrono::seconds kFirstWait{4};
  const auto wait = kFirstWait * (1 << std::min(cluster.failed_polls, kMostDoublings));
  process::log::warning("cluster does not answer", {{"cluster", cluster.name}, {"error", error}, {"next_try_s", wait.count()}});
  database.transact([&](store::Transaction& transaction) {
    const auto at = store::now(transaction);
    // Each outage opens exactly one event: the first failure opens it, further ones are not counted.
    if (store::record_unreachable(transaction, cluster.id, error, at, at + wait))
      store::open_event(
          transaction, {.code = "CLUSTER_UNREACHABLE", .target = {.campaign = {}, .cluster = cluster.id}, .job = {}, .message = error}, at);
  });
}

void note_unreachable(Visit& visit, const std::string& error) { note_unreachable(visit.database, visit.cluster, error); }

}  // namespace gleaner::fleet
