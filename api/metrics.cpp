#include "api/metrics.hpp"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>

#include "api/answers.hpp"
#include "api/grid_metrics.hpp"
#include "api/identity.hpp"
#include "lib/process/log.hpp"
#include "lib/process/secret.hpp"
#include "lib/text/address_range.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

using std::chrono::milliseconds;

bool is_token(std::string_view given, const std::filesystem::path& file) {
  const auto token = process::read_secret_file(file);
  if (!token) {
    process::log::error("token of /metrics unusable", {{"why", token.error()}});
    return false;
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> ours{};
  std::array<unsigned char, SHA256_DIGEST_LENGTH> theirs{};
  SHA256(reinterpret_cast<const unsigned char*>(token->data()), token->size(), ours.data());
  SHA256(reinterpret_cast<const unsigned char*>(given.data()), given.size(), theirs.data());
  return CRYPTO_memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

/// `fe80::1%eth0:40000` and `127.0.0.1:40000` without the port and the interface.
std::string_view host_of(std::string_view address) {
  const auto host = address.substr(0, address.rfind(':'));
  return host.substr(0, host.find('%'));
}

/// A scraper gives up after a time that it states; an answer without the database's figures is to come before.
milliseconds patience_of(const http::Request& request, const process::Config& config) {
  constexpr milliseconds kUsual{8000};
  constexpr double kPart = 0.8;
  auto patience = std::min<milliseconds>(config.api_patience, kUsual);
  const auto stated = request.headers.find("X-Prometheus-Scrape-Timeout-Seconds");
  const auto seconds = text::real_number(stated.value_or(""));
  if (seconds && *seconds > 0 && *seconds < 3600)
    patience = std::min(patience, milliseconds{static_cast<std::int64_t>(*seconds * 1000 * kPart)});
  return patience;
}

void write_own(MetricsPage& page, const Figures::Reading* reading) {
  using enum MetricsPage::Type;
  page.family("gleaner_build_info", gauge, "The version of gridapi.");
  page.sample({{"version", GLEANER_VERSION}}, 1);
  page.family("gleaner_database_up", gauge, "Whether the database answered this scrape; 0: the figures of the grid are missing here.");
  page.sample(reading != nullptr && reading->state != Figures::State::unreachable ? 1 : 0);
  if (reading == nullptr || reading->state == Figures::State::unreachable) return;
  page.family("gleaner_schema_ok", gauge, "Whether the database's schema is that of gridapi; 0: the figures of the grid are missing here.");
  page.sample(reading->state == Figures::State::read ? 1 : 0);
}

}  // namespace

bool may_measure(const http::Request& request, const process::Config& config) {
  if (request.peer.process) return false;
  const auto token = bearer_token(request);
  if (token && !config.api_metrics_token.empty() && is_token(*token, config.api_metrics_token)) return true;
  const auto host = host_of(request.peer.address);
  return std::ranges::any_of(config.api_metrics_addresses, [&](const std::string& one) {
    const auto range = text::AddressRange::parse(one);
    return range && range->contains(host);
  });
}

std::string_view health_word(const std::vector<fleet::Trouble>& troubles) {
  const auto has = [&](std::string_view kind) { return std::ranges::find(troubles, kind, &fleet::Trouble::kind) != troubles.end(); };
  if (has("database")) return "unavailable";
  if (has("conductor")) return "standstill";
  return troubles.empty() ? "ok" : "degraded";
}

http::Response measure(const http::Request& request, const process::Config& config, Figures& figures, const RequestCounts& requests) {
  const auto format = MetricsPage::preferred(request.headers.find("Accept"));
  MetricsPage page{format};
  const auto reading = figures.within(patience_of(request, config));
  write_own(page, reading.get());
  requests.write(page);
  write_health(page, reading != nullptr && reading->state == Figures::State::read ? health_word(reading->troubles) : "unavailable");
  if (reading != nullptr && reading->state == Figures::State::read) write_grid(page, *reading, config);
  http::Response response;
  response.headers.add("Content-Type", std::string{MetricsPage::content_type(format)});
  response.headers.add("Cache-Control", "no-store");
  response.body = page.text();
  return response;
}

}  // namespace gleaner::api
