#include "lib/jdl/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/suggest.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
namespace {

using Reader = void (*)(const Node&, const std::string&, SectionValues&, Findings&);

/// A walltime has digits and colons alone.
bool is_formula(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return std::isalpha(c) || c == '_' || c == '(' || c == '*'; });
}

constexpr std::size_t kLongestCommand = 64 * 1024;
constexpr std::size_t kLongestTypes = 80;  // a job's message in OAR holds them all
constexpr Bounds kMaxJobs{1, 1'000'000};
constexpr Bounds kPriority{-1'000'000, 1'000'000};

/// What OAR is given as it stands has a grammar: oarsub_words.hpp.
struct Place {
  const Node& node;
  const std::string& path;
};
void check_words(const std::string& text, std::string_view what, std::optional<std::string> (*wrong)(std::string_view), Place place, Findings& findings) {
  if (const auto why = wrong(text)) findings.add(place.node.offset, place.path, text, fmt::format("'{}' is not {}: {}", excerpt(text), what, *why));
}

void read_exec_file(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  into.exec_file = read_word(node, path, "the command that each task runs, e.g. $HOME/run.sh", findings);
  if (into.exec_file && into.exec_file->size() > kLongestCommand) {
    findings.add(node.offset, path, *into.exec_file, fmt::format("it is longer than {} kB: put it into a script on the cluster", kLongestCommand / 1024));
    into.exec_file.reset();
  }
  into.exec_file_is_wrong = !into.exec_file;
}

void read_exec_directory(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  into.exec_directory = read_word(node, path, "the folder in which the tasks run, or leave it out: $HOME", findings);
  if (into.exec_directory) check_words(*into.exec_directory, "a folder", grid::wrong_directory, {node, path}, findings);
}

void read_resources(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  const auto text = read_word(node, path, "what each task takes, e.g. /core=1 or /nodes=1/core=4", findings);
  if (!text) return;
  if (text->size() > ResourceTemplate::kLongest) {
    findings.add(node.offset, path, *text, fmt::format("'{}' is not a resource request: it is {} bytes long, and may have {}", excerpt(*text), text->size(), ResourceTemplate::kLongest));
    return;
  }
  if (ResourceTemplate::is_one(*text)) {
    into.resources_expression = *text;
    into.expressions.push_back({WrittenExpression::Kind::resources, *text, node.offset, path});
    return;
  }
  auto request = grid::ResourceRequest::parse(*text);
  if (request) into.resources = std::move(*request);
  else findings.add(node.offset, path, *text, fmt::format("'{}' is not a resource request: {}", excerpt(*text), request.error()));
}

void read_walltime(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  constexpr std::string_view kRight = "write h:m:s, e.g. 1:30:00";
  if (node.kind == NodeKind::number) {
    findings.add(node.offset, path, node.text, fmt::format("'{}' is a number without a unit; write \"h:m:s\", e.g. \"1:30:00\"", excerpt(node.text)));
    return;
  }
  const auto text = read_word(node, path, "h:m:s, e.g. 1:30:00", findings);
  if (!text) return;
  if (is_formula(*text)) {
    into.walltime_expression = *text;
    into.expressions.push_back({WrittenExpression::Kind::walltime, *text, node.offset, path});
    return;
  }
  into.walltime = grid::parse_walltime(*text);
  if (!into.walltime) findings.add(node.offset, path, *text, fmt::format("'{}' is not a walltime; {}", excerpt(*text), kRight));
}

void read_max_walltime(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  const auto text = read_word(node, path, "h:m:s, e.g. 4:00:00", findings);
  if (!text) return;
  into.max_walltime = grid::parse_walltime(*text);
  if (!into.max_walltime) findings.add(node.offset, path, *text, fmt::format("'{}' is not a walltime; write h:m:s, e.g. 4:00:00", excerpt(*text)));
}

void read_memory(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  into.memory_mb = read_expression(node, path, findings);
  if (into.memory_mb) into.expressions.push_back({WrittenExpression::Kind::memory, *into.memory_mb, node.offset, path});
}

void read_properties(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  into.properties = read_text(node, path, findings);
  if (into.properties && !into.properties->empty()) check_words(*into.properties, "a condition on resources", grid::wrong_properties, {node, path}, findings);
}

void read_project(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  into.project = read_text(node, path, findings);
  if (into.project && !into.project->empty()) check_words(*into.project, "a project", grid::wrong_project, {node, path}, findings);
}

