// Commands that edit the stored admission rules.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "clients/asked.hpp"
#include "clients/gridctl/commands.hpp"
#include "lib/rules/admission.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/events.hpp"
#include "lib/store/rules.hpp"
#include "lib/terminal/times.hpp"
#include "lib/text/line_ends.hpp"
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

constexpr std::size_t kLongestName = 100;
constexpr std::int64_t kMostRules = 10'000;

store::Author author(const Call& call) { return {clients::our_name(), call.context.now}; }

std::string read_text(const std::string& path) {
  if (path == "-") return {std::istreambuf_iterator<char>{std::cin}, {}};
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error{ExitCode::not_found, fmt::format("{} is a folder, and not a rule", path)};
  std::ifstream file{path, std::ios::binary};
  if (!file) throw Error{ExitCode::not_found, fmt::format("the rule {} cannot be read: {}", path, std::strerror(errno))};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// Reads a rule, and checks its syntax.
std::string checked_text(const std::string& path) {
  auto text = read_text(path);
  if (text.find('\0') != std::string::npos) throw Error{ExitCode::usage, fmt::format("{} holds a NUL byte: it is not a text file", path)};
  if (const auto lone = text::lone_return(text); lone != std::string::npos) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(lone), '\n') + 1;
    throw Error{ExitCode::usage, fmt::format("{}:{}: {}", path, line, text::kLoneReturn)};
  }
  rules::Sandbox sandbox{rules::interpreter_program()};
  const auto wrong = sandbox.check(text);
  if (!wrong) throw Error{ExitCode::failure, wrong.error()};
  if (*wrong) throw Error{ExitCode::usage, fmt::format("{}:{}: {}", path, (*wrong)->line, (*wrong)->message)};
  return text;
}

std::string checked_name(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= kLongestName &&
                     std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
  if (!plain) throw Error{ExitCode::usage, fmt::format("'{}' is no name for a rule: letters, digits, '-', '_' and '.' are (--name)", name)};
  return name;
}

std::string name_for(const Call& call, const std::string& path) {
  if (const auto given = call.value("name")) return checked_name(*given);
  if (path == "-") throw Error{ExitCode::usage, "a rule from standard input needs --name"};
  return checked_name(std::filesystem::path{path}.stem().string());
}

store::Rule known_rule(store::Transaction& transaction, const std::string& name) {
  std::vector<std::string> names;
  for (auto& rule : store::rules(transaction)) {
    if (rule.name == name) return rule;
    names.push_back(rule.name);
  }
  const std::vector<std::string_view> known{names.begin(), names.end()};
  throw Error{ExitCode::not_found,
              fmt::format("there is no rule '{}'{}; 'gridctl rules list' has them all", name, text::did_you_mean(name, known))};
}

/// Changes a rule, and closes the event of broken rules, which opens again if the error persists.
template <class Change>
void change(const Call& call, Change what) {
  auto database = open_database(call);
  store::transact(database, std::nullopt, [&](store::Transaction& transaction) {
    store::lock_rules(transaction);
    what(transaction);
    store::close_event(transaction, "ADMISSION_RULE", {}, store::now(transaction));
  });
}

process::Outcome set_rule_enabled(const Call& call, bool enabled) {
  change(call, [&](store::Transaction& transaction) {
    auto rule = known_rule(transaction, call.arguments[0]);
    rule.enabled = enabled;
    store::edit_rule(transaction, rule, rule.position, author(call));
  });
  call.output.report(
      fmt::format("gridctl: the rule '{}' {} from the next submission on", call.arguments[0], enabled ? "counts" : "does not count"));
  return ExitCode::ok;
}

}  // namespace

