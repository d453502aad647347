#include "lib/process/shown_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "lib/process/options.hpp"

namespace gleaner::process {
namespace {

constexpr std::array kEverywhere{
    ProgramOption{"help,h", "", "print this text"},
    ProgramOption{"version", "", "print the version"},
};
constexpr ProgramOption kConfig{
    "config", "FILE", "the configuration file (default: $GLEANER_CONFIG, ~/.config/gleaner/gleaner.conf, /etc/gleaner/gleaner.conf)"};

bool is_configured(const Program& program) { return program.configuration == Program::Configuration::used; }

}  // namespace

std::string long_name(std::string_view name) { return std::string{name.substr(0, name.find(','))}; }

std::vector<ProgramOption> own_options(const Program& program) {
  auto all = program.options;
  all.insert(all.end(), kEverywhere.begin(), kEverywhere.end());
  if (is_configured(program)) all.push_back(kConfig);
  return all;
}

std::vector<std::string> used_keys(const Program& program) {
  std::vector<std::string> keys;
  if (!is_configured(program)) return keys;
  for (const auto& option : options()) {
    const auto uses = [&](std::string_view key) { return std::ranges::find(program.keys, key, &Use::key) != program.keys.end(); };
    const bool shared = option.key == "log_level" || option.key == "log_file";
    const bool of_connections = option.key.starts_with("database_") && uses("database");
    if (shared || of_connections || uses(option.key)) keys.emplace_back(option.key);
  }
  return keys;
}

std::vector<ShownOption> shown_options(const Program& program) {
  std::vector<ShownOption> shown;
  for (const auto& option : own_options(program)) {
    const auto comma = std::min(option.name.find(','), option.name.size() - 1);
    shown.push_back({.name = long_name(option.name),
                     .letter = option.name[comma] == ',' ? std::string{option.name.substr(comma + 1)} : std::string{},
                     .value = std::string{option.value},
                     .help = std::string{option.help},
                     .may_lack_value = option.implicit.has_value()});
  }
  return shown;
}

std::vector<ShownOption> shown_keys(const Program& program) {
  std::vector<ShownOption> shown;
  for (const auto& key : used_keys(program)) {
    const auto& option = *find_option(key);
    const auto use = std::ranges::find(program.keys, option.key, &Use::key);
    ShownOption key_shown{.name = key, .value = std::string{option.type}, .help = std::string{option.help}};
    if (use != program.keys.end()) key_shown.choices.assign(use->choices.begin(), use->choices.end());
    if (!key_shown.choices.empty()) key_shown.help += fmt::format(": {}", fmt::join(key_shown.choices, ", "));
    if (!option.fallback.empty()) key_shown.help += fmt::format(" ({})", option.fallback);
    shown.push_back(std::move(key_shown));
  }
  return shown;
}

std::string usage_of(const ShownOption& option) {
  const auto name = option.letter.empty() ? fmt::format("--{}", option.name) : fmt::format("-{}, --{}", option.letter, option.name);
  if (option.value.empty()) return name;
  return option.may_lack_value ? fmt::format("{}[={}]", name, option.value) : fmt::format("{} {}", name, option.value);
}

}  // namespace gleaner::process
