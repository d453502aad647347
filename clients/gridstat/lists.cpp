// Shows lists of campaigns.
#include <fmt/format.h>

#include <limits>

#include "clients/asked.hpp"
#include "clients/gridstat/gridstat.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::gridstat {
namespace {

using clients::Json;
using process::Error;
using process::ExitCode;

constexpr std::int64_t kListPage = 1000;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::vector<Range> asked_ranges(const Run& run) {
  std::vector<Range> ranges;
  for (const auto& given : run.context.arguments.all("summary")) {
    for (const auto& part : process::split_list(given)) {
      const auto range = parse_range(part);
      if (!range) throw Error{ExitCode::usage, fmt::format("'{}' is not a valid range: 3, 3-7, 3-*, *-7 and *-* are", part)};
      ranges.push_back(*range);
    }
  }
  return ranges;
}

bool is_in(const std::vector<Range>& ranges, std::int64_t id) {
  if (ranges.empty()) return true;
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return id >= range.first && id <= range.last.value_or(kMost); });
}

/// A few ids are requested by name, so that the cost does not grow with the history.
std::optional<std::vector<std::int64_t>> few_ids(const std::vector<Range>& ranges) {
  std::vector<std::int64_t> ids;
  for (const auto& range : ranges) {
    if (!range.last || *range.last - range.first >= 500 || ids.size() > 500) return std::nullopt;
    for (auto id = std::max<std::int64_t>(range.first, 1); id <= *range.last; ++id) ids.push_back(id);
  }
  return ids.empty() ? std::nullopt : std::optional{ids};
}

Listed one_page(const Run& run, const std::string& query, std::int64_t limit, std::int64_t offset) {
  const auto reply = run.api.get(fmt::format("/v1/campaigns?limit={}&offset={}{}", limit, offset, query));
  return {reply.json["items"].items(), reply.json["total"].integer()};
}

Listed campaigns_in(const Run& run, const std::string& query, const std::vector<Range>& ranges) {
  Listed listed;
  std::int64_t total = 0;
  std::int64_t seen = 0;
  do {
    const auto page = one_page(run, query, kListPage, seen);
    if (page.campaigns.empty()) break;
    for (const auto& campaign : page.campaigns) {
      if (is_in(ranges, campaign["id"].integer())) listed.campaigns.push_back(campaign);
    }
    seen += static_cast<std::int64_t>(page.campaigns.size());
    total = page.total;
  } while (seen < total);
  listed.total = static_cast<std::int64_t>(listed.campaigns.size());
  return listed;
}

}  // namespace

std::optional<std::string> asked_user(const Run& run) {
  const auto& arguments = run.context.arguments;
  if (const auto name = arguments.value("username")) return name;
  const auto name = arguments.value("user");
  if (!name || !name->empty()) return name;
  if (!arguments.positional.empty()) return arguments.positional.front();
  // The API decides who we are: over TCP it is the token's owner.
  return run.api.get("/").json["user"].text();
}

std::optional<Range> parse_range(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto one = text::whole_number(text, std::int64_t{0});
    return one ? std::optional{Range{*one, *one}} : std::nullopt;
  }
  const auto first = text.substr(0, dash);
  const auto last = text.substr(dash + 1);
  Range range;
  if (first != "*") {
    const auto read = text::whole_number(first, std::int64_t{0});
    if (!read) return std::nullopt;
    range.first = *read;
  }
  if (last != "*") {
    const auto read = text::whole_number(last, range.first);
    if (!read) return std::nullopt;
    range.last = *read;
  }
  return range;
}

Listed list_campaigns(const Run& run) {
  const auto& arguments = run.context.arguments;
  std::string query;
  if (const auto user = asked_user(run)) query += "&user=" + clients::url_encoded(*user);
  const auto ranges = asked_ranges(run);
  if (!ranges.empty()) {
    const auto ids = few_ids(ranges);
    return campaigns_in(run, query + (ids ? "&ids=" + clients::joined(*ids) : "&all=1"), ranges);
  }
  if (arguments.has("all")) query += "&all=1";
  const auto limit = clients::number_of(arguments, "limit", kListPage, 1, 10000);
  const auto offset = clients::number_of(arguments, "offset", 0, 0, kMost);
  auto listed = one_page(run, query, limit, offset);
  // The end of a long list holds the newest campaigns, which users need most often.
  if (!arguments.has("offset") && listed.total > limit) listed = one_page(run, query, limit, listed.total - limit);
  return listed;
}

/// The users of all campaigns that the command line selects.
void show_users(const Run& run) {
  std::string query;
  if (const auto user = asked_user(run)) query += "&user=" + clients::url_encoded(*user);
  const auto ranges = asked_ranges(run);
  if (run.has("all") || !ranges.empty()) query += "&all=1";
  auto table = users_table(campaigns_in(run, query, ranges).campaigns, run.setting());
  std::vector<std::string> users;
  for (const auto& row : table.rows) users.push_back(terminal::text_of(row.front().value));
  run.output.show({.table = std::move(table), .ids = std::move(users)});
}

void show_list(const Run& run) {
  if (run.has("by-user")) return show_users(run);
  auto listed = list_campaigns(run);
  const bool is_tree = run.has("tree");
  const auto branches = is_tree ? tree_of(listed.campaigns) : std::vector<Branch>{};
  for (std::size_t i = 0; i < branches.size(); ++i) listed.campaigns[i] = branches[i].campaign;
  auto table = is_tree ? tree_table(branches, run.setting()) : summary(listed.campaigns, run.setting());
  if (run.has("all") || run.has("summary")) table.when_empty = "There is no such campaign.";
  terminal::Answer answer{.table = std::move(table)};
  if (run.is_cigri() && !is_tree) answer.text = clients::cigri_campaigns(listed.campaigns, run.setting().heading);
  for (const auto& campaign : listed.campaigns) answer.ids.push_back(fmt::format("{}", campaign["id"].integer()));
  if (run.form == terminal::Form::json) {
    answer.json =
        run.document(Json::of(std::vector<Json::Member>{{"items", Json::of(listed.campaigns)}, {"total", Json::of(listed.total)}}));
  }
  run.output.show(answer);
  const auto shown = static_cast<std::int64_t>(listed.campaigns.size());
  if (listed.total > shown)
    run.output.report(fmt::format("gridstat: {} of {} campaigns; --offset and --limit show others", shown, listed.total));
}

}  // namespace gleaner::gridstat