process::Outcome rules_list(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  Table table{{{"position", "Nr", Align::right},
               {"name", "Name"},
               {"enabled", "State"},
               {"changed_by", "Changed by", Align::left, Shrink::when_needed},
               {"changed_at", "Changed"},
               {"created_by", ""},
               {"created_at", ""},
               {"text", ""}},
              {},
              "There is no admission rule."};
  std::vector<std::string> names;
  for (const auto& rule : store::rules(transaction)) {
    table.rows.push_back({Cell{std::int64_t{rule.position}}, Cell{rule.name},
                          Cell{rule.enabled, rule.enabled ? "enabled" : "disabled", rule.enabled ? Ink::plain : Ink::faint},
                          Cell{rule.changed_by}, terminal::time_cell(rule.changed_at, call.context.now), Cell{rule.created_by},
                          terminal::time_cell(rule.created_at, call.context.now), Cell{rule.text}});
    names.push_back(rule.name);
  }
  call.output.show({.table = table, .ids = names});
  return ExitCode::ok;
}

process::Outcome rules_show(const Call& call) {
  auto database = open_database(call);
  auto transaction = database.begin();
  const auto rule = known_rule(transaction, call.arguments[0]);
  const Table table{{{"name", "Name"}, {"position", "Nr"}, {"enabled", "Enabled"}, {"text", "Text"}},
                    {{Cell{rule.name}, Cell{std::int64_t{rule.position}}, Cell{rule.enabled}, Cell{rule.text}}}};
  call.output.show({.table = table, .text = rule.text + (rule.text.ends_with('\n') ? "" : "\n"), .ids = {rule.name}});
  return ExitCode::ok;
}

process::Outcome rules_add(const Call& call) {
  store::Rule rule;
  rule.name = name_for(call, call.arguments[0]);
  rule.position = static_cast<int>(clients::number_of(call.context.arguments, "position", 0, 1, kMostRules));
  rule.text = checked_text(call.arguments[0]);
  rule.enabled = !call.has("disabled");
  change(call, [&](store::Transaction& transaction) {
    if (!store::add_rule(transaction, rule, author(call)))
      throw Error{ExitCode::refused, fmt::format("there is a rule '{0}' already: 'gridctl rules edit {0} FILE' changes it", rule.name)};
  });
  call.output.report(
      fmt::format("gridctl: the rule '{}' {}", rule.name, rule.enabled ? "counts from the next submission on" : "is stored, disabled"));
  return ExitCode::ok;
}

process::Outcome rules_edit(const Call& call) {
  if (call.arguments.size() < 2 && !call.has("name") && !call.has("position"))
    throw Error{ExitCode::usage, "nothing to change: give a FILE, --name or --position"};
  const auto text = call.arguments.size() > 1 ? std::optional{checked_text(call.arguments[1])} : std::nullopt;
  change(call, [&](store::Transaction& transaction) {
    auto rule = known_rule(transaction, call.arguments[0]);
    const auto from = rule.position;
    if (text) rule.text = *text;
    if (const auto name = call.value("name"); name && *name != rule.name) {
      const auto known = store::rules(transaction);
      if (std::ranges::any_of(known, [&](const auto& other) { return other.name == *name; }))
        throw Error{ExitCode::refused, fmt::format("there is a rule '{}' already", *name)};
      rule.name = checked_name(*name);
    }
    rule.position = static_cast<int>(clients::number_of(call.context.arguments, "position", rule.position, 1, kMostRules));
    store::edit_rule(transaction, rule, from, author(call));
  });
  call.output.report(fmt::format("gridctl: the rule '{}' is changed, from the next submission on", call.arguments[0]));
  return ExitCode::ok;
}

process::Outcome rules_enable(const Call& call) { return set_rule_enabled(call, true); }
process::Outcome rules_disable(const Call& call) { return set_rule_enabled(call, false); }

process::Outcome rules_remove(const Call& call) {
  change(call, [&](store::Transaction& transaction) { store::remove_rule(transaction, known_rule(transaction, call.arguments[0])); });
  call.output.report(fmt::format("gridctl: the rule '{}' is removed", call.arguments[0]));
  return ExitCode::ok;
}

}  // namespace gleaner::gridctl
