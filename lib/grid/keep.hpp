#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"

namespace gleaner::grid {

/// Hours of each day, in seconds from midnight UTC. `to` may be before `from`: they go past midnight then.
struct DayHours {
  int from = 0;          ///< in [0, 86400)
  int to = kDaySeconds;  ///< in (0, 86400]
  static constexpr int kDaySeconds = 86400;

  [[nodiscard]] std::string text() const;
  bool operator==(const DayHours&) const = default;
};

/// Reads `08:00-18:00` or `22:00-06:30`, seconds too; the end may be 24:00. Empty: it is none, or begins and ends at the same time.
[[nodiscard]] std::optional<DayHours> day_hours(std::string_view text);
/// The same hours on a clock whose time 0 is at `now`.
[[nodiscard]] DayHours counted_from(const DayHours& hours, Instant now);

/// How many resources of a cluster are kept.
struct KeptPart {
  double amount = 0;     ///< in resources, or in percent of the cluster's
  bool percent = false;  ///< at least one resource

  [[nodiscard]] std::string text() const;
  [[nodiscard]] int of(int max_resources) const;
  bool operator==(const KeptPart&) const = default;
};
inline constexpr std::string_view kKeptPartForm{"a number of resources such as 40, or a part of the cluster's such as 10%"};
/// Reads `40` or `2.5%`: at least one resource, at most 100 %.
[[nodiscard]] std::optional<KeptPart> kept_part(std::string_view text);

/// Resources of a cluster that an administrator keeps for some campaigns (`gridctl keep`). They are for the campaigns that match all
/// members that are set, and at least one is. Source: document 001, "reserve some portion of the cluster for special cases, or for new
/// users"; document 004, reservations that are activated and deactivated.
struct Keep {
  std::string name;
  ClusterId cluster{0};
  std::string cluster_name = {};
  KeptPart part = {};
  std::optional<std::string> user = {};
  std::optional<std::string> group = {};  ///< a unix group of users
  std::optional<std::string> project = {};
  std::optional<CampaignId> campaign = {};
  std::optional<CampaignType> type = {};
  std::optional<std::int64_t> new_users = {};  ///< seconds: of users whose first campaign was submitted less long ago
  std::optional<DayHours> hours = {};          ///< empty: all day
  std::optional<Instant> from = {};
  std::optional<Instant> until = {};
  double used = 0.0;  ///< resources of the live jobs of those that it is for; only where it was read for people
};

/// When a user's first campaign was submitted.
struct FirstCampaign {
  std::string user;
  Instant submitted{};
};

/// A campaign as a keep sees it.
struct KeepTarget {
  CampaignId id{0};
  std::string_view user;
  const std::vector<std::string>* groups = nullptr;
  std::string_view project;
  CampaignType type = CampaignType::default_;
  Instant first_of_user{};
};

[[nodiscard]] bool is_for(const Keep& keep, const KeepTarget& campaign, Instant now);
[[nodiscard]] bool is_active(const Keep& keep, Instant now);
/// When an active keep ends; empty: it does not.
[[nodiscard]] std::optional<Instant> end_of(const Keep& keep, Instant now);
/// When it is active next, now included; empty: never again.
[[nodiscard]] std::optional<Instant> next_begin(const Keep& keep, Instant now);
/// When it begins or ends next, after now; empty: never again.
[[nodiscard]] std::optional<Instant> next_change(const Keep& keep, Instant now);

/// `new users`, `test campaigns of group chem`
[[nodiscard]] std::string whom_text(const Keep& keep);
/// `30d`, `12h`, `90s`
[[nodiscard]] std::string age_text(std::int64_t seconds);

}  // namespace gleaner::grid
