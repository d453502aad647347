#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/problem.hpp"

/// The common tree of both forms of a campaign file, before its meaning is checked: values with their places. Outside lib/jdl, gridsim
/// reads its scenarios with it.
namespace gleaner::jdl {

/// Limits of a campaign file, so that its tree takes at most about 50 MB: values of any kind, keys of one object or sections, bytes of a
/// key.
inline constexpr std::size_t kMostValues = 250'000;
inline constexpr std::size_t kMostKeys = 5'000;
inline constexpr std::size_t kLongestKey = 1'000;

enum class NodeKind { null, boolean, number, string, array, object };

struct Member;
struct Node {
  NodeKind kind = NodeKind::null;
  std::size_t offset = 0;       ///< of its first character
  std::string text;             ///< a string's content; a number or boolean as written
  std::vector<Node> elements;   ///< of an array
  std::vector<Member> members;  ///< of an object, in the text's order
};

struct Member {
  std::string key;       ///< as in the JSON form: `exec_file`
  std::string spelling;  ///< as the user wrote it: `execFile`
  std::size_t offset = 0;
  Node value;
};

enum class Form { json, classic };
/// The form of a file, by its first character that is neither blank nor in a comment.
[[nodiscard]] Form form_of(std::string_view text);

/// A file as a tree: the root has the campaign's keys, including `clusters` in both forms.
struct Document {
  Form form = Form::json;
  Node root;
};

/// The problems found, by offset; their places are computed at the end, for all together.
class Findings {
 public:
  explicit Findings(Doubts doubts = Doubts::reported) : doubts_{doubts} {}

  /// Adds a problem. Only the first 300 bytes of a path are kept.
  void add(std::size_t offset, std::string path, std::string_view value, std::string message);
  /// The same for what is doubtful, and does not prevent the campaign unless doubts are refused. `consequence` ends the message otherwise.
  void doubt(std::size_t offset, std::string path, std::string_view value, std::string message, std::string_view consequence = {});
  /// The same for a key that has no effect beside another.
  void doubt_pair(std::size_t offset, std::string path, std::string_view value, std::string message);
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::size_t count() const { return found_.size() + left_out_; }
  /// There are more problems than will be reported: further checks are useless.
  [[nodiscard]] bool is_full() const;
  /// In the order of the text. If there are very many, the first thousand and a note on the others.
  [[nodiscard]] std::vector<Problem> problems(std::string_view text) const { return placed(found_, left_out_, text); }
  /// The doubts, if they are not among the problems, in the same form.
  [[nodiscard]] std::vector<Problem> warnings(std::string_view text) const { return placed(doubtful_, 0, text); }

 private:
  struct Finding {
    std::size_t offset;
    Problem problem;
  };
  void keep_doubt(std::size_t offset, std::string path, std::string_view value, std::string message);
  static void keep(std::vector<Finding>& found, std::size_t& left_out, Finding finding);
  static std::vector<Problem> placed(const std::vector<Finding>& found, std::size_t left_out, std::string_view text);

  Doubts doubts_;
  std::vector<Finding> found_;
  std::size_t left_out_ = 0;
  std::vector<Finding> doubtful_;
};

/// Reads JSON, in which there may be comments. Stops at the first error of syntax, or at a limit. `shape` is the message for a text that is
/// JSON, but no object.
[[nodiscard]] Document read_json(std::string_view text, Findings& findings,
                                 std::string_view shape = "a campaign is an object: { \"name\": …, \"clusters\": { … } }",
                                 std::size_t most_values = kMostValues);
/// A JSON array or object inside of another text.
struct BracketedValue {
  std::optional<Node> node;  ///< none: it is wrong, as the findings say
  std::size_t end;           ///< the place behind it, or where it should have ended
  std::size_t values;        ///< in it
};
/// Reads the one that begins at `at` with '[' or '{'.
[[nodiscard]] BracketedValue read_bracketed(std::string_view text, std::size_t at, const std::string& path, Findings& findings,
                                            std::size_t most_values);
/// Reads the classic form. Continues after each invalid line.
[[nodiscard]] Document read_classic(std::string_view text, Findings& findings);

/// The name of a key in messages: `clusters.alpha.walltime`, `alpha.walltime`, `DEFAULT.name`.
[[nodiscard]] std::string campaign_path(Form form, std::string_view spelling);
[[nodiscard]] std::string cluster_path(Form form, std::string_view cluster, std::string_view spelling);

}  // namespace gleaner::jdl
