#include "lib/process/manual_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "lib/process/options.hpp"
#include "lib/process/shown_options.hpp"

namespace gleaner::process {
namespace {

/// The character that begins at `at`, which is moved to its last byte; the text is valid UTF-8.
std::uint32_t code_point(std::string_view text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  std::uint32_t code = first & (0x3FU >> more);
  for (std::size_t i = 0; i < more && at + 1 < text.size(); ++i) code = (code << 6U) | (static_cast<unsigned char>(text[++at]) & 0x3FU);
  return code;
}

std::string_view named_by_troff(char letter) {
  switch (letter) {
    case '\\': return "\\e";
    case '-': return "\\-";
    case '\'': return "\\(aq";
    case '`': return "\\(ga";
    case '~': return "\\(ti";
    case '^': return "\\(ha";
    case '"': return "\\(dq";
    default: return {};
  }
}

std::string troff(std::string_view text) {
  std::string escaped;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (begins_line && letter == '.') escaped += "\\&";
    if (static_cast<unsigned char>(letter) >= 0x80) {
      escaped += fmt::format("\\[u{:04X}]", code_point(text, i));
    } else if (const auto name = named_by_troff(letter); !name.empty()) {
      escaped += name;
    } else if (letter == '\n') {
      escaped += "\n.br\n";
    } else {
      escaped += letter;
      // A long list without blanks may be broken after its commas.
      if (letter == ',' && i + 1 < text.size() && text[i + 1] != ' ' && text[i + 1] != '\n') escaped += "\\:";
    }
  }
  return escaped;
}

std::string upper(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// The first sentence, without its full stop.
std::string_view first_sentence(std::string_view text) {
  const auto end = text.find(". ");
  auto sentence = text.substr(0, end);
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

/// `-f, --file FILE`: the names in bold, the value in italics.
std::string marked(std::string_view usage) {
  std::string text;
  for (std::size_t begin = 0; begin < usage.size();) {
    const auto end = std::min(usage.find_first_of(" [", begin), usage.size());
    const auto word = usage.substr(begin, end - begin);
    const auto names = word.starts_with('-') ? 'B' : 'I';
    if (!word.empty()) text += fmt::format("\\f{}{}\\fR", names, troff(word));
    begin = end;
    if (begin == usage.size()) break;
    if (usage[begin] == '[') {  // [=VALUE]
      const auto value = usage.substr(begin + 2, usage.size() - begin - 3);
      return text + fmt::format("[=\\fI{}\\fR]", troff(value));
    }
    text += ' ';
    ++begin;
  }
  return text;
}

void add_commands(ManualPage& page, const Program& program) {
  if (program.commands.empty()) return;
  page.begin_section("COMMANDS");
  for (const auto& command : program.commands) {
    const auto options = command.options.empty() ? std::string{} : fmt::format("\nOptions: --{}.", fmt::join(command.options, ", --"));
    page.add_item(command.words, command.arguments, fmt::format("{}.{}", command.purpose, options));
  }
}

}  // namespace

ManualPage::ManualPage(std::string_view name, int section, std::string_view purpose)
    : text_{fmt::format(".TH {} {} \"\" \"gleaner {}\" \"Gleaner\"\n.nh\n.ad l\n.ds AD l\n.SH NAME\n{} \\- {}\n", upper(troff(name)),
                        section, GLEANER_VERSION, troff(name), troff(first_sentence(purpose)))} {}

void ManualPage::begin_section(std::string_view title) { text_ += fmt::format(".SH \"{}\"\n", title); }

void ManualPage::add_text(std::string_view text) { text_ += fmt::format(".PP\n{}\n", troff(text)); }

void ManualPage::add_item(std::string_view term, std::string_view argument, std::string_view meaning) {
  const auto shown = argument.empty() ? std::string{} : fmt::format(" \\fI{}\\fR", troff(argument));
  text_ += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", troff(term), shown, troff(meaning));
}

void ManualPage::add_option(const std::string& usage, std::string_view meaning) {
  text_ += fmt::format(".TP\n{}\n{}\n", marked(usage), troff(meaning));
}

std::string manual_of(const Program& program) {
  ManualPage page{program.name, program.section, program.purpose};
  page.begin_section("SYNOPSIS");
  page.add_text(fmt::format("{} [OPTION...]{}{}", program.name, program.positional.empty() ? "" : " ", program.positional));
  page.begin_section("DESCRIPTION");
  page.add_text(program.purpose);
  if (!program.notes.empty()) page.add_text(program.notes);
  add_commands(page, program);
  page.begin_section("OPTIONS");
  for (const auto& option : shown_options(program)) page.add_option(usage_of(option), option.help);
  if (const auto keys = shown_keys(program); !keys.empty()) {
    page.begin_section("CONFIGURATION");
    page.add_text("Also `key = value` in the configuration file, or GLEANER_KEY in the environment; gleaner.conf(5) has every key.");
    for (const auto& key : keys) page.add_option(usage_of(key), key.help);
  }
  page.begin_section("EXIT STATUS");
  page.add_text(kExitStatuses);
  return page.text();
}

std::string manual_of_configuration() {
  ManualPage page{"gleaner.conf", 5, "the configuration of all programs of Gleaner"};
  page.begin_section("DESCRIPTION");
  page.add_text(
      "The configuration is the file that --config or $GLEANER_CONFIG names, ~/.config/gleaner/gleaner.conf or /etc/gleaner/gleaner.conf: "
      "lines `key = value`; a # begins a comment. A key is also an option of the programs that use it (--flood 0.3), and a variable "
      "(GLEANER_FLOOD=0.3). Options go before variables, and these before the file. An unknown key is refused.");
  page.add_text("Times: 200ms, 30s, 5m, 2h, 90d; a bare number is seconds. Sizes: 512K, 64M, 4G; a bare number is bytes.");
  page.begin_section("KEYS");
  for (const auto& option : options()) {
    const auto fallback = option.fallback.empty() ? std::string{"empty"} : std::string{option.fallback};
    page.add_item(option.key, fmt::format("= {}", option.type), fmt::format("{}.\nDefault: {}", option.help, fallback));
  }
  return page.text();
}

}  // namespace gleaner::process
