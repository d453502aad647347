// In which order the campaigns are served.
#include <fmt/format.h>

#include "clients/gridstat/views.hpp"
#include "lib/grid/campaign_priority.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Shrink;

namespace {

/// The beginning of each sentence, which the column repeats.
constexpr std::string_view kPlaceWords = "its place in the order: ";

std::string figures_text(const Json& place) {
  auto text = place["sentence"].text();
  if (text.starts_with(kPlaceWords)) text.erase(0, kPlaceWords.size());
  return text;
}

}  // namespace

std::string class_words(const Json& of) {
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : ", ") + more; };
  if (of["type"].text() == "test") add("test");
  if (of["type"].text() == "lowest_priority") add("lowest");
  const auto priority = [&](const char* key, const char* holder) {
    if (const auto given = of[key].whole(); given && (*holder == '\0' || *given != grid::kNormalPriority))
      add(fmt::format("{}priority {}", holder, *given));
  };
  priority("project_priority", "project ");
  priority("group_priority", "group ");
  priority("priority", "");
  if (of["clusters"].text() == "affinity") add("its affinities");
  if (of["clusters"].text() == "others") add("other clusters");
  return words.empty() ? "all" : words;
}

terminal::Table order_table(const Json& order, const Setting& setting) {
  terminal::Table table{
      .columns = {{"place", "Place", Align::right},
                  {"class", "Class"},
                  {"campaign_id", "Id", Align::right},
                  {"name", "Name", Align::left, Shrink::when_needed},
                  {"user", "User", Align::left, Shrink::last},
                  {"submission_time", "Submitted", Align::left, Shrink::left_out},
                  {"figures", "By", Align::left, Shrink::when_needed}},
      .rows = {},
      .when_empty = order["campaign_order"].is_null() ? "Nothing was planned yet." : "No campaign has a place in the order.",
      .heading = setting.heading};
  for (const auto& place : order["items"].items()) {
    const bool hidden = place["campaign_id"].is_null();
    table.rows.push_back({Cell{place["place"].integer()}, Cell{class_words(place["class"])},
                          hidden ? Cell{} : Cell{place["campaign_id"].integer()},
                          hidden ? Cell{std::string{}, "(of another user)"} : Cell{place["name"].text()}, Cell{place["user"].text()},
                          time_cell(place["submission_time"], setting.now), Cell{figures_text(place)}});
  }
  return table;
}

}  // namespace gleaner::gridstat
