#include "lib/jdl/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/asked_keys.hpp"
#include "lib/jdl/outputs.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/scripts.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/shell_text.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {

using namespace stored;

namespace {

using Reader = void (*)(const Node&, const std::string&, SectionLevel&, Findings&);

constexpr std::size_t kLongestCommand = 64 * 1024;
constexpr std::size_t kLongestTypes = 80;  // a job's message in OAR contains all of them

/// Text that OAR receives unchanged has a grammar: oarsub_words.hpp.
struct Place {
  const Node& node;
  const std::string& path;
};
void check_words(const std::string& text, std::string_view what, std::optional<std::string> (*wrong)(std::string_view), Place place,
                 Findings& findings) {
  if (const auto why = wrong(text))
    findings.add(place.node.offset, place.path, text, fmt::format("'{}' is not {}: {}", excerpt(text), what, *why));
}

void read_exec_file(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  into.has_exec_file = true;
  auto command = read_word(node, path, "the command that each task runs, e.g. $HOME/run.sh", findings);
  if (!command) return;
  if (command->size() > kLongestCommand)
    findings.add(node.offset, path, *command,
                 fmt::format("it is longer than {} kB: put it into a script on the cluster", kLongestCommand / 1024));
  into.section.exec_file = std::move(*command);
}

void read_exec_directory(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  auto directory = read_word(node, path, "the folder in which the tasks run, or leave it out: $HOME", findings);
  if (!directory) return;
  const auto wrong = [](std::string_view text) { return grid::wrong_exec_directory(text::without_oarsub_backslashes(text)); };
  check_words(*directory, "a folder for tasks", wrong, {node, path}, findings);
  into.section.exec_directory = std::move(*directory);
}

/// A walltime without an expression.
template <auto Member>
void read_longest(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (const auto time = read_time(node, path, "4:00:00", findings)) into.section.*Member = *time;
}

void read_memory(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto memory = read_expression(node, path, findings);
  if (!memory) return;
  into.section.memory_mb = *memory;
  into.expressions.push_back({WrittenExpression::Kind::memory, *memory, node.offset, path});
}

void read_properties(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto properties = read_text(node, path, findings);
  if (!properties) return;
  if (!properties->empty()) check_words(*properties, "a condition on resources", grid::wrong_properties, {node, path}, findings);
  into.section.properties = *properties;
}

void read_project(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto project = read_text(node, path, findings);
  if (!project) return;
  if (!project->empty()) check_words(*project, "a project", grid::wrong_project, {node, path}, findings);
  into.section.project = *project;
}

/// The types of a list with commas between them. One type of OAR has a comma itself: `timesharing=user,name`, with `*` for each word.
std::vector<std::string> split_job_types(std::string_view text) {
  constexpr std::array<std::string_view, 3> kSecond{"user", "name", "*"};
  std::vector<std::string> types;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const auto comma = std::min(text.find(',', begin), text.size());
    const auto part = trim(text.substr(begin, comma - begin));
    begin = comma + 1;
    const bool is_second = !types.empty() && types.back().starts_with("timesharing=") && types.back().find(',') == std::string::npos &&
                           std::ranges::find(kSecond, part) != kSecond.end();
    if (is_second) types.back().append(",").append(part);
    else types.emplace_back(part);
  }
  return types;
}

