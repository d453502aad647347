#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/tree.hpp"

/// The keys of a cluster, which the campaign may say for all of them. Not for use outside lib/jdl.
namespace gleaner::jdl {

/// An expression and where it stands; it can be checked when the whole file is read, as its names may come later.
struct WrittenExpression {
  enum class Kind { walltime, resources, memory, input } kind;
  std::string text;
  std::size_t offset;
  std::string path;
};

/// What one level of the file says; what it does not say is absent.
struct SectionValues {
  std::optional<std::string> exec_file;
  std::optional<std::string> exec_directory;
  std::optional<grid::ResourceRequest> resources;
  std::optional<std::string> resources_expression;  ///< said instead of the former
  std::optional<grid::Seconds> walltime;
  std::optional<std::string> walltime_expression;  ///< the same
  std::optional<std::string> memory_mb;
  std::optional<grid::Seconds> max_walltime;
  std::vector<WrittenExpression> expressions;  ///< all that are there, not yet checked
  std::optional<std::string> properties;
  std::optional<std::string> project;
  std::optional<std::vector<std::string>> job_types;
  std::optional<JobKind> kind;
  std::optional<CampaignType> test_mode;
  std::optional<int> max_jobs;
  std::optional<int> priority;
  bool exec_file_is_wrong = false;  ///< it is there, and its problem has been told
};

/// Reads one key, if it is one of a cluster's: the value, or what is wrong with it.
/// @return false when it is no key of a cluster
[[nodiscard]] bool read_cluster_key(const Member& member, const std::string& path, SectionValues& into, Findings& findings);

/// A number or a string that is to be an expression.
[[nodiscard]] std::optional<std::string> read_expression(const Node& node, const std::string& path, Findings& findings);

/// The keys that read_cluster_key knows.
[[nodiscard]] const std::vector<std::string_view>& cluster_keys();

/// Whether it is a field of CiGri that this version does not have: refused, unless it holds the value
/// with which CiGri does nothing.
[[nodiscard]] bool refuse_unbuilt_key(const Member& member, const std::string& path, Findings& findings);

}  // namespace gleaner::jdl
