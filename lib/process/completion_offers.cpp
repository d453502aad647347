#include "lib/process/completion_offers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "lib/process/log.hpp"
#include "lib/process/options.hpp"

namespace gleaner::process {
namespace {

constexpr std::string_view kClusters = "gridclusters --quiet 2>/dev/null || gridctl cluster list --quiet";

/// The values that --help calls so.
struct NamedValue {
  std::string_view name;
  Offer::Kind kind;
  std::string_view text;
};
constexpr std::array kNamedValues{
    NamedValue{"FILE", Offer::Kind::files, ""},
    NamedValue{"FILE.svg", Offer::Kind::files, ""},
    NamedValue{"SCENARIO.json", Offer::Kind::files, ""},
    NamedValue{"PATH", Offer::Kind::files, ""},
    NamedValue{"DIR", Offer::Kind::folders, ""},
    NamedValue{"DIRECTORY", Offer::Kind::folders, ""},
    NamedValue{"USER", Offer::Kind::users, ""},
    NamedValue{"ID", Offer::Kind::answer, "gridstat --quiet"},
    NamedValue{"CAMPAIGN", Offer::Kind::answer, "gridstat --quiet"},
    NamedValue{"CLUSTER", Offer::Kind::answer, kClusters},
    NamedValue{"SINK", Offer::Kind::answer, kClusters},
    NamedValue{"EVENT", Offer::Kind::answer, "gridevents --quiet 2>/dev/null || gridctl event list --quiet"},
    NamedValue{"RULE", Offer::Kind::answer, "gridctl rules list --quiet"},
    NamedValue{"LIMIT", Offer::Kind::answer, "gridctl limit list --quiet"},
    NamedValue{"KIND", Offer::Kind::words, "running_jobs waiting_jobs resources resource_seconds"},
    NamedValue{"STATE", Offer::Kind::words, "waiting launching submitted running done failed cancelled"},
    NamedValue{"BY", Offer::Kind::words, "day user project campaign cluster"},
    NamedValue{"YES|NO", Offer::Kind::words, "yes no"},
};

std::vector<std::string> split_at(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// `none|basic|certificate`: the words themselves, and not names of values.
bool are_words(std::string_view value) {
  return value.find('|') != std::string_view::npos &&
         std::ranges::all_of(value, [](unsigned char c) { return std::islower(c) != 0 || c == '|' || c == '_' || c == '-'; });
}

std::string simulated_keys() {
  std::vector<std::string_view> keys;
  for (const auto& option : options()) {
    if (option.is_simulated()) keys.push_back(option.key);
  }
  return fmt::format("{}", fmt::join(keys, " "));
}

/// `[ID...]` is `ID`.
std::string_view bare(std::string_view value) {
  if (value.starts_with('[')) value.remove_prefix(1);
  if (value.ends_with(']')) value.remove_suffix(1);
  if (value.ends_with("...")) value.remove_suffix(3);
  return value;
}

void add_if_any(std::vector<Position>& all, Position position) {
  if (position.offer.kind != Offer::Kind::nothing) all.push_back(std::move(position));
}

Offer offered_words(const std::set<std::string>& all) { return {Offer::Kind::words, fmt::format("{}", fmt::join(all, " "))}; }

/// The first words of all commands, the second words of each first one, and the arguments of each command.
std::vector<Position> positions_of_commands(const Program& program) {
  std::set<std::string> firsts;
  std::vector<Position> all;
  for (const auto& command : program.commands) firsts.insert(split_at(command.words, ' ').front());
  all.push_back({.at = 1, .offer = offered_words(firsts)});
  for (const auto& first : firsts) {
    std::set<std::string> seconds;
    for (const auto& command : program.commands) {
      const auto typed = split_at(command.words, ' ');
      if (typed[0] == first && typed.size() > 1) seconds.insert(typed[1]);
    }
    if (!seconds.empty()) all.push_back({.at = 2, .before = first, .offer = offered_words(seconds)});
  }
  for (const auto& command : program.commands) {
    const auto begin = split_at(command.words, ' ').size() + 1;
    const auto arguments = split_at(command.arguments, ' ');
    for (std::size_t i = 0; i < arguments.size(); ++i)
      add_if_any(all, {.at = begin + i, .before = std::string{command.words}, .is_further = i > 0, .offer = offer_of(arguments[i])});
  }
  return all;
}

}  // namespace

Offer offer_of(std::string_view value, const std::vector<std::string>& choices) {
  if (!choices.empty()) return {Offer::Kind::words, fmt::format("{}", fmt::join(choices, " "))};
  const auto name = bare(value);
  if (name == "LEVEL") return {Offer::Kind::words, fmt::format("{}", fmt::join(log::kLevels, " "))};
  if (name.starts_with("KEY=VALUE")) return {Offer::Kind::settings, simulated_keys()};
  const auto known = std::ranges::find(kNamedValues, name, &NamedValue::name);
  if (known != kNamedValues.end()) return {known->kind, std::string{known->text}};
  if (are_words(name)) return {Offer::Kind::words, fmt::format("{}", fmt::join(split_at(name, '|'), " "))};
  return {};
}

std::vector<Position> positions_of(const Program& program) {
  if (!program.commands.empty()) return positions_of_commands(program);
  std::vector<Position> all;
  const auto arguments = split_at(program.positional, ' ');
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_repeated = arguments[i].find("...") != std::string::npos;
    add_if_any(all, {.at = is_repeated ? 0 : i + 1, .is_further = i > 0, .offer = offer_of(arguments[i])});
  }
  return all;
}

}  // namespace gleaner::process