/// One type, of a list or an array. False: it is none, and was reported.
bool take_job_type(std::string type, const Node& node, const std::string& path, std::vector<std::string>& types, Findings& findings) {
  if (type.empty()) {
    findings.add(node.offset, path, node.text,
                 fmt::format("'{}' has an empty part; write for instance \"devel\" or \"devel,night\"", excerpt(node.text)));
    return false;
  }
  if (type == "besteffort" || type == "best-effort") {
    findings.add(node.offset, path, type,
                 fmt::format("'{}' does not belong here; write \"type\": \"best-effort\" (it is the default)", type));
    return false;
  }
  check_words(type, "a type of jobs", grid::wrong_job_type, {node, path}, findings);
  if (std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
  return true;
}

void read_job_types(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  std::vector<std::string> types;
  for (const auto& element : node.kind == NodeKind::array ? std::span{node.elements} : std::span{&node, 1}) {
    const auto text = read_text(element, path, findings);
    if (!text) return;
    // An element of an array is one type, with its commas.
    const auto parts = node.kind == NodeKind::array ? std::vector<std::string>{std::string{trim(*text)}} : split_job_types(*text);
    for (const auto& type : parts) {
      if (!take_job_type(type, element, path, types, findings)) return;
    }
  }
  std::size_t bytes = types.empty() ? 0 : types.size() - 1;
  for (const auto& type : types) bytes += type.size();
  if (bytes > kLongestTypes)
    findings.add(node.offset, path, shown(node),
                 fmt::format("they take {} bytes together, more than the {} that OAR keeps of them", bytes, kLongestTypes));
  into.section.job_types = std::move(types);
}

void read_type(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
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
  const auto hint = campaign ? std::string{"; a test campaign is declared by \"test_mode\": true"} : text::did_you_mean(*text, kKinds);
  findings.add(node.offset, path, *text, fmt::format("'{}' is not a type of jobs; write best-effort or normal{}", excerpt(*text), hint));
}

void read_test_mode(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (const auto is_test = read_yes(node, path, findings)) into.test_mode = *is_test ? CampaignType::test : CampaignType::default_;
}

template <auto Member, std::int64_t Least, std::int64_t Most>
void read_number(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (const auto value = read_integer(node, path, {Least, Most}, findings)) into.section.*Member = static_cast<int>(*value);
}

// The stored form: writers and readers.

template <auto Member>
void store(text::JsonWriter& json, std::string_view name, const ClusterSection& section) {
  json.field(name, section.*Member);
}
template <auto Member>
void take(const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
  using Value = std::remove_cvref_t<decltype(into.*Member)>;
  if constexpr (std::is_same_v<Value, std::string>) into.*Member = text(value, name);
  else into.*Member = integer(value, name);
}

void store_resources(text::JsonWriter& json, std::string_view name, const ClusterSection& section) {
  json.field(name, section.resources_text());
}
/// A text that is no valid request is an expression.
void take_resources(const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
  const auto asked = text(value, name);
  auto resources = grid::ResourceRequest::parse(asked);
  if (resources) into.resources = std::move(*resources);
  else if (ResourceTemplate::is_one(asked)) into.resources_expression = asked;
  else throw Malformed{resources.error()};
}

void store_walltime(text::JsonWriter& json, std::string_view name, const ClusterSection& section) {
  json.field(name, section.walltime_expression.empty() ? grid::format_walltime(section.walltime) : section.walltime_expression);
}
void take_walltime(const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
  const auto asked = text(value, name);
  if (const auto read = grid::parse_walltime(asked)) into.walltime = *read;
  else into.walltime_expression = asked;
}

template <auto Member>
void store_longest(text::JsonWriter& json, std::string_view name, const ClusterSection& section) {
  json.field(name, grid::format_walltime(*(section.*Member)));
}
template <auto Member>
void take_longest(const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
  const auto most = text(value, name);
  into.*Member = known(grid::parse_walltime(most), name, most);
}

template <auto Member>
void store_list(text::JsonWriter& json, std::string_view name, const ClusterSection& section) {
  json.key(name).array(section.*Member);
}
template <auto Member>
void take_list(const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
  if (!value.IsArray()) throw Malformed{fmt::format("'{}' is not an array", name)};
  for (const auto& element : value.GetArray()) (into.*Member).push_back(text(element, name));
}

void store_kind(text::JsonWriter& json, std::string_view name, const ClusterSection& section) { json.field(name, name_of(section.kind)); }
void take_kind(const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
  const auto kind = text(value, name);
  into.kind = known(job_kind(kind), name, kind);
}

/// A key of a cluster: its reader, and the writer and reader of its stored form (null: it is not stored).
struct ClusterKey {
  std::string_view name;
  Reader read;
  void (*store)(text::JsonWriter&, std::string_view name, const ClusterSection&) = nullptr;
  void (*take)(const rapidjson::Value&, std::string_view name, ClusterSection&) = nullptr;
  bool (*is_stated)(const ClusterSection&) = nullptr;  ///< null: it is always stored; otherwise only if this is true
};
template <auto Member>
bool is_stated(const ClusterSection& section) {
  if constexpr (requires { (section.*Member).empty(); }) return !(section.*Member).empty();
  else return (section.*Member).has_value();
}

// In the order of the stored form. A new key is a line here, and a member of ClusterSection.
constexpr std::array kClusterKeys{
    ClusterKey{"exec_file", read_exec_file, store<&ClusterSection::exec_file>, take<&ClusterSection::exec_file>},
    ClusterKey{"exec_directory", read_exec_directory, store<&ClusterSection::exec_directory>, take<&ClusterSection::exec_directory>},
    ClusterKey{"resources", read_resources, store_resources, take_resources},
    ClusterKey{"walltime", read_walltime, store_walltime, take_walltime},
    ClusterKey{"memory_mb", read_memory, store<&ClusterSection::memory_mb>, take<&ClusterSection::memory_mb>,
               is_stated<&ClusterSection::memory_mb>},
    ClusterKey{"max_walltime", read_longest<&ClusterSection::max_walltime>, store_longest<&ClusterSection::max_walltime>,
               take_longest<&ClusterSection::max_walltime>, is_stated<&ClusterSection::max_walltime>},
    ClusterKey{"properties", read_properties, store<&ClusterSection::properties>, take<&ClusterSection::properties>},
    ClusterKey{"project", read_project, store<&ClusterSection::project>, take<&ClusterSection::project>},
    ClusterKey{"cluster_job_type", read_job_types, store_list<&ClusterSection::job_types>, take_list<&ClusterSection::job_types>},
    ClusterKey{"output_directory", read_output_directory, store<&ClusterSection::output_directory>, take<&ClusterSection::output_directory>,
               is_stated<&ClusterSection::output_directory>},
    ClusterKey{"output_files", read_output_files, store_list<&ClusterSection::output_files>, take_list<&ClusterSection::output_files>,
               is_stated<&ClusterSection::output_files>},
    ClusterKey{"output_destination", read_output_destination},
    ClusterKey{"output_file", read_output_file},
    ClusterKey{"output_gathering_method", read_output_gathering},
    ClusterKey{"prologue", read_prologue, store_list<&ClusterSection::prologue>, take_list<&ClusterSection::prologue>,
               is_stated<&ClusterSection::prologue>},
    ClusterKey{"prologue_walltime", read_longest<&ClusterSection::prologue_walltime>, store_longest<&ClusterSection::prologue_walltime>,
               take_longest<&ClusterSection::prologue_walltime>, is_stated<&ClusterSection::prologue_walltime>},
    ClusterKey{"epilogue", read_epilogue, store_list<&ClusterSection::epilogue>, take_list<&ClusterSection::epilogue>,
               is_stated<&ClusterSection::epilogue>},
    ClusterKey{"epilogue_walltime", read_longest<&ClusterSection::epilogue_walltime>, store_longest<&ClusterSection::epilogue_walltime>,
               take_longest<&ClusterSection::epilogue_walltime>, is_stated<&ClusterSection::epilogue_walltime>},
    ClusterKey{"type", read_type, store_kind, take_kind},
    ClusterKey{"test_mode", read_test_mode},
    ClusterKey{"max_jobs", read_number<&ClusterSection::max_jobs, 0, 1'000'000>, store<&ClusterSection::max_jobs>,
               take<&ClusterSection::max_jobs>, is_stated<&ClusterSection::max_jobs>},
    ClusterKey{"priority", read_number<&ClusterSection::priority, -1'000'000, 1'000'000>, store<&ClusterSection::priority>,
               take<&ClusterSection::priority>},
};

}  // namespace

