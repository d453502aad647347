#include "lib/process/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "lib/process/completion_offers.hpp"

namespace gleaner::process {
namespace {

std::vector<ShownOption> every_option(const Program& program) {
  auto all = shown_options(program);
  auto keys = shown_keys(program);
  std::ranges::move(keys, std::back_inserter(all));
  return all;
}

std::string replaced(std::string_view text, char letter, std::string_view by) {
  std::string result;
  for (const char c : text) {
    if (c == letter) result += by;
    else result += c;
  }
  return result;
}

std::string heading(const Program& program, std::string_view shell) {
  return fmt::format("# Completion of {0} for {1}, from the tables of its --help: {0} --describe={1}\n", program.name, shell);
}

/// The pattern, for `case` of bash and zsh, of "the number of the word, and the words before it".
std::string pattern_of(const Position& position) {
  if (position.at == 0) return "*";
  const auto further = position.is_further ? " " : "";
  return fmt::format("\"{} {}{}\"{}", position.at, position.before, position.before.empty() ? "" : further, position.is_further ? "*" : "");
}

// ------------------------------------------------------------------ bash

std::string reply_in_bash(const Offer& offer) {
  const auto reply = [](std::string_view how, std::string_view then = "") {
    return fmt::format("mapfile -t COMPREPLY < <(compgen {} -- \"$word\"){}", how, then);
  };
  switch (offer.kind) {
    case Offer::Kind::nothing: return ":";
    case Offer::Kind::words: return reply(fmt::format("-W '{}'", offer.text));
    case Offer::Kind::answer: return reply(fmt::format("-W \"$({} 2>/dev/null)\"", offer.text));
    case Offer::Kind::settings: return reply(fmt::format("-S = -W '{}'", offer.text), "; compopt -o nospace 2>/dev/null");
    case Offer::Kind::files: return reply("-f", "; compopt -o filenames 2>/dev/null");
    case Offer::Kind::folders: return reply("-d", "; compopt -o filenames 2>/dev/null");
    case Offer::Kind::users: return reply("-u");
  }
  return ":";
}

std::string for_bash(const Program& program) {
  std::string names, values, places;
  for (const auto& option : every_option(program)) {
    names += fmt::format("{}--{}", names.empty() ? "" : " ", option.name);
    if (!option.letter.empty()) names += " -" + option.letter;
    if (option.value.empty() || option.may_lack_value) continue;
    const auto letter = option.letter.empty() ? std::string{} : fmt::format("-{} | ", option.letter);
    values += fmt::format("        {}--{})\n            {}\n            return\n            ;;\n", letter, option.name,
                          reply_in_bash(offer_of(option.value, option.choices)));
  }
  for (const auto& position : positions_of(program))
    places += fmt::format("        {}) {} ;;\n", pattern_of(position), reply_in_bash(position.offer));
  const auto by_place =
      places.empty() ? std::string{} : fmt::format("    case \"$COMP_CWORD ${{COMP_WORDS[*]:1:COMP_CWORD-1}}\" in\n{}    esac\n", places);
  return heading(program, "bash") + fmt::format(R"(_gleaner_{0}() {{
    local word=$2 previous=$3
    # Where = is a word of its own, what it belongs to is before it.
    if [[ $word == = ]]; then word=; elif [[ $previous == = ]]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}; fi
    COMPREPLY=()
    case $previous in
{1}    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W '{2}' -- "$word")
        return
    fi
{3}}}
complete -F _gleaner_{0} {0}
)",
                                                program.name, values, names, by_place);
}

// ------------------------------------------------------------------ zsh

/// Within single quotes of a specification of _arguments: what is special there is escaped.
std::string quoted_for_zsh(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
      result += c;
    }
  }
  return result;
}

/// A command that adds what is offered.
std::string command_in_zsh(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::nothing: return ":";
    case Offer::Kind::words: return fmt::format("compadd -- {}", offer.text);
    case Offer::Kind::answer: return fmt::format("compadd -- ${{(f)\"$({} 2>/dev/null)\"}}", offer.text);
    case Offer::Kind::settings: return fmt::format("compadd -q -S = -- {}", offer.text);
    case Offer::Kind::files: return "_files";
    case Offer::Kind::folders: return "_files -/";
    case Offer::Kind::users: return "_users";
  }
  return ":";
}

/// The action of _arguments for the value of an option.
std::string action_in_zsh(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::nothing: return " ";
    case Offer::Kind::files:
    case Offer::Kind::folders:
    case Offer::Kind::users: return command_in_zsh(offer);
    default: return fmt::format("{{{}}}", command_in_zsh(offer));
  }
}

