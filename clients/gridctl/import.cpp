// `gridctl import cigri`: what it is asked, in which order it goes, and what it says at the end.
#include "clients/gridctl/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>

#include "clients/asked.hpp"
#include "lib/process/options.hpp"
#include "lib/process/values.hpp"
#include "lib/store/cigri.hpp"
#include "lib/store/clusters.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::gridctl {
namespace {

using process::Error;
using process::ExitCode;
using terminal::Align;
using terminal::Cell;
using terminal::Ink;
using terminal::Shrink;
using terminal::Table;

constexpr std::array<std::string_view, 3> kParts{"clusters", "users", "campaigns"};
constexpr std::string_view kCampaign{"campaign"};

struct Wanted {
  std::vector<std::string> parts;       ///< empty: all
  std::vector<std::int64_t> campaigns;  ///< CiGri's numbers; empty: all

  [[nodiscard]] bool wants(std::string_view part) const {
    return parts.empty() ? campaigns.empty() || part == "campaigns" : std::ranges::find(parts, part) != parts.end();
  }
};

Wanted wanted_of(const Call& call) {
  Wanted wanted{.parts = process::split_list(call.value("only").value_or("")), .campaigns = {}};
  for (const auto& part : wanted.parts) {
    if (std::ranges::find(kParts, part) == kParts.end())
      throw Error{ExitCode::usage, fmt::format("--only={}: must be {}, or several of them with commas between them{}", part,
                                               fmt::join(kParts, ", "), text::did_you_mean(part, kParts))};
  }
  if (const auto given = call.value("campaigns")) wanted.campaigns = clients::ids_of({*given}, "a campaign of CiGri");
  if (wanted.wants("campaigns")) return wanted;
  for (const auto* option : {"campaigns", "live-tasks", "drained", "while-cigri-runs"}) {
    if (call.has(option))
      throw Error{ExitCode::usage,
                  fmt::format("--{} is about campaigns, and --only={} leaves them out", option, fmt::join(wanted.parts, ","))};
  }
  if (call.has("user") && !wanted.wants("users"))
    throw Error{ExitCode::usage, "--user chooses the users and the campaigns of one user, and --only=clusters leaves both out"};
  return wanted;
}

LiveTasks live_tasks_of(const Call& call) {
  const auto given = call.value("live-tasks");
  if (!given) return LiveTasks::refuse;
  if (*given == "leave-out") return LiveTasks::leave_out;
  if (*given == "import") return LiveTasks::import;
  throw Error{ExitCode::usage, fmt::format("--live-tasks={}: must be leave-out or import", *given)};
}

grid::Seconds drained_of(const Call& call) {
  const auto given = call.value("drained");
  const auto read = process::parse_duration(given.value_or("0"));
  if (!read) throw Error{ExitCode::usage, fmt::format("--drained={}: must be a time such as 6h or 2d", *given)};
  return std::chrono::ceil<grid::Seconds>(*read);
}

store::Database open_cigri(const Call& call) {
  const auto from = call.value("from");
  if (!from) throw Error{ExitCode::usage, "where is CiGri's database? Such as --from postgresql://cigri3@cigri.example.org/cigri3"};
  if (process::holds_password(*from))
    throw Error{ExitCode::usage, "--from: a password in an option can be read by others: put it into ~/.pgpass"};
  try {
    return store::cigri::open(*from);
  } catch (const store::Unavailable& error) {
    throw Error{ExitCode::unavailable, fmt::format("--from: {}", error.what())};
  }
}

/// `3 other sessions (cigri3 from 10.0.0.1)`; empty: there is none.
std::string text_of(const store::cigri::Sessions& sessions) {
  return sessions.others == 0 ? std::string{} : fmt::format("{} ({})", terminal::counted(sessions.others, "other session"), sessions.names);
}

/// Before anything is done. A trial only reports what would be refused.
void look_for_cigri(Import& import) {
  auto transaction = import.from.begin();
  if (!import.is_trial()) return check_cigri_is_stopped(import.call, transaction);
  if (const auto others = text_of(store::cigri::other_sessions(transaction)); !others.empty())
    import.call.output.report(fmt::format("gridctl: note: CiGri's database has {}: stop CiGri before you import campaigns", others));
}

Cell fate_cell(Fate fate, bool is_trial) {
  switch (fate) {
    case Fate::made: return {std::string{"made"}, is_trial ? "would be made" : "made", Ink::good};
    case Fate::present: return {std::string{"present"}, "is here already", Ink::faint};
    case Fate::empty: return {std::string{"empty"}, "nothing to take", Ink::faint};
    case Fate::refused: return {std::string{"refused"}, "cannot be taken", Ink::bad};
  }
  return {};
}

/// `campaign 7 mesh`, `user login on zeta of ada`.
std::string name_of(const Imported& line) {
  const auto whose = line.kind == "user" && !line.user.empty() ? fmt::format(" of {}", line.user) : "";
  return terminal::printable(fmt::format("{} {}{}", line.kind, line.source, whose));
}

void show(const Import& import) {
  Table table{{{"kind", "What"},
               {"source", "In CiGri", Align::left, Shrink::when_needed},
               {"user", "User", Align::left, Shrink::when_needed},
               {"tasks", "Tasks", Align::right},
               {"left_out", "Left out", Align::right, Shrink::left_out},
               {"here", "Here", Align::left, Shrink::when_needed},
               {"result", "Result"},
               {"remarks", ""}},
              {},
              "There is nothing to import."};
  std::vector<std::string> campaigns;
  bool is_changed = false;
  for (const auto& line : import.lines) {
    table.rows.push_back({Cell{std::string{line.kind}}, Cell{line.source}, Cell{line.user}, line.tasks ? Cell{*line.tasks} : Cell{},
                          line.left_out > 0 ? Cell{line.left_out} : Cell{}, Cell{line.here}, fate_cell(line.fate, import.is_trial()),
                          Cell{fmt::format("{}", fmt::join(line.remarks, "; "))}});
    if (line.fate != Fate::made || import.is_trial()) continue;
    is_changed = true;
    if (line.kind == kCampaign) campaigns.push_back(line.here);
  }
  import.call.output.show({.table = table, .ids = campaigns, .done = is_changed ? "the import was done" : ""});
  for (const auto& line : import.lines) {
    for (const auto& remark : line.remarks)
      import.call.output.report(fmt::format("gridctl: {}: {}", name_of(line), terminal::printable(remark)));
  }
}

void report_paused(const Import& import) {
  const auto report = [&](const std::vector<std::int64_t>& campaigns, std::string_view sentence) {
    if (!campaigns.empty())
      import.call.output.report(fmt::format("gridctl: {}: 'gridsub --resume {}'", sentence, clients::joined(campaigns)));
  };
  report(import.paused.made, "the imported campaigns are paused. When CiGri is stopped, and its jobs are over");
  report(import.paused.before, "imported before, and still paused");
  report(import.paused.by_users, "paused by their users in CiGri, who resume them here");
}

/// Work that CiGri would still do, and records that it has, which are missing here.
std::vector<std::string> missing(const Import& import) {
  std::vector<std::string> names;
  for (const auto& line : import.lines) {
    if (line.fate == Fate::refused) names.push_back(name_of(line));
    if (line.left_out > 0) names.push_back(fmt::format("{} of {}", terminal::counted(line.left_out, "task"), name_of(line)));
  }
  return names;
}

/// The last words: what to do next, what is not here, and the exit status.
process::Outcome ending(const Import& import) {
  if (import.is_trial()) import.call.output.report("gridctl: nothing was changed (--dry-run)");
  report_paused(import);
  auto names = missing(import);
  if (names.empty()) return ExitCode::ok;
  constexpr std::size_t kNamed = 20;
  const auto more = names.size() > kNamed ? fmt::format(", and {} more", names.size() - kNamed) : "";
  names.resize(std::min(names.size(), kNamed));
  return {ExitCode::failure,
          fmt::format("not here, for the reasons above: {}{}. {}", fmt::join(names, ", "), more,
                      import.is_trial() ? "The rest can be imported" : "The rest is done, and stays if you repeat this")};
}

std::string_view without_full_stop(std::string_view sentence) { return sentence.substr(0, sentence.find_last_not_of(". \n") + 1); }

/// Does all that is wanted. A database that goes away ends it: what was done until then is shown all the same.
std::optional<process::Outcome> import_parts(Import& import, const Wanted& wanted) {
  try {
    if (wanted.wants("clusters")) import_clusters(import);
    if (wanted.wants("users")) import_users(import);
    if (wanted.wants("campaigns")) import_campaigns(import, wanted.campaigns);
    return std::nullopt;
  } catch (const std::exception& error) {
    return process::Outcome{dynamic_cast<const store::Unavailable*>(&error) != nullptr ? ExitCode::unavailable : ExitCode::failure,
                            fmt::format("the import ended early: {}. Repeat it: nothing is taken twice", without_full_stop(error.what()))};
  }
}

/// Why, without the words around it: `query 'X': ERROR:  reason` and more lines.
std::string reason_of(const std::exception& refused) {
  std::string_view text{refused.what()};
  constexpr std::string_view kError{"ERROR:"};
  if (const auto at = text.find(kError); at != std::string_view::npos) text.remove_prefix(at + kError.size());
  text = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::string{text};
}

void note_refusal(Imported& line, std::string why) {
  line.fate = Fate::refused;
  line.here.clear();
  line.left_out = 0;
  line.remarks.insert(line.remarks.begin(), std::move(why));
}

}  // namespace

