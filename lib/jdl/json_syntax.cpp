#include "lib/jdl/json_syntax.hpp"

#include <fmt/format.h>
#include <rapidjson/error/error.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "lib/jdl/problem.hpp"
#include "lib/jdl/text.hpp"

namespace gleaner::jdl {
namespace {

char at(std::string_view text, std::size_t offset) { return offset < text.size() ? text[offset] : '\0'; }

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

/// The word around an offset, `Tru` for the reader that stopped at its third letter.
std::pair<std::size_t, std::string_view> word_around(std::string_view text, std::size_t offset) {
  std::size_t begin = std::min(offset, text.size());
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  std::size_t end = begin;
  while (end < text.size() && is_word_character(text[end])) ++end;
  return {begin, text.substr(begin, end - begin)};
}

std::size_t last_before(std::string_view text, std::size_t offset) {
  const auto head = text.substr(0, offset);
  const auto found = head.find_last_not_of(" \t\r\n");
  return found == std::string_view::npos ? 0 : found;
}

std::optional<SyntaxError> unclosed(const Stop& stop, std::string_view text) {
  if (stop.offset < text.size() || stop.open == std::string_view::npos) return std::nullopt;
  const char open = text[stop.open];
  return SyntaxError{stop.open, fmt::format("this '{}' is never closed: the file ends before its '{}'", open, open == '{' ? '}' : ']')};
}

/// Errors that are the same anywhere in the text.
std::optional<SyntaxError> seen_everywhere(const Stop& stop, std::string_view text) {
  const char c = at(text, stop.offset);
  if (c == '/' && at(text, stop.offset + 1) == '*') return SyntaxError{stop.offset, "this comment is never closed: write */ at its end"};
  if (c == '\'') return SyntaxError{stop.offset, "JSON has its strings in double quotes: write \" instead of '"};
  const auto before = last_before(text, stop.offset);
  if ((c == '}' || c == ']') && at(text, before) == ',')
    return SyntaxError{before, fmt::format("there is nothing between this comma and the '{}': take the comma out", c)};
  if (c == ',' && at(text, before) == ',')
    return SyntaxError{stop.offset, "there is nothing between this comma and the one before: take it out"};
  return unclosed(stop, text);
}

SyntaxError explain_value(const Stop& stop, std::string_view text) {
  const char c = at(text, stop.offset);
  const auto before = at(text, last_before(text, stop.offset));
  if (before == ':' && (c == ',' || c == '}')) return {stop.offset, "a value is missing after the ':'"};
  const auto [begin, word] = word_around(text, stop.offset);
  if (word.empty()) return {stop.offset, fmt::format("'{}' does not begin a value", excerpt(text.substr(stop.offset, 1)))};
  const auto lowered = lower(word);
  if (lowered == "true" || lowered == "false") return {begin, fmt::format("'{}' is written {} in JSON", word, lowered)};
  if (lowered == "none" || lowered == "nil" || lowered == "null") return {begin, fmt::format("'{}' is written null in JSON", word)};
  if (std::isdigit(static_cast<unsigned char>(word[0])) || word[0] == '-')
    return {begin, fmt::format("'{}' is not a number in JSON; if it is a text, write \"{}\"", excerpt(word), excerpt(word))};
  return {begin, fmt::format("a text is written in double quotes: \"{}\"", excerpt(word))};
}

SyntaxError explain_string(const Stop& stop, std::string_view text) {
  const auto c = static_cast<unsigned char>(at(text, stop.offset));
  if (stop.offset >= text.size() || c == '\n' || c == '\r')
    return {stop.token, "this string has no closing '\"' on its line (a line end in a string is written \\n)"};
  if (c < 0x20) return {stop.offset, fmt::format("a control character in a string is written \\u{:04x}{}", c, c == '\t' ? " or \\t" : "")};
  return {stop.offset,
          fmt::format("'{}' is not an escape of JSON; a backslash itself is written \\\\", excerpt(text.substr(stop.offset, 2)))};
}

SyntaxError explain_key(const Stop& stop, std::string_view text) {
  const auto [begin, word] = word_around(text, stop.offset);
  if (!word.empty()) return {begin, fmt::format("a key is written in double quotes: \"{}\"", excerpt(word))};
  return {stop.offset, fmt::format("a key in double quotes is expected here, not '{}'", excerpt(text.substr(stop.offset, 1)))};
}

SyntaxError explain_separator(const Stop& stop, std::string_view text, std::string_view what) {
  const auto c = at(text, stop.offset);
  if (c == '=') return {stop.offset, "in JSON a key and its value are separated by ':'"};
  if (c == ';') return {stop.offset, "in JSON members are separated by ',', not ';'"};
  if (c == '"' || c == '{' || c == '[') return {stop.offset, fmt::format("a {} is missing before this", what)};
  if (!is_word_character(c)) return {stop.offset, fmt::format("{} is expected before '{}'", what, excerpt(text.substr(stop.offset, 1)))};
  const auto [begin, word] = word_around(text, stop.offset);
  return {begin, fmt::format("{} is expected before '{}'", what, excerpt(word))};
}

}  // namespace

SyntaxError explain(const Stop& stop, std::string_view text) {
  using namespace rapidjson;
  const bool in_string = stop.code == kParseErrorStringMissQuotationMark || stop.code == kParseErrorStringEscapeInvalid;
  if (in_string) return explain_string(stop, text);
  if (auto found = seen_everywhere(stop, text)) return *found;
  switch (stop.code) {
    case kParseErrorDocumentEmpty: return {0, "the file is empty"};
    case kParseErrorDocumentRootNotSingular: return {stop.offset, "there is something behind the end of the campaign: one file, one { … }"};
    case kParseErrorObjectMissName: return explain_key(stop, text);
    case kParseErrorObjectMissColon: return explain_separator(stop, text, "':'");
    case kParseErrorObjectMissCommaOrCurlyBracket: return explain_separator(stop, text, "',' or '}'");
    case kParseErrorArrayMissCommaOrSquareBracket: return explain_separator(stop, text, "',' or ']'");
    case kParseErrorStringUnicodeEscapeInvalidHex: return {stop.offset, "\\u is followed by four hexadecimal digits, as in \\u00e9"};
    case kParseErrorStringUnicodeSurrogateInvalid:
      return {stop.offset, "this is half of a pair of \\u escapes; write the character itself"};
    case kParseErrorStringInvalidEncoding: return {stop.offset, "this is not UTF-8"};
    case kParseErrorNumberTooBig: return {stop.token, "this number is too big"};
    case kParseErrorTermination: return {stop.offset, "values are nested too deeply here"};
    default: return explain_value(stop, text);
  }
}

}  // namespace gleaner::jdl
