#include "lib/jdl/parameter.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "lib/jdl/problem.hpp"
#include "lib/jdl/text.hpp"
#include "lib/text/shell_text.hpp"
#include "lib/text/words.hpp"

namespace gleaner::jdl {
namespace {

/// The checks that a byte requires.
enum Trait : std::uint8_t { kPlain = 0, kNul = 1, kNotAscii = 2, kQuoting = 4 };

constexpr auto kTraits = [] {
  std::array<std::uint8_t, 256> traits{};
  for (std::size_t i = 0x80; i < 256; ++i) traits[i] = kNotAscii;
  traits[0] = kNul;
  traits['\''] = traits['"'] = traits['\\'] = kQuoting;
  return traits;
}();

unsigned traits_of(std::string_view text) {
  unsigned traits = kPlain;
  for (const char c : text) traits |= kTraits[static_cast<unsigned char>(c)];
  return traits;
}

tl::unexpected<ParameterError> error_at(std::string_view text, std::size_t byte, std::string message) {
  return tl::unexpected{ParameterError{characters(text.substr(0, byte)) + 1, std::move(message)}};
}

tl::expected<void, ParameterError> check_bytes(std::string_view text, unsigned traits) {
  if ((traits & kNul) != 0) return error_at(text, text.find('\0'), "there is a NUL byte in this parameter");
  if ((traits & kNotAscii) == 0) return {};
  if (const auto wrong = first_invalid_utf8(text); wrong != std::string_view::npos)
    return error_at(text, wrong,
                    fmt::format("the byte \\x{:02x} is not UTF-8: write the parameters in UTF-8", static_cast<unsigned char>(text[wrong])));
  return {};
}

tl::unexpected<ParameterError> too_long() {
  return tl::unexpected{ParameterError{
      0, fmt::format("this parameter is longer than {} kB: write it to a file, and give its path", kMostParameterBytes / 1024)}};
}

ParameterError located(std::string_view line, const text::WordError& error) {
  return {characters(line.substr(0, error.position)) + 1, fmt::format("{} (quotes and backslashes count as in a shell)", error.what)};
}

tl::expected<void, ParameterError> check_arguments(const Arguments& arguments) {
  std::size_t bytes = 0;
  for (const auto& argument : arguments) {
    bytes += argument.size() + 1;
    if (bytes > kMostParameterBytes + 1) return too_long();
    if (auto checked = check_bytes(argument, traits_of(argument)); !checked)
      return tl::unexpected{ParameterError{0, checked.error().message}};
  }
  return {};
}

}  // namespace

tl::expected<void, ParameterError> check_line(std::string_view line) {
  if (line.size() > kMostParameterBytes) return too_long();
  const auto traits = traits_of(line);
  if (traits == kPlain) return {};
  if (auto checked = check_bytes(line, traits); !checked || (traits & kQuoting) == 0) return checked;
  if (const auto words = text::split_words(line); !words) return tl::unexpected{located(line, words.error())};
  return {};
}

tl::expected<void, ParameterError> check(const Parameter& parameter) {
  if (const auto* line = std::get_if<std::string>(&parameter)) return check_line(*line);
  return check_arguments(std::get<Arguments>(parameter));
}

tl::expected<Arguments, ParameterError> arguments_of(const Parameter& parameter) {
  if (const auto* arguments = std::get_if<Arguments>(&parameter)) return *arguments;
  const auto& line = std::get<std::string>(parameter);
  auto words = text::split_words(line);
  if (!words) return tl::unexpected{located(line, words.error())};
  return std::move(*words);
}

tl::expected<Arguments, ParameterError> shell_words_of(const Parameter& parameter) {
  if (const auto* arguments = std::get_if<Arguments>(&parameter)) {
    Arguments words;
    for (const auto& argument : *arguments) words.push_back(text::quote(argument));
    return words;
  }
  const auto& line = std::get<std::string>(parameter);
  auto words = text::split_written_words(line);
  if (!words) return tl::unexpected{located(line, words.error())};
  for (auto& word : *words) word = text::without_oarsub_backslashes(word);
  return std::move(*words);
}

std::string quoted_parameter(const Parameter& parameter) {
  if (const auto* line = std::get_if<std::string>(&parameter)) return fmt::format("'{}'", excerpt(*line));
  std::string json;
  append_ndjson(json, parameter);
  json.pop_back();
  return excerpt(json);
}

std::string task_name(const Parameter& parameter) {
  auto arguments = arguments_of(parameter);
  return arguments && !arguments->empty() ? std::move(arguments->front()) : std::string{};
}

}  // namespace gleaner::jdl
