#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/process/config.hpp"
#include "lib/process/run.hpp"

namespace gleaner::process {

/// One line of the table of options.
struct Option {
  /// Conversions between a text and the member of Config.
  struct Codec {
    /// Reads the text; returns the right form when the text is wrong.
    std::optional<std::string> (*read)(std::string_view text, Config& into);
    std::string (*write)(const Config& config);
  };
  enum class Scope {
    host,     ///< absent in simulations: processes, hosts, networks, users of the API, brakes, clusters under stress
    plan,     ///< affects campaigns: carried by GET /v1/scenario, simulated by gridsim and --what-if
    planner,  ///< the same, for a member of grid::PlannerConfig, which the metascheduler reads too
  };

  std::string_view key;
  std::string_view type;      ///< as --help shows it: DURATION, NUMBER, FILE ...
  std::string_view fallback;  ///< the default, as a user would write it
  std::string_view help;      ///< one line
  Codec value;
  Scope scope;

  /// Whether the option has a meaning in a simulation.
  [[nodiscard]] constexpr bool is_simulated() const { return scope != Scope::host; }
};

/// All options, in the order of packaging/gleaner.conf.
[[nodiscard]] std::span<const Option> options();
[[nodiscard]] const Option* find_option(std::string_view key);
[[nodiscard]] std::vector<std::string_view> option_keys();

/// A value as it was written, and its source (`--flood`, `GLEANER_FLOOD`, `/etc/gleaner.conf:12`).
struct Given {
  std::string value;
  std::string origin;
};
using GivenOptions = std::map<std::string, Given, std::less<>>;

/// All errors together, one line each, ready to print.
using Complaints = std::vector<std::string>;

/// Reads `key = value` lines; `#` begins a comment, on a line of its own or after a blank. Lines that are wrong are added to the
/// complaints, and left out.
[[nodiscard]] GivenOptions read_file(const std::filesystem::path& file, Complaints& complaints);

/// Reads the GLEANER_* variables of an environment (`NAME=value` entries). Those with another meaning (GLEANER_CONFIG, GLEANER_TURNS ...)
/// are skipped, unknown ones are added to the complaints.
[[nodiscard]] GivenOptions read_environment(char** environment, Complaints& complaints);

/// Checks every value and builds the configuration. The first source has precedence, defaults come last. `uses` are the keys of the
/// program, whose choices are checked too.
[[nodiscard]] tl::expected<Config, Complaints> build_config(std::span<const GivenOptions> sources, std::span<const Use> uses);

/// The configuration of defaults only, without any file or environment.
[[nodiscard]] Config default_config();

/// Whether a conninfo or URI holds a password.
[[nodiscard]] bool holds_password(std::string_view database);

/// Finds the configuration file: `asked`, $GLEANER_CONFIG, the user's, the machine's; empty: none exists. If `asked` does not exist, it is
/// an error.
[[nodiscard]] tl::expected<std::optional<std::filesystem::path>, Complaints> find_config_file(const std::optional<std::string>& asked);

}  // namespace gleaner::process