std::optional<std::string> read_expression(const Node& node, const std::string& path, Findings& findings) {
  if (node.kind == NodeKind::number) return node.text;
  return read_word(node, path, "a number or an expression, e.g. 2 * input_mb", findings);
}

bool read_cluster_key(const Member& member, const std::string& path, SectionLevel& into, Findings& findings) {
  const auto known = std::ranges::find(kClusterKeys, member.key, &ClusterKey::name);
  if (known == kClusterKeys.end()) return false;
  known->read(member.value, path, into, findings);
  return true;
}

void write_section(text::JsonWriter& json, const ClusterSection& section) {
  json.begin_object();
  for (const auto& one : kClusterKeys) {
    if (one.store != nullptr && (one.is_stated == nullptr || one.is_stated(section))) one.store(json, one.name, section);
  }
  json.end_object();
}

ClusterSection read_section(std::string name, const rapidjson::Value& value) {
  if (!value.IsObject()) throw Malformed{fmt::format("the cluster '{}' is not an object", name)};
  ClusterSection section;
  section.name = std::move(name);
  for (const auto& one : kClusterKeys) {
    if (one.take == nullptr) continue;
    const auto found = value.FindMember(rapidjson::StringRef(one.name.data(), one.name.size()));
    if (found != value.MemberEnd()) one.take(found->value, one.name, section);
    else if (one.is_stated == nullptr) throw Malformed{fmt::format("'{}' is missing", one.name)};
  }
  return section;
}

bool ClusterSection::operator==(const ClusterSection& other) const {
  const auto stored = [](const ClusterSection& section) {
    text::JsonWriter json;
    write_section(json, section);
    return json.text();
  };
  return name == other.name && stored(*this) == stored(other);
}

const std::vector<std::string_view>& cluster_keys() {
  static const auto names = [] {
    std::vector<std::string_view> all;
    for (const auto& key : kClusterKeys) all.push_back(key.name);
    return all;
  }();
  return names;
}

}  // namespace gleaner::jdl
