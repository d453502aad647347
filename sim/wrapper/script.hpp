#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/wrapper/wrapper.hpp"

namespace gleaner::wrapper {

/// The facts of a pool, as the wrapper has them.
struct ScriptPool {
  std::string folder;
  std::int64_t duration = 0;       ///< seconds
  std::int64_t task_walltime = 0;  ///< seconds
  std::int64_t first_job = 0;
  std::int64_t jobs = 1;
  bool side_by_side = false;
};

/// The facts in the script of a launch's jobs (runner/command/command.hpp), read from its text. Words are as a shell reads them.
struct Script {
  const runner::WrapperNames* names = nullptr;  ///< of the program, in its form
  std::int64_t campaign = 0;
  std::string folder_word;   ///< of the campaign
  std::string workdir_word;  ///< of CIGRI_WORKDIR
  std::optional<ScriptPool> pool;
  bool measured = false;
  bool gives = false;
  bool shell_words = false;  ///< params_shell
  bool enters_workdir = false;
  bool opens_streams = false;
  std::string checkpoint_signal;             ///< `USR1`; empty: none
  std::string output_word;                   ///< empty: no output_directory
  std::vector<std::string> output_patterns;  ///< words
  std::vector<std::string> input_words;
};

/// The variables of a shell, and the words of the task's parameter.
class Values {
 public:
  virtual ~Values() = default;
  [[nodiscard]] virtual std::string of(std::string_view variable) const = 0;
};

/// The value of a word: quotes, backslashes, variables, and `~` at its beginning. `marked`: a backslash stands before each character of a
/// pattern that was quoted, as fnmatch(3) takes it.
enum class Quoted { plain, marked };
[[nodiscard]] std::string value_of_word(std::string_view word, const Values& values, Quoted quoted = Quoted::plain);

/// A job of the grid: the script of its launch, and the words of its parameter line.
struct Command {
  std::shared_ptr<const Script> script;
  std::vector<std::string> words;  ///< `<task> <attempt> <job> <fence> <arguments>…`
  std::optional<int> status = {};  ///< nothing begins: the program's file is missing or damaged, and bash ends with this status
};

/// Reads the command of a job as the runner submits it, and a shell has read it once. Empty: that is another command. Throws
/// std::runtime_error when the wrapper is of a form that this does not know.
class CommandReader {
 public:
  /// @param home  of the job's user, where the file of the program is
  [[nodiscard]] std::optional<Command> read(std::string_view command, const std::string& home);

 private:
  std::string last_text_;
  std::shared_ptr<const Script> last_;
  std::map<std::string, std::string> programs_;  ///< contents that were found to be whole
};

/// Empty: it is none.
[[nodiscard]] std::optional<std::string> decoded_base64(std::string_view text);
/// The arguments of a task (decode_arguments() of the wrapper), from the fifth word of its line on. Empty: they cannot be decoded.
[[nodiscard]] std::optional<std::vector<std::string>> arguments_of(const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> split_at_blanks(std::string_view text);

}  // namespace gleaner::wrapper
