#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/resource_template.hpp"

namespace gleaner::jdl {
namespace {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

rapidjson::SizeType size(std::string_view text) { return static_cast<rapidjson::SizeType>(text.size()); }
void key(JsonWriter& writer, std::string_view name) { writer.Key(name.data(), size(name)); }
void write(JsonWriter& writer, std::string_view text) { writer.String(text.data(), size(text)); }
void write(JsonWriter& writer, std::string_view name, std::string_view text) {
  key(writer, name);
  write(writer, text);
}

void write_section(JsonWriter& writer, const ClusterSection& section) {
  key(writer, section.name);
  writer.StartObject();
  write(writer, "exec_file", section.exec_file);
  write(writer, "exec_directory", section.exec_directory);
  write(writer, "resources", section.resources_text());
  write(writer, "walltime", section.walltime_expression.empty() ? grid::format_walltime(section.walltime) : section.walltime_expression);
  if (!section.memory_mb.empty()) write(writer, "memory_mb", section.memory_mb);
  if (section.max_walltime) write(writer, "max_walltime", grid::format_walltime(*section.max_walltime));
  write(writer, "properties", section.properties);
  write(writer, "project", section.project);
  key(writer, "cluster_job_type");
  writer.StartArray();
  for (const auto& type : section.job_types) write(writer, type);
  writer.EndArray();
  write(writer, "type", name_of(section.kind));
  if (section.max_jobs) {
    key(writer, "max_jobs");
    writer.Int(*section.max_jobs);
  }
  key(writer, "priority");
  writer.Int(section.priority);
  writer.EndObject();
}

/// Reads what was written, and throws at what was not: from_json makes one error of it.
struct Malformed {
  std::string what;
};

const rapidjson::Value& member(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd()) throw Malformed{fmt::format("'{}' is missing", name)};
  return found->value;
}

std::string text(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsString()) throw Malformed{fmt::format("'{}' is not a string", name)};
  return {value.GetString(), value.GetStringLength()};
}

std::string text_member(const rapidjson::Value& object, const char* name) { return text(member(object, name), name); }

int integer(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsInt()) throw Malformed{fmt::format("'{}' is not a whole number", name)};
  return value.GetInt();
}

template <class T>
T known(std::optional<T> value, std::string_view name, std::string_view said) {
  if (!value) throw Malformed{fmt::format("'{}' of '{}' is unknown", said, name)};
  return *std::move(value);
}

/// An expression is what is neither a request nor a walltime.
void read_asked(const rapidjson::Value& value, ClusterSection& section) {
  const auto asked = text_member(value, "resources");
  auto resources = grid::ResourceRequest::parse(asked);
  if (resources) section.resources = std::move(*resources);
  else if (ResourceTemplate::is_one(asked)) section.resources_expression = asked;
  else throw Malformed{resources.error()};
  const auto walltime = text_member(value, "walltime");
  if (const auto read = grid::parse_walltime(walltime)) section.walltime = *read;
  else section.walltime_expression = walltime;
  if (value.HasMember("memory_mb")) section.memory_mb = text_member(value, "memory_mb");
  if (!value.HasMember("max_walltime")) return;
  const auto most = text_member(value, "max_walltime");
  section.max_walltime = known(grid::parse_walltime(most), "max_walltime", most);
}

ClusterSection read_section(std::string name, const rapidjson::Value& value) {
  if (!value.IsObject()) throw Malformed{fmt::format("the cluster '{}' is not an object", name)};
  ClusterSection section;
  section.name = std::move(name);
  section.exec_file = text_member(value, "exec_file");
  section.exec_directory = text_member(value, "exec_directory");
  read_asked(value, section);
  section.properties = text_member(value, "properties");
  section.project = text_member(value, "project");
  const auto& types = member(value, "cluster_job_type");
  if (!types.IsArray()) throw Malformed{"'cluster_job_type' is not an array"};
  for (const auto& type : types.GetArray()) section.job_types.push_back(text(type, "cluster_job_type"));
  const auto kind = text_member(value, "type");
  section.kind = known(job_kind(kind), "type", kind);
  if (value.HasMember("max_jobs")) section.max_jobs = integer(member(value, "max_jobs"), "max_jobs");
  section.priority = integer(member(value, "priority"), "priority");
  return section;
}

/// What is taken for an expression is one.
void check_expressions(const CampaignFile& campaign) {
  const auto names = expression_names(campaign.parameter_names, !campaign.input_mb.empty());
  const auto check = [&](const std::string& text) {
    if (text.empty()) return;
    if (const auto read = Expression::compile(text, names); !read) throw Malformed{fmt::format("'{}': {}", text, read.error())};
  };
  for (const auto& section : campaign.clusters) {
    check(section.walltime_expression);
    check(section.memory_mb);
    if (section.resources_expression.empty()) continue;
    if (const auto read = ResourceTemplate::compile(section.resources_expression, names); !read) throw Malformed{read.error()};
  }
}

