#include "lib/terminal/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "lib/process/exit_code.hpp"
#include "lib/process/standard_streams.hpp"
#include "lib/terminal/text.hpp"
#include "lib/text/csv.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::terminal {
namespace {

constexpr std::size_t kLeastColumn = 6;
constexpr std::size_t kLeastWidth = 20;
constexpr std::size_t kMostWidth = 10'000;

std::string shown(const Cell& cell) { return printable(cell.shown.empty() ? text_of(cell.value) : cell.shown); }

struct Layout {
  std::vector<std::size_t> columns;  ///< those shown to people
  std::vector<std::size_t> widths;
};

/// Whether a cell shows nothing, or by `-` that there is nothing to show.
bool is_empty(const Cell& cell) {
  const bool has_value = !std::holds_alternative<std::monostate>(cell.value);
  return shown(cell).find_first_not_of(has_value ? " " : " -") == std::string::npos;
}

bool is_empty(const Table& table, std::size_t column) {
  return !table.rows.empty() && std::ranges::all_of(table.rows, [&](const auto& row) { return is_empty(row[column]); });
}

Layout natural_layout(const Table& table) {
  Layout layout;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].title.empty() || is_empty(table, c)) continue;
    auto width = display_width(table.columns[c].title);
    for (const auto& row : table.rows) width = std::max(width, display_width(shown(row[c])));
    layout.columns.push_back(c);
    layout.widths.push_back(width);
  }
  return layout;
}

std::size_t total_width(const Layout& layout) {
  std::size_t total = layout.widths.empty() ? 0 : 2 * (layout.widths.size() - 1);
  for (const auto width : layout.widths) total += width;
  return total;
}

/// Narrows the widest of the columns that shrink so, until the line fits.
void shrink(Layout& layout, const Table& table, Shrink which, std::size_t screen_width) {
  auto excess = total_width(layout) > screen_width ? total_width(layout) - screen_width : 0;
  while (excess > 0) {
    std::size_t widest = layout.widths.size();
    for (std::size_t i = 0; i < layout.widths.size(); ++i) {
      const bool may = table.columns[layout.columns[i]].shrink == which && layout.widths[i] > kLeastColumn;
      if (may && (widest == layout.widths.size() || layout.widths[i] > layout.widths[widest])) widest = i;
    }
    if (widest == layout.widths.size()) return;
    --layout.widths[widest];
    --excess;
  }
}

/// The width when columns are as narrow as they can be before those of `which` go.
std::size_t least_width(const Layout& layout, const Table& table, Shrink which) {
  auto width = total_width(layout);
  for (std::size_t i = 0; i < layout.widths.size(); ++i) {
    const auto how = table.columns[layout.columns[i]].shrink;
    if (how == Shrink::when_needed || (how == Shrink::last && which == Shrink::left_out_last))
      width -= layout.widths[i] - std::min(layout.widths[i], kLeastColumn);
  }
  return width;
}