void read_job_types(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  const auto text = read_text(node, path, findings);
  if (!text) return;
  std::vector<std::string> types;
  for (std::size_t begin = 0; begin <= text->size() && !text->empty();) {
    const auto comma = std::min(text->find(',', begin), text->size());
    const std::string type{trim(std::string_view{*text}.substr(begin, comma - begin))};
    begin = comma + 1;
    if (type.empty()) {
      findings.add(node.offset, path, *text, fmt::format("'{}' has an empty part; write for instance \"devel\" or \"devel,night\"", excerpt(*text)));
      return;
    }
    if (type == "besteffort" || type == "best-effort") {
      findings.add(node.offset, path, type, fmt::format("'{}' does not belong here; write \"type\": \"best-effort\" (it is the default)", type));
      return;
    }
    check_words(type, "a type of jobs", grid::wrong_job_type, {node, path}, findings);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  if (text->size() > kLongestTypes) findings.add(node.offset, path, *text, fmt::format("they take {} bytes together, more than the {} that OAR keeps of them", text->size(), kLongestTypes));
  into.job_types = std::move(types);
}

void read_type(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  const auto text = read_word(node, path, "best-effort or normal", findings);
  if (!text) return;
  into.kind = *text == "besteffort" ? JobKind::best_effort : job_kind(*text);
  if (into.kind) return;
  if (*text == "semi-best-effort" || *text == "nightly") {
    findings.add(node.offset, path, *text, fmt::format("'{}' is not supported by this version; write best-effort or normal", *text));
    return;
  }
  constexpr std::array<std::string_view, 2> kKinds{"best-effort", "normal"};
  const bool campaign = grid::campaign_type(*text).has_value();
  const auto hint = campaign ? std::string{"; a test campaign is said by \"test_mode\": true"} : grid::did_you_mean(*text, kKinds);
  findings.add(node.offset, path, *text, fmt::format("'{}' is not a type of jobs; write best-effort or normal{}", excerpt(*text), hint));
}

void read_test_mode(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  const auto text = node.kind == NodeKind::string ? lower(trim(node.text)) : node.text;
  const bool said = node.kind == NodeKind::boolean || node.kind == NodeKind::string;
  if (said && text == "true") into.test_mode = CampaignType::test;
  else if (said && text == "false") into.test_mode = CampaignType::default_;
  else findings.add(node.offset, path, shown(node), fmt::format("'{}' is neither true nor false", excerpt(shown(node))));
}

void read_max_jobs(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  if (const auto value = read_integer(node, path, kMaxJobs, findings)) into.max_jobs = static_cast<int>(*value);
}

void read_priority(const Node& node, const std::string& path, SectionValues& into, Findings& findings) {
  if (const auto value = read_integer(node, path, kPriority, findings)) into.priority = static_cast<int>(*value);
}

struct ClusterKey {
  std::string_view name;
  Reader read;
};
constexpr std::array kClusterKeys{
    ClusterKey{"exec_file", read_exec_file},   ClusterKey{"exec_directory", read_exec_directory}, ClusterKey{"resources", read_resources},
    ClusterKey{"walltime", read_walltime},     ClusterKey{"properties", read_properties},         ClusterKey{"project", read_project},
    ClusterKey{"cluster_job_type", read_job_types}, ClusterKey{"type", read_type},                ClusterKey{"test_mode", read_test_mode},
    ClusterKey{"max_jobs", read_max_jobs},     ClusterKey{"priority", read_priority},             ClusterKey{"memory_mb", read_memory},
    ClusterKey{"max_walltime", read_max_walltime},
};

struct UnbuiltKey {
  std::string_view name;
  std::string_view instead;  ///< what to do about it, as the end of the sentence
};
constexpr std::array kUnbuiltKeys{
    UnbuiltKey{"prologue", ""},
    UnbuiltKey{"epilogue", ""},
    UnbuiltKey{"prologue_walltime", ""},
    UnbuiltKey{"epilogue_walltime", ""},
    UnbuiltKey{"temporal_grouping", ""},
    UnbuiltKey{"dimensional_grouping", ""},
    UnbuiltKey{"temporal_grouping_batch_duration", ""},
    UnbuiltKey{"checkpointing_type", ""},
    UnbuiltKey{"checkpoint_type", ""},
    UnbuiltKey{"checkpoint_period", ""},
    UnbuiltKey{"output_gathering_method", ": each task leaves its results where its command writes them"},
    UnbuiltKey{"output_file", ": each task leaves its results where its command writes them"},
    UnbuiltKey{"output_destination", ": each task leaves its results where its command writes them"},
    UnbuiltKey{"desktop_computing", ""},
    UnbuiltKey{"data_to_transfer", ": copy the data to the clusters first"},
    UnbuiltKey{"transfer_timeout", ""},
    UnbuiltKey{"weight", ": write resources, e.g. /nodes=1/core=2"},
    UnbuiltKey{"max_duration", ""},
    UnbuiltKey{"dependencies", ""},
};

/// CiGri's values for "nothing of the kind".
bool is_neutral(const Node& node) {
  const auto text = lower(node.text);
  switch (node.kind) {
    case NodeKind::null: return true;
    case NodeKind::boolean: return text == "false";
    case NodeKind::number: return text == "0";
    case NodeKind::string: return text.empty() || text == "false" || text == "none" || text == "null" || text == "0";
    case NodeKind::array: return node.elements.empty();
    case NodeKind::object: return node.members.empty();
  }
  return false;
}

}  // namespace

std::optional<std::string> read_expression(const Node& node, const std::string& path, Findings& findings) {
  if (node.kind == NodeKind::number) return node.text;
  return read_word(node, path, "a number or an expression, e.g. 2 * input_mb", findings);
}

bool read_cluster_key(const Member& member, const std::string& path, SectionValues& into, Findings& findings) {
  const auto known = std::ranges::find(kClusterKeys, member.key, &ClusterKey::name);
  if (known == kClusterKeys.end()) return false;
  known->read(member.value, path, into, findings);
  return true;
}

const std::vector<std::string_view>& cluster_keys() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& key : kClusterKeys) all.push_back(key.name);
    return all;
  }();
  return names;
}

bool refuse_unbuilt_key(const Member& member, const std::string& path, Findings& findings) {
  const auto unbuilt = std::ranges::find(kUnbuiltKeys, member.key, &UnbuiltKey::name);
  if (unbuilt == kUnbuiltKeys.end()) return false;
  if (!is_neutral(member.value))
    findings.add(member.offset, path, shown(member.value), fmt::format("'{}' is not supported by this version{}", member.spelling, unbuilt->instead));
  return true;
}

}  // namespace gleaner::jdl
