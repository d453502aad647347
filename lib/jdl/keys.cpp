#include "lib/jdl/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/asked_keys.hpp"
#include "lib/jdl/dependencies.hpp"
#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/needs.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/jdl/values.hpp"

namespace gleaner::jdl {
namespace {

using grid::DependencyKind;
using stored::always;
using stored::where_stated;

CampaignFile& holder(CampaignLevel& level) { return level.file; }
ClusterSection& holder(SectionLevel& level) { return level.section; }

// Readers of the usual kinds of values:

template <auto Member, std::int64_t Least, std::int64_t Most, class Level>
void number(const Node& node, const std::string& path, Level& into, Findings& findings) {
  if (const auto value = read_integer(node, path, {Least, Most}, findings))
    stored::value_of<Member>(holder(into)) = static_cast<int>(*value);
}
/// A number with a bound of the administrator.
template <auto Member, std::int64_t Least, std::int64_t Most, auto AllowedMost>
void bounded(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  number<Member, Least, Most>(node, path, into, findings);
  check_bound(node, path, stored::value_of<Member>(into.file), into.defaults.*AllowedMost, findings);
}
template <auto Member, bool Otherwise, class Level>
void yes(const Node& node, const std::string& path, Level& into, Findings& findings) {
  stored::value_of<Member>(holder(into)) = read_yes(node, path, findings).value_or(Otherwise);
}
/// A walltime without an expression.
template <auto Member>
void walltime(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  if (const auto time = read_time(node, path, "4:00:00", findings)) into.section.*Member = *time;
}
template <auto Member>
void commands(const Node& node, const std::string& path, SectionLevel& into, Findings& findings) {
  read_commands(node, path, into.section.*Member, findings);
}
template <DependencyKind Kind>
void campaigns(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  read_dependencies(Kind, node, path, into.file.dependencies, findings);
}

// Stored forms of keys that are more than one member:

/// A text that is no valid request is an expression.
constexpr stored::StoredForm<ClusterSection> kResources{
    .write = [](text::JsonWriter& json, std::string_view name, const ClusterSection& from) { json.field(name, from.resources_text()); },
    .read =
        [](const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
          const auto asked = stored::text(value, name);
          auto resources = grid::ResourceRequest::parse(asked);
          if (resources) into.resources = std::move(*resources);
          else if (ResourceTemplate::is_one(asked)) into.resources_expression = asked;
          else throw stored::Malformed{resources.error()};
        }};
constexpr stored::StoredForm<ClusterSection> kWalltime{
    .write = [](text::JsonWriter& json, std::string_view name, const ClusterSection& from) { json.field(name, from.walltime_text()); },
    .read =
        [](const rapidjson::Value& value, std::string_view name, ClusterSection& into) {
          const auto asked = stored::text(value, name);
          if (const auto read = grid::parse_walltime(asked)) into.walltime = *read;
          else into.walltime_expression = asked;
        }};
constexpr stored::StoredForm<CampaignFile> kParamFile{
    .write = [](text::JsonWriter& json, std::string_view name,
                const CampaignFile& from) { json.field(name, std::get<ParamFile>(from.parameters).path); },
    .read = [](const rapidjson::Value& value, std::string_view name,
               CampaignFile& into) { into.parameters = ParamFile{stored::text(value, name)}; },
    .is_stated = [](const CampaignFile& file) { return std::holds_alternative<ParamFile>(file.parameters); }};
constexpr stored::StoredForm<CampaignFile> kCount{
    .write = [](text::JsonWriter& json, std::string_view name,
                const CampaignFile& from) { json.field(name, std::get<Count>(from.parameters).tasks); },
    .read =
        [](const rapidjson::Value& value, std::string_view name, CampaignFile& into) {
          if (!value.IsInt64()) throw stored::Malformed{fmt::format("'{}' is not a whole number", name)};
          into.parameters = Count{value.GetInt64()};
        },
    .is_stated = [](const CampaignFile& file) { return std::holds_alternative<Count>(file.parameters); }};

constexpr stored::StoredForm<CampaignFile> kSourceCampaigns{
    .write = [](text::JsonWriter& json, std::string_view name,
                const CampaignFile& from) { json.key(name).array(from.input_from, [&](grid::CampaignId id) { json.value(id); }); },
    .read =
        [](const rapidjson::Value& value, std::string_view name, CampaignFile& into) {
          if (!value.IsArray()) throw stored::Malformed{fmt::format("'{}' is not an array", name)};
          for (const auto& id : value.GetArray()) {
            if (!id.IsInt64()) throw stored::Malformed{fmt::format("'{}' has no campaign's number", name)};
            into.input_from.emplace_back(id.GetInt64());
          }
        },
    .is_stated = [](const CampaignFile& file) { return !file.input_from.empty(); }};

void store_dependencies(text::JsonWriter& json, DependencyKind kind, const std::vector<Dependency>& dependencies) {
  json.begin_array();
  for (const auto& dependency : dependencies) {
    if (dependency.kind == kind) std::visit([&](const auto& campaign) { json.value(campaign); }, dependency.on);
  }
  json.end_array();
}
void take_dependencies(const rapidjson::Value& value, std::string_view name, DependencyKind kind, std::vector<Dependency>& into) {
  if (!value.IsArray()) throw stored::Malformed{fmt::format("'{}' is not an array", name)};
  for (const auto& campaign : value.GetArray()) {
    // Made in its place: g++ 12, optimising, takes the text of one that is moved for uninitialised.
    auto& dependency = into.emplace_back();
    dependency.kind = kind;
    if (campaign.IsInt64()) dependency.on.emplace<grid::CampaignId>(campaign.GetInt64());
    else dependency.on.emplace<std::string>(stored::text(campaign, name));
  }
}
template <DependencyKind Kind>
constexpr stored::StoredForm<CampaignFile> kCampaigns{
    .write = [](text::JsonWriter& json, std::string_view name,
                const CampaignFile& from) { store_dependencies(json.key(name), Kind, from.dependencies); },
    .read = [](const rapidjson::Value& value, std::string_view name,
               CampaignFile& into) { take_dependencies(value, name, Kind, into.dependencies); },
    .is_stated =
        [](const CampaignFile& file) { return std::ranges::find(file.dependencies, Kind, &Dependency::kind) != file.dependencies.end(); }};

// Why a key stays as it was submitted:
constexpr std::string_view kTasksStay =
    "the tasks of a submitted campaign stay; append others (gridsub -c ID, POST /v1/campaigns/ID/tasks)";
constexpr std::string_view kTypeStays = "a campaign is a test from its submission on, or never; submit another one";
constexpr std::string_view kComputed = "the requests of its tasks were computed from it at the submission; submit another campaign";
constexpr std::string_view kOutputsStay = "what its tasks leave stays in one folder; submit another campaign";
constexpr std::string_view kScriptsStay = "scripts stay, as they may have run already; submit another campaign";
constexpr std::string_view kInputsStay = "its input files stay as they were submitted; submit another campaign";
constexpr std::string_view kOrderStays = "what it comes after stays; submit another campaign";
constexpr std::string_view kGivingStays = "other campaigns may count on what its tasks give; submit another campaign";
constexpr std::string_view kSignalStays = "its jobs were submitted with its signal; submit another campaign";

template <class Into, class Struct>
struct Key : DescribedKey {
  void (*read)(const Node&, const std::string&, Into&, Findings&);  ///< null: parse.cpp reads it
  stored::StoredForm<Struct> form;                                  ///< without `write`: it is not stored