/// Leaves out such columns, from the right, until the others fit.
void leave_out(Layout& layout, const Table& table, Shrink which, std::size_t screen_width) {
  for (auto i = layout.columns.size(); i-- > 0 && least_width(layout, table, which) > screen_width;) {
    if (table.columns[layout.columns[i]].shrink != which) continue;
    layout.columns.erase(layout.columns.begin() + static_cast<std::ptrdiff_t>(i));
    layout.widths.erase(layout.widths.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::string fitted(const std::string& text, std::size_t width, Align align) {
  const auto cut = shorten(text, width);
  return align == Align::right ? pad_left(cut, width) : pad_right(cut, width);
}

void finish_line(std::string& text, std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  text += line + "\n";
}

struct WriteValue {
  text::JsonWriter& json;
  void operator()(std::monostate) const { json.null(); }
  void operator()(const auto& value) const { json.value(value); }
};

void print(std::string_view text, const std::string& done) {
  const int error = process::write_to_stdout(text);
  if (error == 0) return;
  // As SIGPIPE would, the program ends without a word when nobody reads on (`| head`).
  const bool is_unread = error == EPIPE && done.empty();
  throw process::Error{
      process::ExitCode::not_written,
      is_unread ? std::string{} : fmt::format("{}{}stdout cannot be written: {}", done, done.empty() ? "" : "; ", std::strerror(error))};
}

class Reporting : public Output {
 public:
  using Output::Output;
  void report(std::string_view line) override { process::write_to_stderr(fmt::format("{}\n", line)); }
};

class Human final : public Reporting {
 public:
  Human() : Reporting{STDOUT_FILENO} {}
  void show(const Answer& answer) override { print(answer.text.empty() ? render_human(answer.table, screen()) : answer.text, answer.done); }
};

class JsonForm final : public Reporting {
 public:
  void show(const Answer& answer) override { print((answer.json.empty() ? render_json(answer.table) : answer.json) + "\n", answer.done); }
};

class Csv final : public Reporting {
 public:
  void show(const Answer& answer) override { print(render_csv(answer.table), answer.done); }
};

class Quiet final : public Output {
 public:
  void show(const Answer& answer) override {
    std::string text;
    for (const auto& id : answer.ids) text += id + "\n";
    print(text, answer.done);
  }
  void report(std::string_view) override {}
};

}  // namespace

// Not inline: g++ 12 reports uninitialized strings in variants without any.
Cell::Cell(Value content) : value{std::move(content)} {}
Cell::Cell(Value content, std::string text, Ink colour) : value{std::move(content)}, shown{std::move(text)}, ink{colour} {}

void Output::pass_on(std::string_view bytes) { print(bytes, {}); }

std::string text_of(const Value& value) {
  struct Write {
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool is) const { return is ? "yes" : "no"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{:g}", number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Write{}, value);
}

Screen screen_of(int descriptor) {
  Screen screen;
  screen.is_terminal = ::isatty(descriptor) == 1;
  winsize size{};
  if (screen.is_terminal && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kLeastWidth) screen.width = size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const auto asked = text::whole_number<std::size_t>(columns != nullptr ? columns : "", kLeastWidth, kMostWidth);
  if (asked) screen.width = *asked;
  screen.is_limited = screen.is_terminal || asked.has_value();
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_dumb = terminal == nullptr || std::string_view{terminal} == "dumb";
  screen.has_colour = screen.is_terminal && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
  return screen;
}

std::string painted(Ink ink, std::string_view text, const Screen& screen) {
  const bool is_blank = text.find_first_not_of(' ') == std::string_view::npos;
  if (!screen.has_colour || ink == Ink::plain || is_blank) return std::string{text};
  const auto code = [&] {
    switch (ink) {
      case Ink::good: return "32";
      case Ink::bad: return "31";
      case Ink::warm: return "33";
      case Ink::faint: return "2";
      case Ink::strong: return "1";
      case Ink::plain: break;
    }
    return "0";
  }();
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string Output::paint(Ink ink, std::string_view text) const { return painted(ink, text, screen()); }

std::string render_human(const Table& table, const Screen& screen) {
  if (table.rows.empty() && !table.when_empty.empty()) return table.when_empty + "\n";
  auto layout = natural_layout(table);
  if (screen.is_limited) {
    leave_out(layout, table, Shrink::left_out_first, screen.width);
    leave_out(layout, table, Shrink::left_out, screen.width);
    leave_out(layout, table, Shrink::left_out_last, screen.width);
    shrink(layout, table, Shrink::when_needed, screen.width);
    shrink(layout, table, Shrink::last, screen.width);
  }
  std::string text;
  std::string head;
  std::string rule;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const auto& column = table.columns[layout.columns[i]];
    head += (i > 0 ? "  " : "") + fitted(column.title, layout.widths[i], column.align);
    rule += (i > 0 ? "  " : "") + std::string(layout.widths[i], '-');
  }
  if (table.heading == Heading::shown) {
    finish_line(text, head);
    finish_line(text, rule);
  }
  for (const auto& row : table.rows) {
    std::string line;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const auto& cell = row[layout.columns[i]];
      line +=
          (i > 0 ? "  " : "") + painted(cell.ink, fitted(shown(cell), layout.widths[i], table.columns[layout.columns[i]].align), screen);
    }
    finish_line(text, line);
  }
  return text;
}

std::string render_csv(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.columns.size() && table.heading == Heading::shown; ++c)
    text += (c > 0 ? "," : "") + text::csv_field(table.columns[c].key);
  if (table.heading == Heading::shown) text += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) text += (c > 0 ? "," : "") + text::csv_field(text_of(row[c].value));
    text += "\n";
  }
  return text;
}

std::string render_json(const Table& table) {
  text::JsonWriter json;
  json.begin_object().key("items").array(table.rows, [&](const std::vector<Cell>& row) {
    json.begin_object();
    for (std::size_t c = 0; c < row.size(); ++c) {
      json.key(table.columns[c].key);
      std::visit(WriteValue{json}, row[c].value);
    }
    json.end_object();
  });
  return json.end_object().text();
}

std::string bar(double fraction, std::size_t columns) {
  if (columns < 3) return {};
  const auto inside = columns - 2;
  const auto clamped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0.0;
  auto full = static_cast<std::size_t>(std::floor(clamped * static_cast<double>(inside)));
  if (full == inside && clamped < 1.0) --full;
  return "[" + std::string(full, '#') + std::string(inside - full, ' ') + "]";
}

std::unique_ptr<Output> make_output(Form form) {
  switch (form) {
    case Form::json: return std::make_unique<JsonForm>();
    case Form::csv: return std::make_unique<Csv>();
    case Form::quiet: return std::make_unique<Quiet>();
    case Form::human: break;
  }
  return std::make_unique<Human>();
}

}  // namespace gleaner::terminal
