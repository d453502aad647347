#include "lib/grid/keep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/grid/dust.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::grid {
namespace {

using Days = std::chrono::days;

constexpr int kMostKept = 1'000'000;
constexpr int kDay = DayHours::kDaySeconds;

/// `08:00` or `08:00:30`, up to 24:00, in seconds.
std::optional<int> time_of_day(std::string_view text) {
  constexpr std::array kUnits{3600, 60, 1};
  int seconds = 0;
  std::size_t parts = 0;
  while (parts < kUnits.size()) {
    const auto end = std::min(text.find(':'), text.size());
    const auto part = text.substr(0, end);
    const auto number = part.size() == 2 ? text::whole_number<int>(part, 0, parts == 0 ? 24 : 59) : tl::unexpected{text::NumberError{}};
    if (!number) return std::nullopt;
    seconds += *number * kUnits.at(parts++);
    if (end == text.size()) return parts >= 2 && seconds <= kDay ? std::optional{seconds} : std::nullopt;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string time_text(int seconds) {
  auto text = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (seconds % 60 != 0) text += fmt::format(":{:02}", seconds % 60);
  return text;
}

bool is_within(const DayHours& hours, Instant now) {
  const auto second = std::chrono::floor<Seconds>(now - std::chrono::floor<Days>(now)).count();
  return hours.from < hours.to ? hours.from <= second && second < hours.to : second >= hours.from || second < hours.to;
}

/// The next time after `now` at which a day has this second.
Instant next_time(int second, Instant now) {
  const Instant today = std::chrono::floor<Days>(now);
  const auto at = today + Seconds{second % kDay};
  return at > now ? at : at + Days{1};
}

bool is_whole_day(const DayHours& hours) { return hours.to - hours.from == kDay; }

bool is_within_dates(const Keep& keep, Instant now) { return (!keep.from || *keep.from <= now) && (!keep.until || now < *keep.until); }

}  // namespace

std::string DayHours::text() const { return fmt::format("{}-{}", time_text(from), time_text(to)); }

std::optional<DayHours> day_hours(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto from = time_of_day(text.substr(0, dash));
  const auto to = time_of_day(text.substr(dash + 1));
  if (!from || !to || *from == kDay) return std::nullopt;
  if (*from == *to) return std::nullopt;
  return DayHours{.from = *from, .to = *to == 0 ? kDay : *to};
}

DayHours counted_from(const DayHours& hours, Instant now) {
  if (is_whole_day(hours)) return hours;
  const auto second = static_cast<int>(std::chrono::floor<Seconds>(now - std::chrono::floor<Days>(now)).count());
  const auto shifted = [&](int of_day) { return (of_day % kDay - second + kDay) % kDay; };
  const int to = shifted(hours.to);
  return {.from = shifted(hours.from), .to = to == 0 ? kDay : to};
}

std::string KeptPart::text() const { return fmt::format("{}{}", amount, percent ? "%" : ""); }

int KeptPart::of(int max_resources) const {
  if (!percent) return static_cast<int>(amount);
  return std::max(1, static_cast<int>(std::floor(std::max(0, max_resources) * amount / 100 + kDust)));
}

std::optional<KeptPart> kept_part(std::string_view text) {
  if (text.ends_with('%')) {
    const auto percent = text::real_number(text.substr(0, text.size() - 1));
    if (!percent || !(*percent > 0) || *percent > 100) return std::nullopt;
    return KeptPart{.amount = *percent, .percent = true};
  }
  const auto resources = text::whole_number<int>(text, 1, kMostKept);
  if (!resources) return std::nullopt;
  return KeptPart{.amount = static_cast<double>(*resources)};
}

bool is_for(const Keep& keep, const KeepTarget& campaign, Instant now) {
  const auto is_member = [&](const std::string& group) {
    return campaign.groups != nullptr && std::ranges::find(*campaign.groups, group) != campaign.groups->end();
  };
  return (!keep.user || *keep.user == campaign.user) && (!keep.group || is_member(*keep.group)) &&
         (!keep.project || *keep.project == campaign.project) && (!keep.campaign || *keep.campaign == campaign.id) &&
         (!keep.type || *keep.type == campaign.type) && (!keep.new_users || now - campaign.first_of_user < Seconds{*keep.new_users});
}

bool is_active(const Keep& keep, Instant now) { return is_within_dates(keep, now) && (!keep.hours || is_within(*keep.hours, now)); }

std::optional<Instant> end_of(const Keep& keep, Instant now) {
  auto end = keep.until;
  if (!keep.hours || is_whole_day(*keep.hours)) return end;
  const auto of_hours = next_time(keep.hours->to, now);
  return end ? std::min(*end, of_hours) : of_hours;
}

std::optional<Instant> next_begin(const Keep& keep, Instant now) {
  auto begin = keep.from && *keep.from > now ? *keep.from : now;
  if (keep.hours && !is_within(*keep.hours, begin)) begin = next_time(keep.hours->from, begin);
  return keep.until && begin >= *keep.until ? std::nullopt : std::optional{begin};
}

std::optional<Instant> next_change(const Keep& keep, Instant now) {
  std::optional<Instant> next;
  const auto consider = [&](std::optional<Instant> at) {
    if (at && *at > now && (!next || *at < *next)) next = at;
  };
  if (keep.until && *keep.until <= now) return std::nullopt;
  consider(keep.from);
  consider(keep.until);
  if (!keep.hours || is_whole_day(*keep.hours)) return next;
  const auto begin = keep.from && *keep.from > now ? *keep.from : now;
  for (const int second : {keep.hours->from, keep.hours->to}) {
    const auto at = next_time(second, begin);
    if (!keep.until || at < *keep.until) consider(at);
  }
  return next;
}

std::string age_text(std::int64_t seconds) {
  if (seconds % kDay == 0) return fmt::format("{}d", seconds / kDay);
  if (seconds % 3600 == 0) return fmt::format("{}h", seconds / 3600);
  return fmt::format("{}s", seconds);
}

std::string whom_text(const Keep& keep) {
  std::string whom;
  const auto add = [&](std::string_view of, const std::string& what) {
    if (whom.empty()) whom = what;
    else whom += fmt::format(" {} {}", of, what);
  };
  if (keep.campaign) add("", fmt::format("campaign {}", keep.campaign->value()));
  if (keep.type) add("", keep.type == CampaignType::test ? "test campaigns" : "normal campaigns");
  if (keep.new_users) add("of", "new users");
  if (keep.user) add("of", fmt::format("user {}", *keep.user));
  if (keep.group) add(keep.new_users || keep.user ? "in" : "of", fmt::format("group {}", *keep.group));
  if (keep.project) add("in", fmt::format("project {}", *keep.project));
  return whom;
}

}  // namespace gleaner::grid
