#include "runner/command/output_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/grid/exit_status.hpp"
#include "lib/grid/task_outputs.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::runner {
namespace {

// Names of the wrapper (command.cpp) are used: $1 the task, $2 the attempt, f the job's own file, p and q() its messages, s the status, a
// the arguments. Here o is the folder, t the beginning of the task's files, y a file, n its name, b a byte of it, u the name encoded, m
// their number.

constexpr std::string_view kBefore{R"sh(
[ $1 -gt 999 ]&&o=$o/$(($1/1000*1000))
t=$o/$1;[ $2 = 0 ]||t=$t.$2
{ :>>"$t.out"&&:>>"$t.err";} 2>/dev/null||e=$({ mkdir -p "$o"&&:>>"$t.out"&&:>>"$t.err";} 2>&1)||{ mv "$f.s" "$f.u";q "its output directory cannot be used, nothing was run: $e";}
exec >>"$t.out" 2>>"$t.err")sh"};

/// - A name has only characters that OAR's API can read; the others are encoded, byte by byte (LC_ALL=C).
/// - A link needs no room. It is made of what a symbolic link leads to.
/// - A copy that is not whole is removed.
/// - A name that would be longer than a file's may be is that of the number m instead, and the path is in the names of empty files beside
/// it, in parts. They are made first.
constexpr std::string_view kAfter{R"sh(
r(){ echo "$p $1">&2;((s))||s=74;}
shopt -s nullglob globstar
m=0
for y in @PATTERNS@;do
[ -f "$y" ]||continue
((++m>1000))&&{ r "more than 1000 files match output_files, the others were not gathered";break;}
local LC_ALL=C;n=${y#"$PWD/"};n=${n#./};n=${n#/};u=
for((j=0;j<${#n};j++));do b=${n:j:1};case $b in [A-Za-z0-9._,=+@-]);;*)printf -v b %%%02X "'$b";;esac;u+=$b;done
n=$u u=$t.file.$u b=${t##*/}.file.$n e=
((${#b}>255))&&{ u=$t.long.$m;rm -f -- "$t.path.$m".*
b=$(((${#n}+199)/200));e=$(for((j=0;j<b;j++));do :>"$t.path.$m.$j.$b.${n:j*200:200}";done 2>&1);}
[ ! "$e" ]&&{ ln -fLT -- "$y" "$u" 2>/dev/null||e=$(cp -fLT -- "$y" "$u" 2>&1);}||{ rm -f -- "$u" 2>/dev/null;r "its output file $y cannot be gathered: $e";}
done)sh"};
static_assert(grid::kNotGathered == 74, "the wrapper says it in its own text");
static_assert(grid::kLongestFileName == 255 && grid::kPartOfPath == 200 && grid::kMostOutputFiles == 1000, "the wrapper has these numbers");

bool is_wildcard(char c) { return std::string_view{"*?[]!^"}.find(c) != std::string_view::npos; }
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view{"_-./"}.find(c) != std::string_view::npos;
}

/// The value of a macro as a word, and the macro's length; empty: there is none at the beginning of the text.
std::pair<std::string, std::size_t> macro_at(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kMacros{{{"{TASK}", "\"$1\""},
                                                                                   {"{ATTEMPT}", "\"$2\""},
                                                                                   {"{CAMPAIGN_ID}", "\"$i\""},
                                                                                   {"{OAR_JOB_ID}", "\"$OAR_JOB_ID\""},
                                                                                   {"{HOME}", "\"$HOME\""},
                                                                                   {"${HOME}", "\"$HOME\""},
                                                                                   {"${USER}", "\"$USER\""},
                                                                                   {"${LOGNAME}", "\"$LOGNAME\""},
                                                                                   {"$HOME", "\"$HOME\""},
                                                                                   {"$USER", "\"$USER\""},
                                                                                   {"$LOGNAME", "\"$LOGNAME\""}}};
  for (const auto& [name, value] : kMacros) {
    if (text.starts_with(name)) return {std::string{value}, name.size()};
  }
  if (!text.starts_with('{')) return {};
  const auto close = text.find('}');
  if (close == std::string_view::npos) return {};
  const auto word = text::whole_number<int>(text.substr(1, close - 1), 1);
  if (!word) return {};
  return {fmt::format("\"${{a[{}]}}\"", *word - 1), close + 1};
}

}  // namespace

std::string pattern_word(std::string_view pattern) {
  std::string word;
  if (pattern == "~" || pattern.starts_with("~/")) {
    word = "\"$HOME\"";
    pattern.remove_prefix(1);
  }
  while (!pattern.empty()) {
    const auto [value, length] = macro_at(pattern);
    if (length > 0) {
      word += value;
      pattern.remove_prefix(length);
      continue;
    }
    const char c = pattern.front();
    if (is_plain(c) || is_wildcard(c)) word += c;
    else if (c == '\'') word += "\\'";
    else word += fmt::format("'{}'", c);
    pattern.remove_prefix(1);
  }
  return word;
}

std::string lines_before_command(std::string_view folder) {
  return folder.empty() ? std::string{} : fmt::format("\no={}{}", folder, kBefore);
}

std::string lines_after_command(std::string_view folder, std::string_view patterns) {
  if (folder.empty() || patterns.empty()) return {};
  std::string words;
  while (!patterns.empty()) {
    const auto end = std::min(patterns.find('\n'), patterns.size());
    if (!words.empty()) words += ' ';
    words += pattern_word(patterns.substr(0, end));
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  constexpr std::string_view kMark{"@PATTERNS@"};
  const auto at = kAfter.find(kMark);
  return fmt::format("{}{}{}", kAfter.substr(0, at), words, kAfter.substr(at + kMark.size()));
}

}  // namespace gleaner::runner
