#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "lib/grid/campaign_type.hpp"
#include "lib/grid/checkpoint.hpp"
#include "lib/grid/given.hpp"
#include "lib/grid/id.hpp"
#include "lib/grid/needs.hpp"
#include "lib/grid/planning_facts.hpp"
#include "lib/grid/resource_request.hpp"
#include "lib/grid/time.hpp"
#include "lib/jdl/dependencies.hpp"
#include "lib/jdl/parameter.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

using grid::CampaignType;

/// Best-effort jobs run on idle resources and give way to the cluster's own jobs.
enum class JobKind { best_effort, normal };

[[nodiscard]] std::string_view name_of(JobKind kind);  ///< `best-effort`, `normal`
[[nodiscard]] std::optional<JobKind> job_kind(std::string_view name);

/// A file of parameters.
struct ParamFile {
  std::string path;  ///< as written; the client replaces `~` and `{HOME}`
  bool operator==(const ParamFile&) const = default;
};
struct Params {
  std::vector<Parameter> values;
  bool operator==(const Params&) const = default;
};
/// The greatest number of tasks of one campaign.
inline constexpr std::int64_t kMostTasks = 100'000'000;
struct Count {
  std::int64_t tasks;  ///< 0 to kMostTasks; their parameters are "0" to "tasks - 1"
  bool operator==(const Count&) const = default;
};
/// The source of the parameters; std::monostate: an option or standard input.
using ParamSource = std::variant<std::monostate, ParamFile, Params, Count>;

/// The requests of a campaign on one cluster, with defaults filled in.
struct ClusterSection : grid::PairKeys {
  std::string name;
  std::string exec_file;                  ///< for the cluster's shell, macros not expanded
  std::string exec_directory;             ///< macros not expanded
  std::string output_directory;           ///< of stdout, stderr and output_files; macros not expanded; empty: OAR's own files
  std::vector<std::string> output_files;  ///< patterns of the files that a task leaves; macros not expanded
  grid::ResourceRequest resources;        ///< of every task; empty if there is an expression
  std::string resources_expression;
  grid::Seconds walltime{};                        ///< of every task; 0 if there is an expression
  std::string walltime_expression;                 ///< its value is in seconds
  std::string memory_mb;                           ///< an expression or a number: memory that a node must have; empty: any
  std::optional<grid::Seconds> max_walltime;       ///< upper bound for raised walltimes
  std::vector<std::string> prologue;               ///< commands, run once before the first task there; macros not expanded; empty: none
  std::optional<grid::Seconds> prologue_walltime;  ///< empty: as a task's
  std::vector<std::string> epilogue;               ///< the same after the last task there
  std::optional<grid::Seconds> epilogue_walltime;
  std::string properties;  ///< OAR's `-p`, empty: none
  std::string project;
  std::vector<std::string> job_types;  ///< further OAR types (`-t`), never best-effort
  JobKind kind = JobKind::best_effort;
  Position place;  ///< of its name in the file; ignored by == and in the JSON
  bool operator==(const ClusterSection& other) const;
  /// As the user wrote them.
  [[nodiscard]] std::string resources_text() const { return resources_expression.empty() ? resources.text() : resources_expression; }
  [[nodiscard]] std::string walltime_text() const;
  /// Whether its request must be computed for each task.
  [[nodiscard]] bool has_expressions() const { return !resources_expression.empty() || !walltime_expression.empty() || !memory_mb.empty(); }
};

/// The scheduling keys of a campaign.
struct Scheduling : grid::CampaignKeys {
  std::optional<std::string> scheduler;       ///< workqueue, prediction or finalize; empty: the configuration's
  std::optional<grid::Seconds> min_duration;  ///< a task that ends sooner did nothing
  std::optional<int> max_attempts;            ///< most jobs for one task; empty: the configuration's
  std::optional<int> retries;                 ///< how often a task that failed by its own fault is run again; empty: the configuration's
  std::vector<int> retry_on;                  ///< only after these exit statuses; empty: after any
  std::optional<grid::Checkpointing> checkpoint;  ///< empty: its tasks write none
  std::optional<double> max_fails;  ///< most tasks that may fail before the campaign is paused: a whole number, or, below 1, a
                                    ///< part of its tasks; empty: any number
  std::string notify;  ///< what is sent to its user: end, none, or from which severity on; empty: as the user's subscriptions say
  bool operator==(const Scheduling&) const = default;
};