std::string specification_in_zsh(const ShownOption& option) {
  const auto help = fmt::format("[{}]", quoted_for_zsh(option.help));
  if (option.value.empty()) {
    if (option.letter.empty()) return fmt::format("'--{}{}'", option.name, help);
    return fmt::format("'(-{0} --{1})'{{-{0},--{1}}}'{2}'", option.letter, option.name, help);
  }
  const auto value = fmt::format("{}{}:{}", option.may_lack_value ? "::" : ":", quoted_for_zsh(option.value),
                                 action_in_zsh(offer_of(option.value, option.choices)));
  // After `=-` the value is in the same word alone, as it may be left out.
  const auto equals = option.may_lack_value ? "=-" : "=";
  const auto joined = option.may_lack_value ? "-" : "+";
  if (option.letter.empty()) return fmt::format("'*--{}{}{}{}'", option.name, equals, help, value);
  return fmt::format("'*'{{-{0}{1},--{2}{3}}}'{4}{5}'", option.letter, joined, option.name, equals, help, value);
}

std::string for_zsh(const Program& program) {
  std::string specifications, places;
  for (const auto& option : every_option(program)) specifications += fmt::format(" \\\n    {}", specification_in_zsh(option));
  for (const auto& position : positions_of(program))
    places += fmt::format("        {}) {} ;;\n", pattern_of(position), command_in_zsh(position.offer));
  const auto by_place =
      places.empty()
          ? std::string{}
          : fmt::format("_gleaner_{}_words() {{\n    case \"$((CURRENT - 1)) ${{(j: :)words[2,CURRENT-1]}}\" in\n{}    esac\n}}\n",
                        program.name, places);
  if (!places.empty()) specifications += fmt::format(" \\\n    '*: :_gleaner_{}_words'", program.name);
  return fmt::format("#compdef {}\n{}{}_arguments -s -S{}\n", program.name, heading(program, "zsh"), by_place, specifications);
}

// ------------------------------------------------------------------ fish

std::string quoted_for_fish(std::string_view text) { return fmt::format("'{}'", replaced(replaced(text, '\\', "\\\\"), '\'', "\\'")); }

/// Arguments of `complete`.
std::string arguments_in_fish(const Offer& offer) {
  switch (offer.kind) {
    case Offer::Kind::nothing: return "-x";
    case Offer::Kind::words: return fmt::format("-x -a {}", quoted_for_fish(offer.text));
    case Offer::Kind::answer: return fmt::format("-x -a {}", quoted_for_fish(fmt::format("({} 2>/dev/null)", offer.text)));
    case Offer::Kind::settings: return fmt::format("-x -a {}", quoted_for_fish(replaced(offer.text, ' ', "= ") + "="));
    case Offer::Kind::files: return "-r -F";
    case Offer::Kind::folders: return "-x -a '(__fish_complete_directories)'";
    case Offer::Kind::users: return "-x -a '(__fish_complete_users)'";
  }
  return "-x";
}

std::string position_in_fish(const Program& program, const Position& position) {
  // An argument that is no option takes no -r, and -F is for files alone.
  auto offered = arguments_in_fish(position.offer);
  if (offered.starts_with("-x ")) offered.erase(0, 3);
  if (offered.starts_with("-r ")) offered.erase(0, 3);
  if (position.at == 0) return fmt::format("complete -c {} {}\n", program.name, offered);
  const auto words = fmt::format("{}{}", position.before, position.is_further ? (position.before.empty() ? "*" : " *") : "");
  return fmt::format("complete -c {0} -n '__gleaner_{0}_at {1} \"{2}\"' {3}\n", program.name, position.at - 1, words, offered);
}

std::string for_fish(const Program& program) {
  auto text = heading(program, "fish") + fmt::format("complete -c {} -f\n", program.name);
  for (const auto& option : every_option(program)) {
    text += fmt::format("complete -c {}", program.name);
    if (!option.letter.empty()) text += " -s " + option.letter;
    text += " -l " + option.name;
    if (!option.value.empty() && !option.may_lack_value) text += " " + arguments_in_fish(offer_of(option.value, option.choices));
    text += fmt::format(" -d {}\n", quoted_for_fish(option.help));
  }
  const auto positions = positions_of(program);
  if (std::ranges::any_of(positions, [](const Position& position) { return position.at > 0; }))
    text += fmt::format(R"(function __gleaner_{}_at
    set -l before (commandline -opc)
    set -e before[1]
    test (count $before) -eq $argv[1]; and string match -q -- "$argv[2]" "$before"
end
)",
                        program.name);
  for (const auto& position : positions) text += position_in_fish(program, position);
  return text;
}

}  // namespace

std::string completion(const Program& program, Shell shell) {
  switch (shell) {
    case Shell::bash: return for_bash(program);
    case Shell::zsh: return for_zsh(program);
    case Shell::fish: return for_fish(program);
  }
  return {};
}

}  // namespace gleaner::process
