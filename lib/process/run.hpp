#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/grid/time.hpp"
#include "lib/process/config.hpp"
#include "lib/process/exit_code.hpp"

namespace gleaner::process {

/// Checks a value of a configuration key: returns the right form, or empty when the value is right.
using Check = std::function<std::optional<std::string>(std::string_view value)>;

/// A configuration key that a program uses: its --help lists it, its command line accepts it. If `choices` (the names of a table of
/// policies) or a check is set, all other values are refused.
struct Use {
  Use(const char* used_key) : key{used_key} {}
  Use(std::string_view used_key, std::vector<std::string_view> known) : key{used_key}, choices{std::move(known)} {}
  Use(std::string_view used_key, Check checked) : key{used_key}, check{std::move(checked)} {}
  std::string_view key;
  std::vector<std::string_view> choices{};
  Check check{};
};

/// An option of one program: `{"once", "", "run one cycle and end"}` is a switch, `{"file,f", "FILE", "the campaign"}` has a value (and may
/// be repeated: see Arguments::all). With `implicit`, the value may be left out (`--watch` or `--watch=2s`).
struct ProgramOption {
  std::string_view name;
  std::string_view value;
  std::string_view help;
  std::optional<std::string_view> implicit{};
};

/// A command of a program that has several: `cluster add`.
struct ProgramCommand {
  std::string_view words;
  std::string_view arguments;  ///< `NAME URL`; [X] is optional
  std::string_view purpose;
  std::vector<std::string_view> options{};  ///< of the program's options, those that this command takes besides the forms of output
};

/// A manual page that the program prints besides its own.
struct ProgramPage {
  std::string_view form;  ///< what --describe calls it
  std::string (*page)();
};

/// The effect of SIGINT and SIGTERM: daemons finish the present step, clients end at once.
enum class Interruption { requests_stop, ends_program };

struct Program {
  std::string_view name;
  std::string_view purpose;              ///< one line of --help
  std::vector<Use> keys;                 ///< configuration keys; log_level and log_file are added, and with database its limits
  std::vector<ProgramOption> options{};  ///< options of its own
  std::string_view positional{};         ///< `ID...`, as --help shows it; empty: positional arguments are refused
  Interruption interruption = Interruption::requests_stop;
  std::string_view notes{};  ///< more text at the end of --help
  /// A program without keys can ignore the file and the environment, even wrong ones.
  enum class Configuration { used, ignored } configuration = Configuration::used;
  /// A module: its conductor may keep it between cycles, and `body` then runs once a turn (see lib/process/turns.hpp).
  bool takes_turns = false;
  std::vector<ProgramCommand> commands{};
  int section = 1;  ///< of its manual page: 1 for users, 8 for administrators
  std::vector<ProgramPage> pages{};
};

/// The values of the command line, without the configuration.
class Arguments {
 public:
  std::map<std::string, std::vector<std::string>, std::less<>> options;  ///< by long name
  std::vector<std::string> positional;

  [[nodiscard]] bool has(std::string_view name) const { return options.contains(name); }
  /// The last value of an option; empty: not set.
  [[nodiscard]] std::optional<std::string> value(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all(std::string_view name) const;
};

struct Context {
  Config config;
  grid::Instant now;                 ///< when the program, or its turn, started
  std::optional<std::int64_t> term;  ///< the lease's term for this turn; empty: none was passed
  Arguments arguments;
};

/// The result of a body: a summary for the log, or a code and a message for stderr.
struct Outcome {
  Outcome(std::string summary) : message{std::move(summary)} {}
  Outcome(const char* summary) : message{summary} {}
  Outcome(ExitCode exit_code, std::string text = {}) : code{exit_code}, message{std::move(text)} {}
  ExitCode code = ExitCode::ok;
  std::string message;
  bool is_idle = false;  ///< nothing was to be done: the summary is logged for the level debug alone
};
/// The outcome of a module's turn, by its counts.
template <class Counts>
[[nodiscard]] Outcome turn_outcome(const Counts& counts) {
  Outcome outcome{counts.summary()};
  outcome.is_idle = counts.is_idle();
  return outcome;
}
using Body = std::function<Outcome(const Context&)>;

/// The frame of every program: reads its options (--help, --version, --config, --describe, the keys it uses, its own), sets up the log and
/// the signals (SIGPIPE ignored, standard streams that are closed occupied), runs `body`, and returns the exit code. A summary is logged as
/// the event "done"; a message with another code goes to stderr. An Error ends the program with its code, grid::Unavailable with
/// `unavailable`, any other exception with `failure`. Programs that `body` starts use the same configuration: the command line's keys and
/// the file are put into the environment. A kept module reads its options anew in each turn, waits for the next turn after the result `ok`,
/// and exits after any other.
int run(const Program& program, int argc, char** argv, const Body& body);

}  // namespace gleaner::process
