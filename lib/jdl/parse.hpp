#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/needs.hpp"
#include "lib/jdl/problem.hpp"

namespace gleaner::jdl {

/// Defaults for a campaign.
struct Defaults {
  std::string resources = "/core=1";
  grid::Seconds walltime{3600};
  /// From the command line; it overrides the file's `test_mode`.
  std::optional<CampaignType> type = {};
  /// The administrator's upper bound of the JDL's max_attempts; empty: unknown here.
  std::optional<int> most_attempts = {};
  /// The same of its retries.
  std::optional<int> most_retries = {};
  grid::Grouping grouping = grid::Grouping::off;
  bool params_shell = false;
  /// Unknown keys and clusters, CiGri's keys without effect, and others that are left aside: whether they are only reported.
  Doubts doubts = Doubts::reported;
};

/// The clusters that a campaign may name, and the consumables that it may need.
struct KnownClusters {
  std::vector<std::string> enabled;
  std::vector<std::string> disabled;
  std::optional<std::vector<Consumable>> consumables = {};  ///< empty: any name is right
};

/// Reads a campaign file of either form: JSON with CiGri 3's fields when its first character that
/// is neither blank nor in a `#` comment is a brace, else the classic `DEFAULT { … } cluster { … }`.
///
/// JSON. Keys of the top level are in any case, keys of a cluster in lower case. A cluster's key on the top level is the default of every
/// cluster that does not state it. Comments are those of C, C++ and the shell; `\$` is a `$`, as CiGri's users write it. The keys are those
/// of keys.cpp: name, clusters, and exec_file of each cluster are mandatory; of params, param_file and nb_jobs there is one (params leaves
/// the others aside, as in CiGri); test_mode is the same on all clusters. CiGri's fields that are not built are refused by name, or
/// reported where CiGri has no use for them either, unless they hold CiGri's neutral value. Whole numbers may be strings ("10"). A walltime
/// is `"h:m:s"`, or a number of seconds; resources may end in `,walltime=h:m:s`, as oarsub has it.
///
/// A key that is near to a known one is an error, as it is a slip; any other unknown key is reported and left aside. So is an unknown
/// cluster beside a known one.
///
/// Classic. Keys name, paramFile, nbJobs (in DEFAULT), execFile, execDir, walltime, resources,
/// priority, properties, project, type (in a cluster's section, or in DEFAULT for all), in exactly this
/// case. A value ends at the first `;` of its line, and `#` begins a comment. A value in double quotes
/// may contain both; in it `\"` is a quote and `\\` a backslash.
///
/// In a test campaign jobs are `normal` unless the file states their `type`.
///
/// @param clusters  null: any cluster name is accepted
/// @return the campaign, or all problems of the file, in the order of the text. For a text that is not JSON at all, only the first problem
/// is reported.
[[nodiscard]] tl::expected<CampaignFile, std::vector<Problem>> parse(std::string_view text, const Defaults& defaults = {},
                                                                     const KnownClusters* clusters = nullptr);

/// The same, with what was doubtful, in the order of the text.
struct Parsed {
  CampaignFile file;
  std::vector<Problem> warnings;
};
[[nodiscard]] tl::expected<Parsed, std::vector<Problem>> parse_with_warnings(std::string_view text, const Defaults& defaults = {},
                                                                             const KnownClusters* clusters = nullptr);

/// Doubts about a changed campaign that were not there before, by key and message.
[[nodiscard]] std::vector<Problem> warnings_beyond(const CampaignFile& before, std::vector<Problem> warnings);

/// Whether it is a key of a cluster, which the top level may state for all of them.
[[nodiscard]] bool is_cluster_key(std::string_view key);

}  // namespace gleaner::jdl
