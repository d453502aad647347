#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <utility>

#include "lib/grid/oarsub_words.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/text/shell_text.hpp"

namespace gleaner::jdl {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// `$NAME`, in braces if the next character would be read as a part of the name.
std::string variable(std::string_view name, std::string_view rest) {
  const bool runs_on = !rest.empty() && is_name_character(rest.front());
  return runs_on ? fmt::format("${{{}}}", name) : fmt::format("${}", name);
}

/// Whether the `~` at the start of a word is the home folder: it is the whole word, or is followed by '/'.
bool is_home(std::string_view word) { return word.starts_with('~') && (word.size() == 1 || word[1] == '/' || is_blank(word[1])); }

/// The text with each macro replaced by `replacement` of the macro and the text after it.
template <class Replacement>
std::string with_macro(std::string_view text, std::string_view macro, Replacement replacement) {
  std::string result;
  for (auto found = text.find(macro); found != std::string_view::npos; found = text.find(macro)) {
    result += text.substr(0, found);
    text.remove_prefix(found + macro.size());
    result += replacement(text);
  }
  return result += text;
}

std::string with_home(std::string_view text) {
  return with_macro(text, "{HOME}", [](std::string_view rest) { return variable("HOME", rest); });
}

/// Replaces the home folder at the start of words: of each word, or, for a folder's path, which is one word, of the first only.
std::string with_tildes(std::string_view text, std::size_t most_words) {
  std::string result;
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = !is_blank(text[i]) && (i == 0 || is_blank(text[i - 1]));
    if (starts) ++words;
    if (starts && words <= most_words && is_home(text.substr(i))) result += "$HOME";
    else result += text[i];
  }
  return result;
}

/// Puts braces around each variable before the campaign's number, which would otherwise continue its name.
std::string with_braces(std::string folder, std::string_view number_macro) {
  for (const auto name : grid::kFolderVariables) {
    folder = with_macro(folder, fmt::format("${}{}", name, number_macro),
                        [&](std::string_view) { return fmt::format("${{{}}}{}", name, number_macro); });
  }
  return folder;
}

/// Whether a word of a script may begin after this character: a blank, a line end, an operator, a quote, or what may precede a path.
bool precedes_word(char c) { return is_blank(c) || std::string_view{"\n;&|()<>`\"=:"}.find(c) != std::string_view::npos; }

std::string script_with_tildes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = text[i] == '~' && (i == 0 || precedes_word(text[i - 1]));
    const bool ends = i + 1 == text.size() || text[i + 1] == '/' || precedes_word(text[i + 1]);
    if (starts && ends) result += "$HOME";
    else result += text[i];
  }
  return result;
}

/// The commands as one text, with variables for the macros.
std::string script(const std::vector<std::string>& commands) {
  auto text = with_home(script_with_tildes(text::without_oarsub_backslashes(fmt::format("{}", fmt::join(commands, "\n")))));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kMacros{
      std::pair{std::string_view{"{CAMPAIGN_ID}"}, std::string_view{"CIGRI_CAMPAIGN_ID"}},
      std::pair{std::string_view{"{OAR_JOB_ID}"}, std::string_view{"OAR_JOB_ID"}}};
  for (const auto& [macro, name] : kMacros)
    text = with_macro(text, macro, [of = name](std::string_view rest) { return variable(of, rest); });
  return text;
}

std::string output_folder(std::string_view stated, std::string_view number_macro) {
  if (stated.empty()) return {};
  while (stated.size() > 1 && stated.ends_with('/')) stated.remove_suffix(1);
  auto folder = with_home(with_tildes(stated, 1));
  if (!folder.starts_with('/') && !folder.starts_with('$')) folder = "$HOME/" + folder;
  if (folder.find(number_macro) == std::string::npos) folder += fmt::format("/{}", number_macro);
  return with_braces(std::move(folder), number_macro);
}

}  // namespace

Expanded expand(const ClusterSection& section, grid::CampaignId campaign) {
  constexpr std::string_view kCampaign = "{CAMPAIGN_ID}";
  const auto command = with_home(with_tildes(text::without_oarsub_backslashes(section.exec_file), section.exec_file.size()));
  const auto folder = with_braces(with_home(with_tildes(text::without_oarsub_backslashes(section.exec_directory), 1)), kCampaign);
  const auto number = std::to_string(campaign.value());
  const auto outputs = output_folder(section.output_directory, kCampaign);
  const auto with_number = [&](std::string_view text) { return with_macro(text, kCampaign, [&](std::string_view) { return number; }); };
  return {with_macro(command, kCampaign, [](std::string_view rest) { return variable("CIGRI_CAMPAIGN_ID", rest); }), with_number(folder),
          with_number(outputs), script(section.prologue), script(section.epilogue)};
}

}  // namespace gleaner::jdl
