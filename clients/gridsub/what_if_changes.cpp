#include "clients/gridsub/what_if_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "clients/forecast.hpp"
#include "lib/process/run.hpp"
#include "lib/process/values.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridsub {
namespace {

using clients::Json;
using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;

constexpr std::string_view kCampaigns = "campaigns.";
constexpr std::array<std::string_view, 5> kKeys{"clusters_off", "off_after", "order", "after", "campaigns.ID.priority"};
constexpr std::string_view kExamples =
    "clusters_off=beta, off_after=3h, order=fairshare, after=2h, campaigns.12.priority=2 or campaigns.12.paused=true";

[[noreturn]] void refuse(const std::string& word, const std::string& why) {
  throw Error{ExitCode::usage, fmt::format("'{}': {}", terminal::printable(word), why)};
}

/// A word with its key and value.
struct GridChange {
  std::string word;
  std::string key;
  std::string value;
};

GridChange read_word(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == 0 || equals == std::string::npos)
    refuse(word, fmt::format("this is no change: --what-if takes KEY=VALUE, such as {}; a campaign file is given by -f", kExamples));
  GridChange change{word, word.substr(0, equals), word.substr(equals + 1)};
  if (change.value.empty()) refuse(word, fmt::format("there is no value: write KEY=VALUE, such as {}", kExamples));
  return change;
}

std::string clusters_json(const std::string& names) {
  std::string all;
  for (std::size_t begin = 0; begin <= names.size();) {
    const auto end = std::min(names.find(',', begin), names.size());
    if (end > begin) all += (all.empty() ? "" : ", ") + text::json_string(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return "[" + all + "]";
}

std::int64_t seconds_of(const GridChange& change) {
  const auto read = process::parse_duration(change.value);
  if (!read) refuse(change.word, fmt::format("{} is a time such as 30m, 2h or 1d", change.key));
  return std::chrono::duration_cast<std::chrono::seconds>(*read).count();
}

/// `"paused": true` of campaigns.12.paused=true, by the campaign's number.
std::pair<std::int64_t, std::string> campaign_change(const GridChange& change) {
  const auto path = change.key.substr(kCampaigns.size());
  const auto dot = path.find('.');
  const auto id = text::whole_number<std::int64_t>(path.substr(0, dot));
  if (!id || *id < 1 || dot == std::string::npos)
    refuse(change.word, "this names no campaign: write campaigns.12.priority=2 or campaigns.12.paused=true");
  const auto key = path.substr(dot + 1);
  if (key == "priority") {
    const auto number = text::whole_number<std::int64_t>(change.value);
    if (!number) refuse(change.word, "a priority is a whole number, from 1, the highest, to 7");
    return {*id, fmt::format(R"("priority": {})", *number)};
  }
  if (key != "paused") refuse(change.word, "a campaign's priority and paused can be changed");
  if (change.value != "true" && change.value != "false") refuse(change.word, "paused is true or false");
  return {*id, fmt::format(R"("paused": {})", change.value)};
}

std::string member_of(const GridChange& change) {
  if (change.key == "clusters_off") return fmt::format(R"("clusters_off": {})", clusters_json(change.value));
  if (change.key == "order") return fmt::format(R"("order": {})", text::json_string(change.value));
  if (change.key == "after" || change.key == "off_after") return fmt::format(R"("{}": {})", change.key, seconds_of(change));
  refuse(change.word, fmt::format("'{}' is no change of the grid{}; those are {}", terminal::printable(change.key),
                                  text::did_you_mean(change.key, kKeys), kExamples));
}

clients::Forecast forecast_of(const Json& one, std::string_view key) {
  const auto seconds = [&](std::string_view which) { return std::chrono::seconds{one[key][which].integer()}; };
  const bool is_bound = one["evidence"].text() == "walltime" || one["if_others_run_to_their_walltimes"].is_true();
  return {.expected = seconds("expected"),
          .earliest = seconds("earliest"),
          .latest = seconds("latest"),
          .meaning = is_bound ? clients::Forecast::Meaning::upper_bound : clients::Forecast::Meaning::estimate};
}

std::string end_text(const Json& outlook) {
  if (outlook.is_null()) return "-";
  if (!outlook["blocked"].is_null()) return outlook["blocked"].text();
  return outlook["ends_in"].is_null() ? "not foreseen" : clients::in_short(forecast_of(outlook, "ends_in"));
}

/// `1h10m later: pays`, `20m sooner: gains`.
std::string change_text(const Json& campaign) {
  const auto effect = campaign["effect"].text();
  if (campaign["difference"].is_null() || effect == "same") return effect;
  const auto seconds = campaign["difference"].integer();
  return fmt::format("{} {}: {}", clients::short_length(std::chrono::seconds{std::abs(seconds)}), seconds < 0 ? "sooner" : "later", effect);
}

}  // namespace

std::string what_if_question(const std::vector<std::string>& words, const std::optional<std::string>& jdl) {
  std::set<std::string> seen;
  std::string changes;
  std::map<std::int64_t, std::string> campaigns;
  for (const auto& word : words) {
    const auto change = read_word(word);
    if (!seen.insert(change.key).second) refuse(word, fmt::format("{} is given twice", change.key));
    if (change.key.starts_with(kCampaigns)) {
      const auto [id, member] = campaign_change(change);
      campaigns[id] += ", " + member;
    } else {
      changes += (changes.empty() ? "" : ", ") + member_of(change);
    }
  }
  std::string of_campaigns;
  for (const auto& [id, members] : campaigns)
    of_campaigns += fmt::format("{}{{\"id\": {}{}}}", of_campaigns.empty() ? "" : ", ", id, members);
  if (!of_campaigns.empty()) changes += fmt::format(R"({}"campaigns": [{}])", changes.empty() ? "" : ", ", of_campaigns);
  return fmt::format(R"({{{}"changes": {{{}}}}})", jdl ? fmt::format(R"("jdl": {}, )", text::json_string(*jdl)) : "", changes);
}

std::string describe_changed(const Json& answer, const terminal::Screen& screen) {
  terminal::Table table{{{"id", "Id", Align::right},
                         {"name", "Name", Align::left, Shrink::last},
                         {"user", "User", Align::left, Shrink::last},
                         {"before", "Ends in"},
                         {"after", "With the change"},
                         {"change", "Which is"}},
                        {},
                        "No campaign is in treatment or paused: there is nothing to simulate.",
                        terminal::Heading::shown};
  for (const auto& one : answer["campaigns"].items()) {
    const auto cell = [](std::string text) { return Cell{text, text}; };
    table.rows.push_back({one["id"].is_null() ? Cell{std::string{"new"}, "new"} : Cell{one["id"].integer()},
                          Cell{terminal::printable(one["name"].text())}, Cell{terminal::printable(one["user"].text())},
                          cell(end_text(one["before"])), cell(end_text(one["after"])), cell(change_text(one))});
  }
  std::string text;
  for (const auto* key : {"assumptions", "warnings"}) {
    for (const auto& sentence : answer[key].items())
      text += terminal::wrap(terminal::printable(sentence.text()), screen.width, "  ") + "\n";
  }
  return terminal::render_human(table, screen) + "\n" + text;
}

}  // namespace gleaner::gridsub
