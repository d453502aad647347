// The reasons that each cluster had, and for how long.
#include <fmt/format.h>

#include <cmath>

#include "clients/gridstat/views.hpp"
#include "lib/terminal/text.hpp"
#include "lib/terminal/times.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Cell;

namespace {

constexpr std::size_t kChanges = 10;  // for people: the last ones

std::string cluster_of(const Json& of) {
  return of["cluster_name"].is_null() ? std::string{"the campaign"} : terminal::printable(of["cluster_name"].text());
}

std::chrono::seconds seconds_of(const Json& number) { return std::chrono::seconds{static_cast<std::int64_t>(number.number().value_or(0))}; }

/// `61 %`, rounded down as on the page; a part that is not nothing is no 0 %.
std::string part_of_time(double part, double whole) {
  if (whole <= 0 || part >= whole) return "100 %";
  const auto hundredths = 100 * part / whole;
  if (hundredths < 1) return "under 1 %";
  return fmt::format("{:.0f} %", std::floor(hundredths));
}

}  // namespace

std::string reason_shares(const Json& cluster) {
  const auto whole = cluster["seconds"].number().value_or(0);
  std::string shares;
  const auto add = [&](double seconds, const std::string& words) {
    if (seconds > 0 || whole <= 0) shares += fmt::format("{}{} {}", shares.empty() ? "" : ", ", part_of_time(seconds, whole), words);
  };
  for (const auto& share : cluster["shares"].items())
    add(share["seconds"].number().value_or(0), terminal::printable(share["words"].text()));
  const auto undecided = cluster["undecided_seconds"].number().value_or(0);
  if (undecided > 0) add(undecided, "nothing decided on it");
  return shares;
}

std::string reasons_view(const Json& history, const Setting& setting) {
  const auto& clusters = history["clusters"].items();
  if (clusters.empty()) return "Nothing was decided on it since then.\n";
  std::string text{"The reasons since then:\n"};
  for (const auto& cluster : clusters) {
    text +=
        "  " + fitted(fmt::format("{}, from {} ({}): {}", cluster_of(cluster), terminal::near_time(cluster["from"].seconds(), setting.now),
                                  terminal::length(seconds_of(cluster["seconds"])), reason_shares(cluster)),
                      setting);
  }
  terminal::Table changes{{{"since", "Since"}, {"cluster", "Cluster"}, {"seconds", "For"}, {"words", "Reason"}}, {}};
  for (const auto& one : history["items"].items()) {
    if (one["summed"].is_true() || changes.rows.size() == kChanges) continue;
    changes.rows.push_back({Cell{terminal::near_time(one["since"].seconds(), setting.now)}, Cell{cluster_of(one)},
                            Cell{terminal::length(seconds_of(one["seconds"])) + (one["until"].is_null() ? ", still" : "")},
                            Cell{terminal::printable(one["words"].text())}});
  }
  return text + "\nThe last changes:\n" + terminal::render_human(changes, setting.screen);
}

terminal::Table reasons_table(const std::vector<std::int64_t>& ids, const std::vector<Json>& histories) {
  terminal::Table table{{{"campaign", "Campaign"},
                         {"cluster", "Cluster"},
                         {"since", "Since"},
                         {"until", "Until"},
                         {"seconds", "Seconds"},
                         {"reason", "Reason"},
                         {"subject", "Subject"},
                         {"summed", "Summed"}},
                        {}};
  for (std::size_t i = 0; i < histories.size(); ++i) {
    for (const auto& one : histories[i]["items"].items()) {
      table.rows.push_back({Cell{ids[i]}, Cell{one["cluster_name"].text()}, Cell{one["since"].text()}, Cell{one["until"].text()},
                            Cell{one["seconds"].number().value_or(0)}, Cell{one["reason"].text()}, Cell{one["subject"].text()},
                            Cell{one["summed"].is_true() ? "true" : "false"}});
    }
  }
  return table;
}

}  // namespace gleaner::gridstat
