#include "lib/grid/oarsub_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gleaner::grid {
namespace {

constexpr std::size_t kLongestWord = 80;      // a job's message has 255 bytes, with its name, project and types
constexpr std::size_t kLongestFolder = 4095;  // PATH_MAX

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

/// The character at a byte as a message shows it: one of UTF-8, or \xNN.
std::string shown(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7F) return fmt::format("\\x{:02x}", byte);
  std::size_t end = at + 1;
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  return std::string{text.substr(at, end - at)};
}

/// The position in characters, from 1; people do not count bytes.
std::size_t character(std::string_view text, std::size_t at) {
  const auto head = text.substr(0, at);
  return static_cast<std::size_t>(std::ranges::count_if(head, [](unsigned char c) { return (c & 0xC0U) != 0x80U; })) + 1;
}

std::string refused(std::string_view text, std::size_t at, std::string_view right) {
  return fmt::format("{} at character {} cannot be in it; {}", shown(text, at), character(text, at), right);
}

/// The characters that a plain text may have beside letters and digits.
struct Plain {
  std::string_view first;  ///< at its beginning
  std::string_view rest;
  std::string_view right;
};

std::optional<std::string> wrong_plain(std::string_view text, const Plain& plain) {
  if (text.size() > kLongestWord) return fmt::format("it is longer than {} bytes; {}", kLongestWord, plain.right);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto more = i == 0 ? plain.first : plain.rest;
    if (!is_letter_or_digit(text[i]) && more.find(text[i]) == std::string_view::npos) return refused(text, i, plain.right);
  }
  return std::nullopt;
}

/// The length of the variable at the beginning of the text, `$HOME` or `${HOME}`, if the job's shell replaces it; else 0.
std::size_t variable_length(std::string_view text) {
  for (const auto name : kFolderVariables) {
    if (text.starts_with(fmt::format("${{{}}}", name))) return name.size() + 3;
    const auto rest = text.substr(std::min(name.size() + 1, text.size()));
    const bool ends = rest.empty() || (!is_letter_or_digit(rest.front()) && rest.front() != '_');
    if (text.substr(1).starts_with(name) && ends) return name.size() + 1;
  }
  return 0;
}

/// OAR's types whose jobs do not carry out their command where the job's wrapper could note that it began. The others do: cosystem and
/// deploy on a host of their own, container and placeholder as any job.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kUseless{
    {{"noop", "OAR executes nothing of such a job, which only holds its resources until its walltime: no task would ever begin"},
     {"desktop_computing", "agents on desktop computers fetch such a job, which has no home there: no task could show that it began"}}};

}  // namespace

std::optional<std::string> wrong_project(std::string_view text) {
  return wrong_plain(text, {"_", "_ .:@/+,=%-", "write letters, digits, blanks and _ . : @ / + , = % -, a letter, a digit or _ first"});
}

std::optional<std::string> wrong_job_type(std::string_view text) {
  if (text.empty()) return "it is empty; write for instance devel, inner=12 or token:licence=2";
  const auto begin = std::min(text.find_first_not_of(' '), text.size());
  const auto name = text.substr(begin, text.find_first_of("= ", begin) - begin);
  for (const auto& [type, why] : kUseless) {
    if (name == type) return fmt::format("{}; leave {} out", why, type);
  }
  return wrong_plain(
      text, {"_", "_ .:@/+,*=%-", "write letters, digits, blanks and _ . : @ / + , * = % -, as in devel, inner=12 or token:licence=2"});
}

std::optional<std::string> wrong_directory(std::string_view text) {
  constexpr std::string_view kRight = "write a path without quotes and backslashes, such as $HOME/results or /scratch/$USER";
  constexpr std::string_view kQuoting = "'\"`\\";
  if (text.size() > kLongestFolder) return fmt::format("it is longer than {} bytes; {}", kLongestFolder, kRight);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == 0x7F || kQuoting.find(text[i]) != std::string_view::npos) return refused(text, i, kRight);
    if (text[i] != '$') continue;
    const auto length = variable_length(text.substr(i));
    if (length == 0)
      return fmt::format("$ at character {} begins none of $HOME, $USER and $LOGNAME, which alone are replaced; {}", character(text, i),
                         kRight);
    i += length - 1;
  }
  return std::nullopt;
}

std::optional<std::string> wrong_exec_directory(std::string_view text) {
  if (auto wrong = wrong_directory(text)) return wrong;
  const auto begins = [&](std::string_view head) { return text.starts_with(head); };
  if (text == "~" || begins("/") || begins("~/") || begins("{HOME}") || begins("$HOME") || begins("${HOME}")) return std::nullopt;
  return "it is relative; begin it with /, ~/ or $HOME, as in $HOME/results or /scratch/$USER";
}

}  // namespace gleaner::grid
