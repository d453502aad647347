#include "lib/process/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iterator>

#include "lib/process/shown_options.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::process {
namespace {

namespace po = boost::program_options;

/// `--cycle-period=2s` becomes `--cycle_period=2s` when that is a key; values are left alone.
std::string with_underscores(std::string argument) {
  if (!argument.starts_with("--")) return argument;
  const auto equals = argument.find('=');
  auto name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
  std::ranges::replace(name, '-', '_');
  if (find_option(name) == nullptr) return argument;
  return "--" + name + (equals == std::string::npos ? std::string{} : argument.substr(equals));
}

using Values = std::vector<std::string>;

constexpr const char* kDescribe = "describe";

po::options_description describe(const Program& program) {
  po::options_description all;
  auto add = all.add_options();
  for (const auto& key : used_keys(program)) add(key.c_str(), po::value<Values>()->composing(), "");
  for (const auto& option : own_options(program)) {
    const std::string name{option.name};
    if (option.value.empty()) {
      add(name.c_str(), "");
    } else if (option.implicit) {
      add(name.c_str(), po::value<Values>()->composing()->implicit_value(Values{std::string{*option.implicit}}, ""), "");
    } else {
      add(name.c_str(), po::value<Values>()->composing(), "");
    }
  }
  add(kDescribe, po::value<Values>()->composing(), "");
  add("positional arguments", po::value<Values>(), "");
  return all;
}

/// The long options of a program, as --help writes them.
Values long_options(const Program& program) {
  auto names = used_keys(program);
  for (const auto& option : own_options(program)) names.push_back(long_name(option.name));
  return names;
}

/// `--dry` becomes `--dry-run` when no other option begins so, and so does `--dry_run`. Error: the message about several that do.
tl::expected<std::string, std::string> completed(const Values& known, const std::string& argument) {
  const auto equals = std::min(argument.find('='), argument.size());
  if (!argument.starts_with("--") || equals == 2) return argument;
  const auto name = argument.substr(2, equals - 2);
  const bool is_whole = std::ranges::find(known, name) != known.end() || find_option(name) != nullptr;
  if (is_whole) return argument;
  auto key = name;
  std::ranges::replace(key, '-', '_');
  auto dashed = name;
  std::ranges::replace(dashed, '_', '-');
  if (std::ranges::find(known, dashed) != known.end()) return fmt::format("--{}{}", dashed, argument.substr(equals));
  Values meant;
  std::ranges::copy_if(known, std::back_inserter(meant), [&](const std::string& option) {
    return option.starts_with(name) || option.starts_with(key) || option.starts_with(dashed);
  });
  if (meant.empty()) return argument;
  if (meant.size() == 1) return fmt::format("--{}{}", meant[0], argument.substr(equals));
  std::ranges::sort(meant);
  return tl::unexpected{fmt::format("option '--{}' is ambiguous: it may be --{}", name, fmt::join(meant, ", --"))};
}

std::string unknown_option(const Program& program, const std::string& typed) {
  const auto written = typed.substr(0, typed.find('='));
  const auto name = written.substr(std::min(written.find_first_not_of('-'), written.size()));
  if (find_option(name) != nullptr) return fmt::format("{} does not use the option '{}'", program.name, written);
  const auto owned = long_options(program);
  const std::vector<std::string_view> known{owned.begin(), owned.end()};
  return fmt::format("unknown option '{}'{}", written, text::did_you_mean(name, known));
}

/// A path of the command line is relative to the working directory; one of the file or the environment has none.
std::string as_given(std::string_view key, std::string value) {
  const auto& type = find_option(key)->type;
  const bool is_path = type == "FILE" || type == "DIRECTORY";
  if (!is_path || value.empty() || value.starts_with('~')) return value;
  return std::filesystem::absolute(value).lexically_normal().string();
}

void take(const po::variables_map& read, const Program& program, CommandLine& into) {
  if (read.contains("help")) into.action = CommandLine::Action::help;
  if (read.contains("version")) into.action = CommandLine::Action::version;
  if (read.contains(kDescribe)) {
    into.action = CommandLine::Action::describe;
    into.form = read[kDescribe].as<Values>().back();
  }
  if (read.contains("config")) into.config_file = read["config"].as<Values>().back();
  for (const auto& key : used_keys(program)) {
    if (read.contains(key)) into.given.emplace(key, Given{as_given(key, read[key].as<Values>().back()), "--" + key});
  }
  for (const auto& option : program.options) {
    const auto name = long_name(option.name);
    if (!read.contains(name)) continue;
    into.arguments.options.emplace(name, option.value.empty() ? Values{} : read[name].as<Values>());
  }
  if (read.contains("positional arguments")) into.arguments.positional = read["positional arguments"].as<Values>();
}

}  // namespace

tl::expected<CommandLine, Complaints> read_command_line(const Program& program, int argc, char** argv) {
  Values arguments;
  bool only_positional = false;
  const auto known = long_options(program);
  for (int i = 1; i < argc; ++i) {
    only_positional = only_positional || std::string_view{argv[i]} == "--";
    auto argument = only_positional ? tl::expected<std::string, std::string>{argv[i]} : completed(known, with_underscores(argv[i]));
    if (!argument) return tl::unexpected{Complaints{argument.error()}};
    arguments.push_back(std::move(*argument));
  }
  CommandLine result;
  try {
    const auto described = describe(program);
    po::positional_options_description positional;
    positional.add("positional arguments", -1);
    const auto style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
    po::variables_map read;
    po::store(po::command_line_parser{arguments}.options(described).positional(positional).style(style).run(), read);
    take(read, program, result);
  } catch (const po::unknown_option& error) {
    return tl::unexpected{Complaints{unknown_option(program, error.get_option_name())}};
  } catch (const po::error& error) {
    return tl::unexpected{Complaints{error.what()}};
  }
  if (program.positional.empty() && !result.arguments.positional.empty()) {
    return tl::unexpected{Complaints{fmt::format("unexpected argument '{}'", result.arguments.positional.front())}};
  }
  return result;
}

namespace {

void add_line(std::string& text, const std::string& left, std::string_view right) {
  if (left.size() < 30) {
    text += fmt::format("  {:<30}{}\n", left, right);
  } else {
    text += fmt::format("  {}\n  {:<30}{}\n", left, "", right);
  }
}

}  // namespace

std::string help_text(const Program& program) {
  auto text =
      fmt::format("{} [OPTION...]{}{}\n{}\n\n", program.name, program.positional.empty() ? "" : " ", program.positional, program.purpose);
  for (const auto& option : shown_options(program)) add_line(text, usage_of(option), option.help);
  const auto keys = shown_keys(program);
  if (!keys.empty()) text += "\nConfiguration (also `key = value` in the file, or GLEANER_KEY in the environment):\n";
  for (const auto& key : keys) add_line(text, usage_of(key), key.help);
  text += fmt::format("\nExit status: {}\n", kExitStatuses);
  if (!program.commands.empty()) text += "\nCommands:\n";
  for (const auto& command : program.commands)
    add_line(text, fmt::format("{}{}{}", command.words, command.arguments.empty() ? "" : " ", command.arguments), command.purpose);
  if (!program.notes.empty()) text += fmt::format("\n{}\n", program.notes);
  return text;
}

}  // namespace gleaner::process