/// A checked campaign file.
struct CampaignFile {
  std::string name;
  CampaignType type = CampaignType::default_;
  std::string project;
  Scheduling scheduling;
  std::vector<Dependency> dependencies;  ///< campaigns that come first, in the order of their kinds
  bool any_cluster = false;              ///< tasks of after_each run anywhere; false: where the tasks that they come after ran
  std::vector<std::string> gives;        ///< names of numbers that its tasks give to those that come after them (grid::Given)
  grid::Given given;                     ///< numbers that tasks of after_each give, for expressions: the value where none is given
  grid::Needs needs;                     ///< consumables of the grid that each task needs
  ParamSource parameters;
  std::vector<std::string> parameter_names;  ///< for the words of a parameter, in expressions and placeholders
  bool placeholders = false;                 ///< exec_file has placeholders (lib/text/placeholders.hpp), as places or as literal braces
  bool params_shell = false;                 ///< parameters are shell text, which the tasks' shell expands
  bool replicas_allowed = false;             ///< the key replicas: a running task may get a replica on another cluster or node
  std::string input_mb;                      ///< an expression or a number: each task's input, in MB; empty: not stated
  std::vector<std::string> input_files;      ///< patterns of files beside the campaign file, `data/{1}.bin`
  std::vector<grid::CampaignId> input_from;  ///< campaigns whose outputs are among these files, below `outputs-ID/`; empty: none
  std::string input_manifest;                ///< SHA-256 of the list of these files that the grid was given; empty: none was
  std::vector<ClusterSection> clusters;      ///< at least one, names all different, in the file's order
  /// Whether a running task may get a replica, by the key or by its scheduler.
  [[nodiscard]] bool may_replicate() const { return replicas_allowed || scheduling.scheduler == "finalize"; }
  bool operator==(const CampaignFile&) const = default;
};

/// The campaign as normalized JSON, one line: all fields, in a fixed order. The parameters are kept as `param_file` and `nb_jobs` only,
/// never as `params`. `cluster_order` keeps the order of several clusters where the members of an object lose theirs, as in PostgreSQL.
[[nodiscard]] std::string to_json(const CampaignFile& campaign);
/// Reads the output of `to_json`; the error is for a log, not for a user.
[[nodiscard]] tl::expected<CampaignFile, std::string> from_json(std::string_view json);

/// The campaign as a campaign file that admission rules may change. `parse` reads it back unchanged, except for the parameters, which it
/// leaves out, and the campaign's own `project`, which each cluster states. All fields are stated, `test_mode` too.
[[nodiscard]] std::string to_jdl(const CampaignFile& campaign);
/// The campaign as a campaign file that its user can submit again, which gives the same campaign whatever the configuration is: to_jdl,
/// with `project`, `nb_jobs`, `temporal_grouping` and `params_shell`. `params` are left out.
[[nodiscard]] std::string to_campaign_text(const CampaignFile& campaign);

struct Expanded {
  std::string exec_file;
  std::string exec_directory;
  std::string output_directory;  ///< empty: not stated
  std::string prologue;          ///< a text for bash; empty: none
  std::string epilogue;          ///< the same
};
/// Replaces the macros of a section, and takes the backslash before a `$` away (text::without_oarsub_backslashes()). `{HOME}`, a lone `~`
/// and a `~/` at the start of a word become `$HOME` (CiGri 3 replaced every `~`, even within a word; here `backup~` is unchanged). In
/// exec_directory, which is one word, this applies only to its start. `{CAMPAIGN_ID}` becomes `$CIGRI_CAMPAIGN_ID` in exec_file, and the
/// number in exec_directory and output_directory. A relative output_directory is in the home. One without `{CAMPAIGN_ID}` gets the number
/// as its last part, so that no two campaigns share a folder. The commands of a script are joined by line ends. There `{CAMPAIGN_ID}`,
/// `{OAR_JOB_ID}` and `{HOME}` become variables, and the `~` of a home `$HOME`, within double quotes too.
[[nodiscard]] Expanded expand(const ClusterSection& section, grid::CampaignId campaign);
/// The output_files of a section, one a line, with names of words replaced by their places: `{mesh}` becomes `{1}`.
[[nodiscard]] std::string stored_output_files(const ClusterSection& section, const std::vector<std::string>& parameter_names);

}  // namespace gleaner::jdl
