#include "sql/composite.hpp"

#include <algorithm>
#include <stdexcept>

namespace gleaner::sql {
namespace {

/// Whether a text needs no quotes as a field of a row. An empty one does: without quotes it is null.
bool is_plain(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.' || c == '_';
  });
}

/// Appends a field that needs quotes, inside the quotes of its row: PostgreSQL takes a backslash away twice.
void append_quoted(std::string& elements, std::string_view text) {
  elements += "\\\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') elements += "\\\\\\";
    elements += c;
  }
  elements += "\\\"";
}

}  // namespace

void append_row(std::string& elements, Parameters members) {
  if (elements.size() > 1) elements += ',';
  elements += "\"(";
  bool first = true;
  for (const auto* member : members) {
    if (!std::exchange(first, false)) elements += ',';
    const auto& text = member->text();
    if (!text) continue;
    if (is_plain(*text)) elements += *text;
    else append_quoted(elements, *text);
  }
  elements += ")\"";
}

CompositeText::CompositeText(std::string_view text) : whole_{text}, rest_{text} {
  if (!rest_.starts_with('{') || !rest_.ends_with('}')) throw unreadable();
  rest_ = rest_.substr(1, rest_.size() - 2);
}

std::logic_error CompositeText::unreadable() const { return std::logic_error{"'" + std::string{whole_} + "' is no array of rows"}; }

/// An element with a comma, a bracket or a quote in it is in quotes; a row of one column may be without.
void CompositeText::take_element() {
  row_.clear();
  const bool quoted = rest_.starts_with('"');
  std::size_t place = quoted ? 1 : 0;
  for (; place < rest_.size() && rest_[place] != (quoted ? '"' : ','); ++place) {
    if (rest_[place] == '\\' && ++place == rest_.size()) throw unreadable();
    row_ += rest_[place];
  }
  if (quoted && place++ == rest_.size()) throw unreadable();
  rest_.remove_prefix(place);
  if (rest_.empty()) return;
  if (!rest_.starts_with(',') || rest_.size() == 1) throw unreadable();
  rest_.remove_prefix(1);
}

bool CompositeText::next(std::span<std::optional<std::string_view>> fields) {
  if (rest_.empty()) return false;
  take_element();
  if (row_.size() < 2 || row_.front() != '(' || row_.back() != ')') throw unreadable();
  values_.clear();
  values_.reserve(row_.size());  // so that it does not move
  std::size_t place = 1;
  const auto last = row_.size() - 1;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const auto start = values_.size();
    const auto began = place;
    bool quoted = false;
    for (; place < last && (quoted || row_[place] != ','); ++place) {
      if (row_[place] == '"' && quoted && place + 1 < last && row_[place + 1] == '"') values_ += row_[++place];
      else if (row_[place] == '"') quoted = !quoted;
      else if (row_[place] == '\\' && ++place == last) throw unreadable();
      else values_ += row_[place];
    }
    if (place == began) fields[column] = std::nullopt;
    else fields[column] = std::string_view{values_}.substr(start);
    if (quoted || (place == last) != (column + 1 == fields.size())) throw unreadable();
    ++place;
  }
  return true;
}

}  // namespace gleaner::sql
