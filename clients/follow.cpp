#include "clients/follow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "clients/asked.hpp"
#include "clients/change_stream.hpp"
#include "clients/standstill.hpp"
#include "lib/process/stop.hpp"

namespace gleaner::clients {
namespace {

using process::Error;
using process::ExitCode;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kIdsOfOneRequest = 500;

/// Empty: the API cannot be reached.
std::optional<std::vector<Json>> poll_once(ApiClient& api, terminal::Output& output, const Following& following, bool& was_there) {
  try {
    auto campaigns = campaigns_of(api, following.ids);
    if (!was_there) output.report("the API is back");
    was_there = true;
    return campaigns;
  } catch (const Error& error) {
    if (error.code() != ExitCode::unavailable) throw;
    if (was_there) output.report(fmt::format("{}; waiting for it", error.what()));
    was_there = false;
    return std::nullopt;
  }
}

/// Messages for campaigns none of which continues by itself.
class Stuck {
 public:
  Stuck(ApiClient& api, terminal::Output& output) : api_{api}, output_{output} {}

  /// Whether none of those that have not ended can unless its user acts; then reports why. A reason that may pass without its user is
  /// reported once.
  [[nodiscard]] bool ends_wait(const std::vector<Json>& campaigns) {
    std::map<std::int64_t, CannotEnd> all;
    for (const auto& campaign : campaigns) {
      if (has_ended(campaign)) continue;
      auto one = cannot_end(api_, campaign);
      if (one.why.empty()) return false;
      all.emplace(campaign["id"].integer(), std::move(one));
    }
    const bool ends = std::ranges::none_of(all, [](const auto& one) { return one.second.may_pass; });
    for (const auto& [campaign, one] : all) {
      auto line = fmt::format("campaign {} {}: {}", campaign, one.may_pass ? "waits" : "cannot end", one.why);
      if (auto& reported = reported_[campaign]; reported != line) output_.report(reported = std::move(line));
    }
    return ends;
  }

 private:
  ApiClient& api_;
  terminal::Output& output_;
  std::map<std::int64_t, std::string> reported_;
};

}  // namespace

CannotEnd cannot_end(ApiClient& api, const Json& campaign) {
  const auto& tasks = campaign["tasks"];
  if (tasks["launching"].integer() + tasks["submitted"].integer() + tasks["running"].integer() > 0) return {};
  try {
    const auto decisions = api.get(fmt::format("/v1/campaigns/{}/decisions?limit=1", campaign["id"].integer())).json;
    return {.why = decisions["cannot_end"].text(), .may_pass = decisions["cannot_end_may_pass"].is_true()};
  } catch (const Error& error) {
    // The next read of the campaigns reports it.
    if (error.code() != ExitCode::unavailable && error.code() != ExitCode::not_found) throw;
    return {};
  }
}

std::vector<Json> campaigns_of(ApiClient& api, const std::vector<std::int64_t>& ids) {
  std::vector<Json> campaigns;
  for (std::size_t begin = 0; begin < ids.size(); begin += kIdsOfOneRequest) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<std::int64_t> part{first, first + static_cast<std::ptrdiff_t>(std::min(kIdsOfOneRequest, ids.size() - begin))};
    const auto reply = api.get(fmt::format("/v1/campaigns?ids={}&limit={}", joined(part), kIdsOfOneRequest));
    const auto& found = reply.json["items"].items();
    for (const auto id : part) {
      const auto is_it = [&](const Json& campaign) { return campaign["id"].whole() == id; };
      const auto campaign = std::ranges::find_if(found, is_it);
      if (campaign == found.end()) throw Error{ExitCode::not_found, fmt::format("there is no campaign {}", id)};
      campaigns.push_back(*campaign);
    }
  }
  return campaigns;
}

bool has_ended(const Json& campaign) {
  const auto state = campaign["state"].text();
  return state == "terminated" || state == "cancelled";
}

bool has_succeeded(const Json& campaign) {
  return campaign["state"].text() == "terminated" && campaign["tasks"]["done"].integer() == campaign["total_tasks"].integer();
}

ExitCode follow(ApiClient& api, terminal::Output& output, const Following& following) {
  const auto deadline = following.time_limit ? std::optional{Clock::now() + *following.time_limit} : std::nullopt;
  // At the first request, an unreachable API is an error.
  auto campaigns = std::optional{campaigns_of(api, following.ids)};
  ChangeStream changes{api, following.ids};
  Stuck stuck{api, output};
  bool is_there = true;
  bool stood_still = false;
  while (true) {
    const bool stands_still = !api.standstill().is_null();
    if (stands_still && !stood_still)
      report_standstill(api.standstill(), output, std::chrono::time_point_cast<grid::Instant::duration>(std::chrono::system_clock::now()));
    stood_still = stands_still;
    if (campaigns && following.show) following.show(*campaigns);
    if (campaigns && std::ranges::all_of(*campaigns, has_ended))
      return std::ranges::all_of(*campaigns, has_succeeded) ? ExitCode::ok : ExitCode::failure;
    if (campaigns && following.stuck == Following::Stuck::ends_it && stuck.ends_wait(*campaigns)) return ExitCode::refused;
    ChangeStream::Pause pause{.least = following.period, .most = following.slowest};
    if (deadline) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
      if (left.count() <= 0) return ExitCode::try_again;
      pause = {.least = std::min(pause.least, left), .most = std::min(pause.most, left)};
    }
    changes.wait(pause);
    if (process::stop_requested()) return ExitCode::try_again;
    campaigns = poll_once(api, output, following, is_there);
  }
}

}  // namespace gleaner::clients
