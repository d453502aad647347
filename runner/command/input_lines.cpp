#include "runner/command/input_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lib/grid/input_files.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/words.hpp"

namespace gleaner::runner {
namespace {

/// V() puts an input file of the campaign, $1, below inputs/f: it takes its bytes from the pieces, as the index says (h its SHA-256, o its
/// first byte, n its bytes, m its mode), and checks them. The file gets its name when it is whole, so that one with this name always is;
/// other jobs may do the same at the same time. e: why it cannot be used.
constexpr std::string_view kFunction{R"sh(
V(){ local h o n m t= k r V=$G/inputs
[ -e "$V/f/$1" ]&&return
{ while read -r h o n t;do [ "$t" = "$1" ]&&break;done <"$V/index";} 2>/dev/null
[ "$t" = "$1" ]||{ e="it is not among the files that were brought here";return 1;}
m=${n#*:}
[ "$m" = "$n" ]&&m=444
n=${n%:*}
k=$V/.${f##*/}
e=$({ r=${1%/*};[ "$r" = "$1" ]&&r=
mkdir -p "$V/f/$r"&&for((r=o/@PIECE@;r*@PIECE@<o+n;r++));do cat "$V/$r"||exit;done|tail -c +$((o%@PIECE@+1))|head -c $n >"$k";} 2>&1)
[ "$(sha256sum <"$k" 2>/dev/null)" = "$h  -" ]&&chmod $m "$k"&&mv "$k" "$V/f/$1"&&return
rm -f "$k"
e="it is damaged or incomplete here: its SHA-256 is not $h${e:+: $e}"
return 1;})sh"};

constexpr std::string_view kLines{R"sh(
export CIGRI_INPUTS=$G/inputs/f
for y in @WORDS@;do V "$y"||{ mv "$f.s" "$f.u";q "its input file $y cannot be used, nothing was run: $e";};done)sh"};

/// A pattern as a word of the wrapper, with the words of the parameter in it.
std::string word_of(std::string_view pattern) {
  std::string word;
  std::size_t plain = 0;
  const auto put_plain = [&](std::size_t end) {
    if (end > plain) word += text::quote(pattern.substr(plain, end - plain));
  };
  for (auto open = pattern.find('{'); open != std::string_view::npos; open = pattern.find('{', open + 1)) {
    const auto close = pattern.find('}', open);
    if (close == std::string_view::npos) break;
    const auto number = text::whole_number<int>(pattern.substr(open + 1, close - open - 1), 1);
    if (!number) continue;
    put_plain(open);
    word += fmt::format("\"${{a[{}]}}\"", *number - 1);
    plain = close + 1;
  }
  put_plain(pattern.size());
  return word;
}

std::string replaced(std::string_view text, std::string_view mark, const std::string& value) {
  std::string whole{text};
  for (auto at = whole.find(mark); at != std::string::npos; at = whole.find(mark, at + value.size())) whole.replace(at, mark.size(), value);
  return whole;
}

}  // namespace

std::string input_functions(std::string_view patterns) {
  return patterns.empty() ? std::string{} : replaced(kFunction, "@PIECE@", std::to_string(grid::kInputPiece));
}

std::string input_lines(std::string_view patterns) {
  std::string words;
  while (!patterns.empty()) {
    const auto end = std::min(patterns.find('\n'), patterns.size());
    if (!words.empty()) words += ' ';
    words += word_of(patterns.substr(0, end));
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
  }
  return words.empty() ? std::string{} : replaced(kLines, "@WORDS@", words);
}

}  // namespace gleaner::runner
