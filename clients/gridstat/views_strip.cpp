// The states of all tasks of a campaign, a character a block.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "clients/gridstat/views.hpp"

namespace gleaner::gridstat {

using clients::Json;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;

namespace {

struct Mark {
  std::string_view state;
  char letter;
  Ink ink;
};
/// The first state that a task of a block has names the block: a failure is seen among a thousand tasks that are done.
constexpr std::array kMarks{Mark{"failed", 'F', Ink::bad},     Mark{"running", 'R', Ink::strong}, Mark{"launching", 'L', Ink::warm},
                            Mark{"submitted", 'S', Ink::warm}, Mark{"done", 'D', Ink::good},      Mark{"cancelled", 'C', Ink::faint},
                            Mark{"waiting", '.', Ink::faint}};

struct StripCell {
  char letter = '.';
  Ink ink = Ink::faint;
};

char small(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

const Mark& mark_of_state(std::string_view state) {
  const auto found = std::ranges::find(kMarks, state, &Mark::state);
  return found == kMarks.end() ? kMarks.back() : *found;
}

StripCell cell_of(const Json& block) {
  const auto named = std::ranges::find_if(kMarks, [&](const Mark& mark) { return block[mark.state].integer() > 0; });
  if (named == kMarks.end()) return {};
  const bool all = block[named->state].integer() >= block["tasks"].integer();
  return {all ? named->letter : small(named->letter), named->ink};
}

std::vector<StripCell> cells_of(const Json& strip) {
  const auto total = strip["total_tasks"].integer(), width = std::max<std::int64_t>(1, strip["block_tasks"].integer());
  const auto& others = mark_of_state(strip["others"].text());
  constexpr std::int64_t kMostCells = 10'000;  // of an API that gives more blocks than this command asks for
  std::vector<StripCell> cells(static_cast<std::size_t>(std::clamp<std::int64_t>((total + width - 1) / width, 0, kMostCells)),
                               {others.letter, others.ink});
  for (const auto& block : strip["blocks"].items()) {
    const auto place = static_cast<std::size_t>(block["first"].integer() / width);
    if (place < cells.size()) cells[place] = cell_of(block);
  }
  return cells;
}

/// Neighbours of one colour are painted together.
std::string line_of(std::span<const StripCell> cells, const terminal::Screen& screen) {
  std::string line;
  while (!cells.empty()) {
    const auto end = std::ranges::find_if(cells, [&](const StripCell& cell) { return cell.ink != cells.front().ink; });
    std::string letters;
    for (auto cell = cells.begin(); cell != end; ++cell) letters += cell->letter;
    line += terminal::painted(cells.front().ink, letters, screen);
    cells = cells.subspan(letters.size());
  }
  return line;
}

/// Whole tens of characters, so that a place is found by counting.
std::size_t columns_for(std::size_t label, const terminal::Screen& screen) {
  constexpr std::size_t kMostColumns = 100, kFrame = 3;
  const auto room = screen.width > label + kFrame ? screen.width - label - kFrame : 0;
  return std::clamp<std::size_t>(room / 10 * 10, 10, kMostColumns);
}

std::string legend(std::int64_t width) {
  std::string text = "D done, R running, S submitted, L launching, F failed, C cancelled, . waiting\n";
  if (width > 1)
    text += fmt::format("A character is {} tasks: the first of F R L S D C that one of them is; small: others are not.\n", width);
  return text;
}

}  // namespace

std::string strip_view(const Json& strip, const Setting& setting) {
  const auto cells = cells_of(strip);
  const auto width = std::max<std::int64_t>(1, strip["block_tasks"].integer());
  const auto label = std::to_string(strip["total_tasks"].integer()).size();
  const auto columns = columns_for(label, setting.screen);
  std::string text;
  for (std::size_t at = 0; at < cells.size(); at += columns) {
    const auto part = std::span{cells}.subspan(at, std::min(columns, cells.size() - at));
    text += fmt::format("{:>{}} |{}|\n", static_cast<std::int64_t>(at) * width, label, line_of(part, setting.screen));
  }
  return text + "\n" + legend(width);
}

terminal::Table strip_table(const Json& strip, const Setting& setting) {
  terminal::Table table{
      .columns = {{"first", "First", Align::right}, {"tasks", "Tasks", Align::right}}, .rows = {}, .heading = setting.heading};
  for (const auto& mark : kMarks) table.columns.push_back({std::string{mark.state}, std::string{mark.state}, Align::right});
  for (const auto& block : strip["blocks"].items()) {
    std::vector<Cell> row{Cell{block["first"].integer()}, Cell{block["tasks"].integer()}};
    for (const auto& mark : kMarks) row.emplace_back(block[mark.state].integer());
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace gleaner::gridstat
