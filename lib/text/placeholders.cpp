#include "lib/text/placeholders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/text/numbers.hpp"

namespace gleaner::text {
namespace {

constexpr std::size_t kLongestPlace = 200;

/// Whether a literal placeholder, with its backslash, has a name instead of a number.
bool is_named(std::string_view literal) { return literal.size() > 3 && (literal[2] < '0' || literal[2] > '9'); }

/// Reads a command as far as its quotes, substitutions and brackets go.
class PlaceFinder {
 public:
  PlaceFinder(std::string_view command, std::span<const std::string> names) : command_{command}, names_{names} {}

  std::vector<Placeholder> find() {
    while (at_ < command_.size()) step();
    return std::move(found_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return at_ + ahead < command_.size() ? command_[at_ + ahead] : '\0'; }
  /// The innermost open quote or bracket; NUL: there is none.
  [[nodiscard]] char open() const { return open_.empty() ? '\0' : open_.back(); }

  void step() {
    const char letter = peek();
    if (letter == '\\') return backslash();
    if (letter == '{' && place()) return;
    if (letter == '\'' && open() != '"') return single_quotes();
    if (letter == '$' && peek(1) == '(') {
      open_.push_back('(');
      ++at_;
    } else if (letter == '"' || letter == '`') {
      open_or_close(letter);
    } else if (letter == '(' && open() != '"') {
      open_.push_back('(');
    } else if (letter == ')' && open() == '(') {
      open_.pop_back();
    }
    ++at_;
  }

  void open_or_close(char quote) {
    if (open() == quote) open_.pop_back();
    else open_.push_back(quote);
  }

  void backslash() {
    const auto place = peek(1) == '{' ? read_place(at_ + 1) : std::nullopt;
    if (place) found_.push_back({at_, place->end, place->word, open() == '"', true});
    at_ = place ? place->end : at_ + 2;
  }

  void single_quotes() {
    const auto close = command_.find('\'', at_ + 1);
    at_ = close == std::string_view::npos ? command_.size() : close + 1;
  }

  bool place() {
    if (at_ > 0 && command_[at_ - 1] == '$') return false;
    const auto place = read_place(at_);
    if (!place) return false;
    found_.push_back({at_, place->end, place->word, open() == '"', false});
    at_ = place->end;
    return true;
  }

  struct Place {
    std::size_t end;
    std::size_t word;
  };
  /// The place whose brace is there.
  [[nodiscard]] std::optional<Place> read_place(std::size_t brace) const {
    const auto text = command_.substr(brace + 1, kLongestPlace + 1);
    const auto name = text.substr(0, text.find('}'));
    if (name.size() == text.size()) return std::nullopt;
    const auto end = brace + name.size() + 2;
    if (name.empty()) return Place{end, 0};
    if (const auto named = std::ranges::find(names_, name); named != names_.end())
      return Place{end, static_cast<std::size_t>(named - names_.begin()) + 1};
    if (name.front() == '0') return std::nullopt;
    const auto number = whole_number<std::size_t>(name, std::size_t{1}, kMostPlacedWords);
    if (!number) return std::nullopt;
    return Place{end, *number};
  }

  std::string_view command_;
  std::span<const std::string> names_;
  std::size_t at_ = 0;
  std::string open_;
  std::vector<Placeholder> found_;
};

}  // namespace

std::vector<Placeholder> find_placeholders(std::string_view command, std::span<const std::string> names) {
  return PlaceFinder{command, names}.find();
}

bool has_places(std::span<const Placeholder> placeholders) {
  return std::ranges::any_of(placeholders, [](const Placeholder& one) { return !one.is_literal; });
}

std::string with_places_filled(std::string_view command, std::span<const Placeholder> placeholders,
                               const std::function<std::string(const Placeholder&)>& text_of) {
  std::string filled;
  std::size_t begin = 0;
  for (const auto& one : placeholders) {
    filled += command.substr(begin, one.begin - begin);
    if (one.is_literal) filled += command.substr(one.begin + 1, one.end - one.begin - 1);
    else filled += text_of(one);
    begin = one.end;
  }
  return filled += command.substr(begin);
}

std::string with_numbered_places(std::string_view command, std::span<const std::string> names) {
  std::string numbered;
  std::size_t begin = 0;
  for (const auto& one : find_placeholders(command, names)) {
    numbered += command.substr(begin, one.begin - begin);
    begin = one.end;
    const auto written = command.substr(one.begin, one.end - one.begin);
    if (!one.is_literal) numbered += one.word == 0 ? "{}" : fmt::format("{{{}}}", one.word);
    else numbered += is_named(written) ? written.substr(1) : written;  // a name means nothing from then on
  }
  return numbered += command.substr(begin);
}

std::string quote_within_double_quotes(std::string_view word) {
  std::string quoted;
  for (const char letter : word) {
    if (std::string_view{"$`\"\\"}.find(letter) != std::string_view::npos) quoted += '\\';
    quoted += letter;
  }
  return quoted;
}

}  // namespace gleaner::text