void refuse(const std::string& why) { throw Error{ExitCode::refused, why}; }

bool is_login(const std::string& login) {
  const auto is_letter = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view{"._@+$-"}.find(static_cast<char>(c)) != std::string_view::npos;
  };
  return !login.empty() && login.size() <= 255 && login.front() != '-' && std::ranges::all_of(login, is_letter);
}

void check_login(const std::string& login) {
  if (!is_login(login)) refuse(fmt::format("'{}' is no name of a user: letters, digits and . _ @ + $ - are", login));
}

void check_cigri_is_stopped(const Call& call, store::Transaction& from) {
  if (call.has("while-cigri-runs")) return;
  const auto others = text_of(store::cigri::other_sessions(from));
  if (!others.empty())
    refuse(
        fmt::format("CiGri's database has {}: stop CiGri, and its API, before you import campaigns, as what both run runs twice. "
                    "Clusters and users can come before: --only clusters,users. If it is stopped, and these are others: "
                    "--while-cigri-runs",
                    others));
}

void import_one(Import& import, Imported line, const std::function<bool(Imported&)>& work) {
  bool is_wanted = true;
  std::exception_ptr gone;
  try {
    is_wanted = work(line);
  } catch (const Error& error) {
    note_refusal(line, error.what());
  } catch (const store::Refused& refused) {
    note_refusal(line, fmt::format("the database refuses it: {}", reason_of(refused)));
  } catch (const store::TimedOut& late) {
    note_refusal(line, late.what());
  } catch (const store::Unavailable& error) {
    note_refusal(line, error.what());
    gone = std::current_exception();
  } catch (const std::exception& error) {
    note_refusal(line, fmt::format("unexpected: {}", reason_of(error)));
  }
  if (is_wanted) import.lines.push_back(std::move(line));
  if (gone) std::rethrow_exception(gone);
}

process::Outcome import_cigri(const Call& call) {
  const auto wanted = wanted_of(call);
  const auto live_tasks = live_tasks_of(call);
  const auto drained = drained_of(call);
  auto from = open_cigri(call);
  auto here = open_database(call);
  Import import{.call = call, .from = from, .here = here, .live_tasks = live_tasks, .drained = drained};
  if (wanted.wants("campaigns")) look_for_cigri(import);
  if (!import.is_trial() && !is_confirmed(call, "import", "take over what CiGri has (--dry-run shows it)"))
    return {ExitCode::refused, "nothing was imported: look at it with --dry-run, then confirm it with --yes"};
  {
    auto transaction = here.begin();
    for (const auto& cluster : store::clusters(transaction)) import.clusters.emplace(cluster.name, cluster.url);
  }
  const auto ended_early = import_parts(import, wanted);
  show(import);
  if (!ended_early) return ending(import);
  report_paused(import);
  return *ended_early;
}

}  // namespace gleaner::gridctl
