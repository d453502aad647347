#include "runner/command/journal.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace gleaner::runner {
namespace {

constexpr std::array<std::pair<std::string_view, JournalWord>, 4> kWords{{{"start", JournalWord::start},
                                                                          {"end", JournalWord::end},
                                                                          {"duplicate", JournalWord::duplicate},
                                                                          {"unclaimed", JournalWord::unclaimed}}};

/// Takes the next word off the line.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::optional<std::int64_t> next_number(std::string_view& line, std::int64_t most) {
  const auto word = next_word(line);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && stop == word.data() + word.size();
  return whole && value >= 0 && value <= most ? std::optional{value} : std::nullopt;
}

std::optional<JournalWord> next_journal_word(std::string_view& line) {
  const auto word = next_word(line);
  for (const auto& [text, meaning] : kWords) {
    if (text == word) {
      return meaning;
    }
  }
  return std::nullopt;
}

std::optional<JournalEntry> parse_line(std::string_view line) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLastSecond = 9'000'000'000'000;
  constexpr std::int64_t kMostAttempts = 1'000'000'000;
  constexpr std::int64_t kLastStatus = 255;
  const auto date = next_number(line, kLastSecond);
  const auto word = next_journal_word(line);
  const auto task = next_number(line, kMost);
  const auto attempt = next_number(line, kMostAttempts);
  const auto job = next_number(line, kMost);
  const auto remote = next_number(line, kMost);
  if (!date || !word || !task || !attempt || !job || !remote) {
    return std::nullopt;
  }
  std::optional<int> status;
  if (*word == JournalWord::end) {
    const auto number = next_number(line, kLastStatus);
    if (!number) {
      return std::nullopt;
    }
    status = static_cast<int>(*number);
  }
  if (!next_word(line).empty()) {
    return std::nullopt;
  }
  return JournalEntry{grid::from_unix(*date),     *word, grid::TaskNumber{*task}, static_cast<int>(*attempt), grid::JobId{*job},
                      grid::RemoteJobId{*remote}, status};
}

}  // namespace

std::vector<JournalEntry> parse_journal(std::string_view text) {
  std::vector<JournalEntry> entries;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    if (auto entry = parse_line(text.substr(0, end))) {
      entries.push_back(*entry);
    }
    text.remove_prefix(end + 1);
  }
  return entries;
}

}  // namespace gleaner::runner
