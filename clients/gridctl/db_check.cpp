// Checks the laws of the database, lists breaches and repairs them.
#include <fmt/format.h>

#include <algorithm>

#include "clients/asked.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/fleet/fleet.hpp"
#include "lib/store/checks.hpp"
#include "lib/terminal/text.hpp"

namespace gleaner::gridctl {
namespace {

using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Table;

struct LawFinding {
  store::Law law;
  store::Checked verdict;
  std::int64_t repaired = 0;

  [[nodiscard]] bool is_broken() const { return verdict.result == store::Checked::Result::broken; }
  [[nodiscard]] bool is_breach() const { return is_broken() && law.weight == store::Weight::law; }
  [[nodiscard]] bool can_be_repaired() const { return is_broken() && !law.repair.empty(); }
};
using LawFindings = std::vector<LawFinding>;

constexpr std::chrono::milliseconds kAsLongAsItTakes{0};

LawFindings check_all(store::Database& database, store::Reach reach) {
  LawFindings findings;
  for (const auto& law : store::laws()) findings.push_back({law, store::check_law(database, law, reach, kAsLongAsItTakes)});
  return findings;
}

/// Repairs are repeated: one can uncover another breach (a campaign with a returned task is in treatment again), and handles 1 000 rows at
/// a time.
void repair_all(const Call& call, store::Database& database, store::Reach reach, LawFindings& findings) {
  const auto author = clients::our_name();
  const auto limits = limits_of(call.context.config);
  for (bool changed = true; changed;) {
    changed = false;
    for (auto& finding : findings) {
      finding.verdict = store::check_law(database, finding.law, reach, kAsLongAsItTakes);
      if (!finding.can_be_repaired()) continue;
      const auto rows = store::repair_law(database, finding.law, finding.verdict.breaches, limits, author, fleet::now());
      finding.repaired += rows;
      changed = changed || rows > 0;
    }
  }
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    for (const auto& finding : findings) {
      if (!finding.is_broken()) store::note_checked(transaction, finding.law, finding.verdict, fleet::now());
    }
    if (std::ranges::any_of(findings, [](const LawFinding& finding) { return finding.repaired > 0; })) store::wake_up(transaction);
  });
}

std::string state_of(const LawFinding& finding) {
  switch (finding.verdict.result) {
    case store::Checked::Result::holds: return "holds";
    case store::Checked::Result::broken: return finding.law.weight == store::Weight::law ? "broken" : "leftover";
    case store::Checked::Result::unchecked: return "unchecked";
  }
  return "unchecked";
}

std::string examples_of(const store::Breaches& breaches, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, breaches.rows.size()); ++i)
    text += (i == 0 ? "" : "\n") + terminal::printable(breaches.rows[i].text);
  return text;
}

/// A breach, with its first rows and the remedy.
std::string paragraph(const terminal::Output& output, const LawFinding& finding) {
  constexpr std::size_t kShown = 10;
  const auto width = std::max<std::size_t>(output.screen().width, 40) - 11;
  const auto& breaches = finding.verdict.breaches;
  auto text = output.paint(finding.is_breach() ? Ink::bad : Ink::warm, fmt::format("{:<9}", state_of(finding)));
  text += terminal::wrap(fmt::format("{}, {}: {}", finding.law.name, terminal::counted(breaches.count, "row"), finding.law.sentence), width,
                         std::string(9, ' ')) +
          "\n";
  for (std::size_t i = 0; i < std::min(kShown, breaches.rows.size()); ++i)
    text += std::string(11, ' ') + terminal::wrap(terminal::printable(breaches.rows[i].text), width, std::string(13, ' ')) + "\n";
  if (breaches.count > static_cast<std::int64_t>(kShown))
    text += fmt::format("{:11}… {} more\n", "", breaches.count - static_cast<std::int64_t>(kShown));
  const auto to_do = finding.law.repair.empty() ? std::string{"nothing repairs it: an administrator must judge"}
                                                : fmt::format("'gridctl db check --repair' repairs it: {}", finding.law.repair);
  return text + std::string(9, ' ') + output.paint(Ink::strong, "->") + " " + terminal::wrap(to_do, width, std::string(12, ' ')) + "\n";
}

std::string report(const terminal::Output& output, const LawFindings& findings) {
  std::string text;
  for (const auto& finding : findings) {
    if (finding.repaired > 0)
      text += output.paint(Ink::good, "repaired ") +
              terminal::wrap(fmt::format("{}, {}: {}", finding.law.name, terminal::counted(finding.repaired, "row"), finding.law.repair),
                             std::max<std::size_t>(output.screen().width, 40) - 11, std::string(9, ' ')) +
              "\n";
    if (finding.is_broken()) text += paragraph(output, finding);
  }
  const auto hold =
      std::ranges::count_if(findings, [](const LawFinding& finding) { return finding.verdict.result == store::Checked::Result::holds; });
  const auto unchecked = std::ranges::count_if(
      findings, [](const LawFinding& finding) { return finding.verdict.result == store::Checked::Result::unchecked; });
  text += output.paint(Ink::good, "ok       ") + terminal::counted(hold, "law") + (hold == 1 ? " holds" : " hold");
  return text +
         (unchecked > 0 ? fmt::format("; {} only checked with --full", unchecked == 1 ? "1 is" : fmt::format("{} are", unchecked)) : "") +
         "\n";
}

void show(const Call& call, const LawFindings& findings) {
  Table table{{{"law", "Law"},
               {"state", "State"},
               {"rows", "Rows", Align::right},
               {"repaired", "Repaired", Align::right},
               {"sentence", ""},
               {"repair", ""},
               {"examples", ""}},
              {}};
  std::vector<std::string> broken;
  for (const auto& finding : findings) {
    constexpr std::size_t kMost = 100;
    table.rows.push_back({Cell{std::string{finding.law.name}}, Cell{state_of(finding)}, Cell{finding.verdict.breaches.count},
                          Cell{finding.repaired}, Cell{std::string{finding.law.sentence}}, Cell{std::string{finding.law.repair}},
                          Cell{examples_of(finding.verdict.breaches, kMost)}});
    if (finding.is_breach()) broken.emplace_back(finding.law.name);
  }
  call.output.show({.table = table, .text = report(call.output, findings), .ids = broken});
}

}  // namespace

process::Outcome db_check(const Call& call) {
  auto database = open_database(call);
  const auto reach = call.has("full") ? store::Reach::all : store::Reach::live;
  auto findings = check_all(database, reach);
  if (call.has("repair")) repair_all(call, database, reach, findings);
  show(call, findings);
  const auto broken = std::ranges::count_if(findings, &LawFinding::is_breach);
  if (broken == 0) return ExitCode::ok;
  return {ExitCode::failure, fmt::format("{} broken", broken == 1 ? "1 law is" : fmt::format("{} laws are", broken))};
}

}  // namespace gleaner::gridctl
