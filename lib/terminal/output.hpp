#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A command's answer, as data, and its renderings. Data goes to stdout, messages to stderr.
namespace gleaner::terminal {

enum class Ink { plain, good, bad, warm, faint, strong };

using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// A value, and its form for people when that differs.
struct Cell {
  Cell() = default;
  Cell(Value content);
  Cell(Value content, std::string text, Ink colour = Ink::plain);
  Value value;
  std::string shown{};
  Ink ink = Ink::plain;
};

enum class Align { left, right };
/// When a column gets narrower than its texts on a narrow terminal; `last`: when the others cannot. Before that, columns that are
/// `left_out_first` go, then those that are `left_out`; `left_out_last`: when narrow columns do not help. Each from the right.
enum class Shrink { never, when_needed, last, left_out_first, left_out, left_out_last };

struct Column {
  std::string key;    ///< in JSON and CSV
  std::string title;  ///< for people; empty: only in JSON and CSV
  Align align = Align::left;
  Shrink shrink = Shrink::never;
};

enum class Heading { shown, left_out };

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string when_empty{};  ///< text for people when there are no rows
  Heading heading = Heading::shown;
};

/// A command's answer; each form uses the parts that it needs.
struct Answer {
  Table table{};                   ///< for CSV, and for people unless there is `text`
  std::string text{};              ///< for people, with its line ends
  std::string json{};              ///< the whole document; empty: {"items": the table}
  std::vector<std::string> ids{};  ///< for quiet, one a line
  std::string done{};              ///< what the command has changed, for stderr when stdout cannot be written; empty: nothing
};

enum class Form { human, json, csv, quiet };

/// The destination of the output.
struct Screen {
  std::size_t width = 80;
  bool is_terminal = false;
  bool has_colour = false;
  bool is_limited = true;  ///< tables and names fit the width; false in a pipe, whose reader takes lines of any length
};
/// The properties of stdout or stderr now; COLUMNS, NO_COLOR and TERM=dumb are respected.
[[nodiscard]] Screen screen_of(int descriptor);

class Output {
 public:
  virtual ~Output() = default;
  /// Writes data to stdout. Throws process::Error (not_written) when it cannot be written: the message says what was done all the same. It
  /// is empty if nothing was done and nobody reads stdout any more.
  virtual void show(const Answer& answer) = 0;
  /// Writes bytes to stdout as they are. Throws as show().
  static void pass_on(std::string_view bytes);
  /// Writes a line for the user to stderr.
  virtual void report(std::string_view line) = 0;

  /// The destination as it is now: a terminal may be resized at any time.
  [[nodiscard]] Screen screen() const { return descriptor_ ? screen_of(*descriptor_) : Screen{}; }
  /// The text in a colour, if the destination has colours.
  [[nodiscard]] std::string paint(Ink ink, std::string_view text) const;

 protected:
  Output() = default;
  explicit Output(int descriptor) : descriptor_{descriptor} {}

 private:
  std::optional<int> descriptor_{};  ///< empty: the output is not for people
};

[[nodiscard]] std::unique_ptr<Output> make_output(Form form);

/// Renderings as text, for the forms and their tests. For people, columns without any content are left out.
[[nodiscard]] std::string render_human(const Table& table, const Screen& screen);
[[nodiscard]] std::string render_csv(const Table& table);
[[nodiscard]] std::string render_json(const Table& table);
[[nodiscard]] std::string painted(Ink ink, std::string_view text, const Screen& screen);
/// A value's form in CSV and for people.
[[nodiscard]] std::string text_of(const Value& value);

/// `[#####     ]`, with so many columns in all.
[[nodiscard]] std::string bar(double fraction, std::size_t columns);

}  // namespace gleaner::terminal