  [[nodiscard]] constexpr Key fixed(std::string_view why) const {
    auto key = *this;
    key.why_fixed = why;
    return key;
  }
  [[nodiscard]] constexpr Key inherited() const {
    auto key = *this;
    key.is_inherited = true;
    return key;
  }
};
using CampaignKey = Key<CampaignLevel, CampaignFile>;
using ClusterKey = Key<SectionLevel, ClusterSection>;

constexpr CampaignKey campaign(std::string_view name, std::string_view value, std::string_view meaning, CampaignReader* read,
                               stored::StoredForm<CampaignFile> form = {}) {
  return {{name, DescribedKey::Level::campaign, value, meaning}, read, form};
}
constexpr ClusterKey cluster(std::string_view name, std::string_view value, std::string_view meaning, ClusterReader* read,
                             stored::StoredForm<ClusterSection> form = {}) {
  return {{name, DescribedKey::Level::cluster, value, meaning}, read, form};
}

// The table, in the order of the stored form. To add a key, add its row here, and its member to the struct in campaign_file.hpp.

constexpr std::array kCampaignKeys{
    campaign("name", "TEXT", "the name to know the campaign by", read_name),
    campaign("clusters", "OBJECT", "the campaign's clusters by name, each an object of its own keys, {} when there is nothing to say",
             nullptr),
    campaign("jobs_type", "normal", "CiGri's; there is no other type", read_jobs_type),
    campaign("campaign_priority", "PRIORITY",
             "highest, high, above-normal, normal, below-normal, low, lowest, or 1 to 7; jobs of lowest give way to all others",
             read_priority, where_stated<&Scheduling::priority>),
    campaign("scheduler", "workqueue|prediction|finalize",
             "prediction: a few jobs on each cluster first; finalize: workqueue, with replicas allowed", read_scheduler,
             where_stated<&Scheduling::scheduler>),
    campaign("min_duration", "H:M:S", "a task that ends sooner has done nothing, and the cluster is braked; 0: tasks may end at once",
             read_min_duration, where_stated<&Scheduling::min_duration>),
    campaign("max_attempts", "NUMBER", "the most jobs for one task, whoever is to blame for their ends",
             bounded<&Scheduling::max_attempts, 1, 100'000, &Defaults::most_attempts>, where_stated<&Scheduling::max_attempts>),
    campaign("retries", "NUMBER", "how often a task that failed by its own fault is run again",
             bounded<&Scheduling::retries, 0, 100'000, &Defaults::most_retries>, where_stated<&Scheduling::retries>),
    campaign("retry_on", "ARRAY", "with retries: only after these exit statuses, such as [1, 137]", read_retry_on,
             where_stated<&Scheduling::retry_on>),
    campaign("temporal_grouping", "true|false|auto", "true: short tasks share jobs; auto: once they are known to be short", read_grouping,
             where_stated<&Scheduling::grouping>),
    campaign("dimensional_grouping", "true|false", "true: a job carries out as many tasks side by side as it has cores on its node",
             read_side_by_side, where_stated<&Scheduling::side_by_side>),
    campaign("checkpoint", "OBJECT",
             "signal, period (auto or h:m:s) and cost (h:m:s) of checkpoints: tasks get the signal, and write into $CIGRI_CHECKPOINT",
             read_checkpoint, where_stated<&Scheduling::checkpoint>)
        .fixed(kSignalStays),
    campaign("max_fails", "NUMBER", "the most tasks that may fail, 50 or \"10%\"; when more have, the campaign is paused", read_max_fails,
             where_stated<&Scheduling::max_fails>),
    campaign("notify", "low|medium|high|end|none",
             "what its user's subscriptions (gridnotify) tell of it: from this severity on, its end alone, or nothing", read_notify,
             where_stated<&Scheduling::notify>),
    campaign("after", "CAMPAIGNS", "a number, a name or an array of them: it starts when all tasks of these campaigns are done",
             campaigns<DependencyKind::after>, kCampaigns<DependencyKind::after>)
        .fixed(kOrderStays),
    campaign("after_any_end", "CAMPAIGNS", "the same: it starts when these campaigns are over, whatever became of their tasks",
             campaigns<DependencyKind::after_any_end>, kCampaigns<DependencyKind::after_any_end>)
        .fixed(kOrderStays),
    campaign("after_each", "CAMPAIGNS", "the same, task by task: task 7 starts when task 7 of each of these campaigns is done",
             campaigns<DependencyKind::after_each>, kCampaigns<DependencyKind::after_each>)
        .fixed(kOrderStays),
    campaign(
        "after_each_cluster", "same|any",
        "any: tasks of after_each run on any cluster; same, or nothing: where the task that they come after ran, as its files are there",
        read_cluster_of_each, where_stated<&CampaignFile::any_cluster, stored::Word<"any">>),
    campaign("gives", "ARRAY",
             "names of numbers that each task gives to those that come after it (after_each): it writes name=number into $CIGRI_GIVES",
             read_gives, where_stated<&CampaignFile::gives>)
        .fixed(kGivingStays),
    campaign("given", "OBJECT",
             "numbers that the tasks of after_each give, for expressions, each with the value where none is given: {\"cells\": 1000}",
             read_given_key, where_stated<&CampaignFile::given>)
        .fixed(kComputed),
    campaign("needs", "OBJECT", "what each task needs of the grid's consumables, such as licences: {\"matlab\": 1}", read_needs_key,
             where_stated<&CampaignFile::needs>),
    campaign("params", "ARRAY", "the parameters, one for each task: a line, or an array of arguments", nullptr).fixed(kTasksStay),
    campaign("param_file", "FILE", "instead of params: a file with one parameter a line, on the machine that submits", nullptr, kParamFile)
        .fixed(kTasksStay),
    campaign("nb_jobs", "NUMBER", "instead of params: so many tasks, with the parameters 0 to N-1", nullptr, kCount).fixed(kTasksStay),
    campaign("parameter_names", "ARRAY", "names for the words of a parameter, for placeholders, expressions, input_files and output_files",
             read_parameter_names, where_stated<&CampaignFile::parameter_names>)
        .fixed(kComputed),
    campaign("placeholders", "true|false", "false: {1}, {} and {NAME} in exec_file are not replaced by words of the parameter",
             yes<&CampaignFile::placeholders, true>, where_stated<&CampaignFile::placeholders>),
    campaign("params_shell", "true|false", "true: parameters are shell text, which the task's shell expands, as in CiGri",
             yes<&CampaignFile::params_shell, false>, where_stated<&CampaignFile::params_shell>),
    campaign("replicas", "allowed|refused",
             "allowed: a task that runs much longer than the others may get a replica on another cluster or node", read_replicas,
             where_stated<&CampaignFile::replicas_allowed, stored::Word<"allowed">>),
    campaign("input_mb", "EXPRESSION", "MB of input of a task, which the other expressions may use; without it, that of its input_files",
             read_input_mb, where_stated<&CampaignFile::input_mb>)
        .fixed(kComputed),
    campaign("input_files", "ARRAY",
             "files beside the campaign file that tasks read, such as data/{1}.bin: in $CIGRI_INPUTS on each cluster", read_input_files,
             where_stated<&CampaignFile::input_files>)
        .fixed(kInputsStay),
    campaign("input_from", "CAMPAIGNS",
             "a campaign's number, or an array of them: gridsub fetches its outputs that input_files names, such as outputs-12/{1}.out",
             read_input_from, kSourceCampaigns)
        .fixed(kInputsStay),
};

constexpr std::array kClusterKeys{
    cluster("exec_file", "COMMAND", "the command that each task runs, with the words of its parameter appended", read_exec_file,
            always<&ClusterSection::exec_file>),
    cluster("exec_directory", "FOLDER", "the folder in which the tasks run ($HOME)", read_exec_directory,
            always<&ClusterSection::exec_directory>)
        .inherited(),
    cluster("resources", "RESOURCES", "what each job takes, such as /core=1 or /nodes=1/core=4; a count may be an expression",
            read_resources, kResources),
    cluster("resource", "RESOURCES", "CiGri's of 2009: resources", read_resource).fixed("its name is resources; write that"),
    cluster("walltime", "H:M:S", "the walltime of a task: h:m:s, a number of seconds, or an expression that gives seconds", read_walltime,
            kWalltime)
        .inherited(),
    cluster("memory_mb", "EXPRESSION", "MB that a node must have for a job", read_memory, where_stated<&ClusterSection::memory_mb>),
    cluster("max_walltime", "H:M:S", "the bound up to which the walltime of a task grows when OAR kills its job for it",
            walltime<&ClusterSection::max_walltime>, where_stated<&ClusterSection::max_walltime, stored::Walltime>)
        .inherited(),
    cluster("properties", "CONDITION", "a condition on the properties of OAR's resources", read_properties,
            always<&ClusterSection::properties>),
    cluster("project", "PROJECT", "the project that OAR counts the jobs for", read_project, always<&ClusterSection::project>),
    cluster("cluster_job_type", "TYPES", "types of OAR's jobs, such as devel, with commas between them, or an array", read_job_types,
            always<&ClusterSection::job_types>),
    cluster("output_directory", "FOLDER",
            "the folder of stdout, stderr and output files of each task; {CAMPAIGN_ID} is the campaign's number", read_output_directory,
            where_stated<&ClusterSection::output_directory>)
        .fixed(kOutputsStay)
        .inherited(),
    cluster("output_files", "ARRAY", "patterns of files that a task leaves, such as result-{TASK}.dat, which are kept there too",
            read_output_files, where_stated<&ClusterSection::output_files>)
        .fixed(kOutputsStay)
        .inherited(),
    cluster("output_destination", "FOLDER", "CiGri's: output_directory", read_output_destination).fixed(kOutputsStay),
    cluster("output_file", "PATTERN", "CiGri's: one pattern of output_files", read_output_file).fixed(kOutputsStay),
    cluster("output_gathering_method", "None|collector", "CiGri's; the files stay on their cluster, and gridget fetches them",
            read_output_gathering)
        .fixed(kOutputsStay),
    cluster("prologue", "ARRAY", "commands that run once on each cluster, before the campaign's first task there",
            commands<&ClusterSection::prologue>, where_stated<&ClusterSection::prologue>)
        .fixed(kScriptsStay)
        .inherited(),
    cluster("prologue_walltime", "H:M:S", "their walltime; without it, that of the tasks", walltime<&ClusterSection::prologue_walltime>,
            where_stated<&ClusterSection::prologue_walltime, stored::Walltime>)
        .fixed(kScriptsStay)
        .inherited(),
    cluster("epilogue", "ARRAY", "commands that run once on each cluster, after the campaign's last task there",
            commands<&ClusterSection::epilogue>, where_stated<&ClusterSection::epilogue>)
        .fixed(kScriptsStay)
        .inherited(),
    cluster("epilogue_walltime", "H:M:S", "their walltime; without it, that of the tasks", walltime<&ClusterSection::epilogue_walltime>,
            where_stated<&ClusterSection::epilogue_walltime, stored::Walltime>)
        .fixed(kScriptsStay)
        .inherited(),
    cluster("type", "best-effort|normal", "normal needs an administrator's permission", read_type, always<&ClusterSection::kind>),
    cluster("test_mode", "true|false", "true: one task on each cluster, before all other campaigns", read_test_mode).fixed(kTypeStays),
    cluster("max_jobs", "NUMBER", "the most jobs of the campaign on the cluster at a time; 0: none",
            number<&ClusterSection::max_jobs, 0, 1'000'000>, where_stated<&ClusterSection::max_jobs>),
    cluster("priority", "NUMBER", "which of the campaign's clusters goes first: the higher one",
            number<&ClusterSection::priority, -1'000'000, 1'000'000>, always<&ClusterSection::priority>),
};

template <class Keys, class Level>
bool read(const Keys& keys, const Member& member, const std::string& path, Level& into, Findings& findings) {
  const auto known = std::ranges::find(keys, member.key, &DescribedKey::name);
  if (known == keys.end()) return false;
  if (known->read != nullptr) known->read(member.value, path, into, findings);
  return true;
}

template <class Keys, class Struct>
void store(const Keys& keys, text::JsonWriter& json, const Struct& from) {
  for (const auto& key : keys) {
    if (key.form.write != nullptr && (key.form.is_stated == nullptr || key.form.is_stated(from))) key.form.write(json, key.name, from);
  }
}

template <class Keys, class Struct>
void take(const Keys& keys, const rapidjson::Value& object, Struct& into) {
  for (const auto& key : keys) {
    if (key.form.read == nullptr) continue;
    const auto found = object.FindMember(rapidjson::StringRef(key.name.data(), key.name.size()));
    if (found != object.MemberEnd()) key.form.read(found->value, key.name, into);
    else if (key.form.is_stated == nullptr) throw stored::Malformed{fmt::format("'{}' is missing", key.name)};
  }
}

}  // namespace

bool read_key(const Member& member, const std::string& path, CampaignLevel& into, Findings& findings) {
  return read(kCampaignKeys, member, path, into, findings);
}
bool read_key(const Member& member, const std::string& path, SectionLevel& into, Findings& findings) {
  return read(kClusterKeys, member, path, into, findings);
}
void store_keys(text::JsonWriter& json, const CampaignFile& file) { store(kCampaignKeys, json, file); }
void store_keys(text::JsonWriter& json, const ClusterSection& section) { store(kClusterKeys, json, section); }
void take_keys(const rapidjson::Value& object, CampaignFile& into) { take(kCampaignKeys, object, into); }
void take_keys(const rapidjson::Value& object, ClusterSection& into) { take(kClusterKeys, object, into); }

std::span<const DescribedKey> described_keys() {
  static const auto all = [] {
    std::vector<DescribedKey> keys{kCampaignKeys.begin(), kCampaignKeys.end()};
    keys.insert(keys.end(), kClusterKeys.begin(), kClusterKeys.end());
    return keys;
  }();
  return all;
}

std::vector<std::string_view> names_of_keys(DescribedKey::Level level) {
  std::vector<std::string_view> names;
  for (const auto& key : described_keys()) {
    if (key.level == level) names.push_back(key.name);
  }
  return names;
}

}  // namespace gleaner::jdl