CampaignFile read_campaign(const rapidjson::Value& root) {
  if (!root.IsObject()) throw Malformed{"it is not an object"};
  CampaignFile campaign;
  campaign.name = text_member(root, "name");
  const auto type = text_member(root, "campaign_type");
  campaign.type = known(grid::campaign_type(type), "campaign_type", type);
  campaign.project = text_member(root, "project");
  if (root.HasMember("campaign_priority")) campaign.scheduling.priority = integer(member(root, "campaign_priority"), "campaign_priority");
  if (root.HasMember("scheduler")) campaign.scheduling.scheduler = text_member(root, "scheduler");
  if (root.HasMember("min_duration")) campaign.scheduling.min_duration = grid::Seconds{integer(member(root, "min_duration"), "min_duration")};
  if (root.HasMember("max_attempts")) campaign.scheduling.max_attempts = integer(member(root, "max_attempts"), "max_attempts");
  if (root.HasMember("param_file")) campaign.parameters = ParamFile{text_member(root, "param_file")};
  if (root.HasMember("nb_jobs")) {
    const auto& count = member(root, "nb_jobs");
    if (!count.IsInt64()) throw Malformed{"'nb_jobs' is not a whole number"};
    campaign.parameters = Count{count.GetInt64()};
  }
  if (root.HasMember("parameter_names")) {
    const auto& names = member(root, "parameter_names");
    if (!names.IsArray()) throw Malformed{"'parameter_names' is not an array"};
    for (const auto& name : names.GetArray()) campaign.parameter_names.push_back(text(name, "parameter_names"));
  }
  if (root.HasMember("replicas")) campaign.replicas_allowed = text_member(root, "replicas") == "allowed";
  if (root.HasMember("input_mb")) campaign.input_mb = text_member(root, "input_mb");
  const auto& clusters = member(root, "clusters");
  if (!clusters.IsObject()) throw Malformed{"'clusters' is not an object"};
  for (const auto& cluster : clusters.GetObject())
    campaign.clusters.push_back(read_section(text(cluster.name, "clusters"), cluster.value));
  check_expressions(campaign);
  return campaign;
}

}  // namespace

std::string to_json(const CampaignFile& campaign) {
  rapidjson::StringBuffer buffer;
  JsonWriter writer{buffer};
  writer.StartObject();
  write(writer, "name", campaign.name);
  write(writer, "campaign_type", name_of(campaign.type));
  write(writer, "project", campaign.project);
  if (campaign.scheduling.priority != Scheduling{}.priority) {
    key(writer, "campaign_priority");
    writer.Int(campaign.scheduling.priority);
  }
  if (campaign.scheduling.scheduler) write(writer, "scheduler", *campaign.scheduling.scheduler);
  if (campaign.scheduling.min_duration) {
    key(writer, "min_duration");
    writer.Int64(campaign.scheduling.min_duration->count());
  }
  if (campaign.scheduling.max_attempts) {
    key(writer, "max_attempts");
    writer.Int(*campaign.scheduling.max_attempts);
  }
  if (const auto* file = std::get_if<ParamFile>(&campaign.parameters)) write(writer, "param_file", file->path);
  if (const auto* count = std::get_if<Count>(&campaign.parameters)) {
    key(writer, "nb_jobs");
    writer.Int64(count->tasks);
  }
  if (!campaign.parameter_names.empty()) {
    key(writer, "parameter_names");
    writer.StartArray();
    for (const auto& name : campaign.parameter_names) write(writer, name);
    writer.EndArray();
  }
  if (campaign.replicas_allowed) write(writer, "replicas", "allowed");
  if (!campaign.input_mb.empty()) write(writer, "input_mb", campaign.input_mb);
  key(writer, "clusters");
  writer.StartObject();
  for (const auto& section : campaign.clusters) write_section(writer, section);
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

std::string to_jdl(const CampaignFile& campaign) {
  const auto stored = to_json(campaign);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(stored.data(), stored.size());
  auto& allocator = document.GetAllocator();
  for (const auto* left_out : {"param_file", "nb_jobs", "project", "campaign_type"}) document.RemoveMember(left_out);
  for (auto& section : document["clusters"].GetObject()) {
    auto& types = section.value["cluster_job_type"];
    std::string joined;
    for (const auto& type : types.GetArray()) joined += fmt::format("{}{}", joined.empty() ? "" : ",", text(type, "cluster_job_type"));
    types.SetString(joined.data(), static_cast<rapidjson::SizeType>(joined.size()), allocator);
  }
  rapidjson::Value ordered{rapidjson::kObjectType};
  ordered.AddMember("name", document["name"], allocator);
  if (campaign.scheduling.min_duration) {
    const auto time = grid::format_walltime(*campaign.scheduling.min_duration);
    document["min_duration"].SetString(time.data(), static_cast<rapidjson::SizeType>(time.size()), allocator);
  }
  ordered.AddMember("test_mode", rapidjson::Value{campaign.type == CampaignType::test ? "true" : "false", allocator}, allocator);
  document.RemoveMember("name");
  for (auto& member : document.GetObject()) ordered.AddMember(member.name, member.value, allocator);
  rapidjson::StringBuffer buffer;
  JsonWriter writer{buffer};
  ordered.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

tl::expected<CampaignFile, std::string> from_json(std::string_view json) {
  rapidjson::Document document;
  constexpr auto kFlags = static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag);
  document.Parse<kFlags>(json.data(), json.size());
  if (document.HasParseError())
    return tl::unexpected{fmt::format("a stored campaign is not JSON at byte {}: {}", document.GetErrorOffset(), rapidjson::GetParseError_En(document.GetParseError()))};
  try {
    return read_campaign(document);
  } catch (const Malformed& malformed) {
    return tl::unexpected{fmt::format("a stored campaign cannot be read: {}", malformed.what)};
  }
}

}  // namespace gleaner::jdl
