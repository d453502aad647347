#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <functional>
#include <map>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/checkpoint.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/named_words.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/sections.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::jdl {

using namespace stored;

namespace {

/// Checks that stored expressions are valid.
void check_expressions(const CampaignFile& campaign) {
  const auto names = expression_names(campaign.parameter_names, has_input(campaign));
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

constexpr const char* kClusterOrder = "cluster_order";

/// Sorts the clusters as they stood in the file. Campaigns that were stored without an order keep the one that they have.
void restore_order(const rapidjson::Value& root, std::vector<ClusterSection>& clusters) {
  if (!root.HasMember(kClusterOrder)) return;
  const auto& order = member(root, kClusterOrder);
  if (!order.IsArray()) throw Malformed{fmt::format("'{}' is not an array", kClusterOrder)};
  std::map<std::string, std::size_t, std::less<>> places;
  for (const auto& name : order.GetArray()) places.try_emplace(text(name, kClusterOrder), places.size());
  std::ranges::stable_sort(clusters, {}, [&](const ClusterSection& section) {
    const auto place = places.find(section.name);
    return place == places.end() ? places.size() : place->second;
  });
}

std::vector<Dependency> read_dependencies(const rapidjson::Value& root) {
  std::vector<Dependency> dependencies;
  for (const auto kind : grid::kDependencyKinds) {
    const std::string key{name_of(kind)};
    if (!root.HasMember(key.c_str())) continue;
    const auto& campaigns = member(root, key.c_str());
    if (!campaigns.IsArray()) throw Malformed{fmt::format("'{}' is not an array", key)};
    for (const auto& campaign : campaigns.GetArray()) {
      // Made in its place: g++ 12, optimising, takes the text of one that is moved for uninitialised.
      auto& dependency = dependencies.emplace_back();
      dependency.kind = kind;
      if (campaign.IsInt64()) dependency.on.emplace<grid::CampaignId>(campaign.GetInt64());
      else dependency.on.emplace<std::string>(text(campaign, key));
    }
  }
  return dependencies;
}

void write_dependencies(text::JsonWriter& json, const std::vector<Dependency>& dependencies) {
  for (const auto kind : grid::kDependencyKinds) {
    if (std::ranges::find(dependencies, kind, &Dependency::kind) == dependencies.end()) continue;
    json.key(name_of(kind)).begin_array();
    for (const auto& dependency : dependencies) {
      if (dependency.kind != kind) continue;
      std::visit([&](const auto& campaign) { json.value(campaign); }, dependency.on);
    }
    json.end_array();
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
  if (root.HasMember("min_duration"))
    campaign.scheduling.min_duration = grid::Seconds{integer(member(root, "min_duration"), "min_duration")};
  if (root.HasMember("max_attempts")) campaign.scheduling.max_attempts = integer(member(root, "max_attempts"), "max_attempts");
  if (root.HasMember("retries")) campaign.scheduling.retries = integer(member(root, "retries"), "retries");
  if (root.HasMember("retry_on")) {
    const auto& statuses = member(root, "retry_on");
    if (!statuses.IsArray()) throw Malformed{"'retry_on' is not an array"};
    for (const auto& status : statuses.GetArray()) campaign.scheduling.retry_on.push_back(integer(status, "retry_on"));
  }
  if (root.HasMember("temporal_grouping")) {
    const auto grouping = text_member(root, "temporal_grouping");
    campaign.scheduling.grouping = known(grid::grouping(grouping), "temporal_grouping", grouping);
  }
  campaign.scheduling.side_by_side = root.HasMember("dimensional_grouping") && root["dimensional_grouping"].IsTrue();
  if (root.HasMember("checkpoint")) {
    campaign.scheduling.checkpoint = stored_checkpoint(member(root, "checkpoint"));
    if (!campaign.scheduling.checkpoint) throw Malformed{"'checkpoint' is not a checkpoint"};
  }
  if (root.HasMember("notify")) campaign.scheduling.notify = text_member(root, "notify");
  if (root.HasMember("max_fails")) campaign.scheduling.max_fails = number(member(root, "max_fails"), "max_fails");
  campaign.dependencies = read_dependencies(root);
  if (root.HasMember("after_each_cluster")) campaign.any_cluster = text_member(root, "after_each_cluster") == "any";
  if (root.HasMember("needs")) {
    const auto& needs = member(root, "needs");
    if (!needs.IsObject()) throw Malformed{"'needs' is not an object"};
    for (const auto& need : needs.GetObject()) campaign.needs.emplace(text(need.name, "needs"), integer(need.value, "needs"));
  }
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
  campaign.placeholders = root.HasMember("placeholders") && root["placeholders"].IsTrue();
  campaign.params_shell = root.HasMember("params_shell") && root["params_shell"].IsTrue();
  if (root.HasMember("replicas")) campaign.replicas_allowed = text_member(root, "replicas") == "allowed";
  if (root.HasMember("input_mb")) campaign.input_mb = text_member(root, "input_mb");
  if (root.HasMember("input_files")) {
    const auto& patterns = member(root, "input_files");
    if (!patterns.IsArray()) throw Malformed{"'input_files' is not an array"};
    for (const auto& pattern : patterns.GetArray()) campaign.input_files.push_back(text(pattern, "input_files"));
  }
  if (root.HasMember("input_manifest")) campaign.input_manifest = text_member(root, "input_manifest");
  const auto& clusters = member(root, "clusters");
  if (!clusters.IsObject()) throw Malformed{"'clusters' is not an object"};
  for (const auto& cluster : clusters.GetObject()) campaign.clusters.push_back(read_section(text(cluster.name, "clusters"), cluster.value));
  restore_order(root, campaign.clusters);
  check_expressions(campaign);
  return campaign;
}

}  // namespace

std::string to_json(const CampaignFile& campaign) {
  text::JsonWriter json;
  json.begin_object();
  json.field("name", campaign.name);
  json.field("campaign_type", name_of(campaign.type));
  json.field("project", campaign.project);
  if (campaign.scheduling.priority != Scheduling{}.priority) json.field("campaign_priority", campaign.scheduling.priority);
  if (campaign.scheduling.scheduler) json.field("scheduler", *campaign.scheduling.scheduler);
  if (campaign.scheduling.min_duration) json.field("min_duration", *campaign.scheduling.min_duration);
  if (campaign.scheduling.max_attempts) json.field("max_attempts", *campaign.scheduling.max_attempts);
  if (campaign.scheduling.retries) json.field("retries", *campaign.scheduling.retries);
  if (!campaign.scheduling.retry_on.empty())
    json.key("retry_on").array(campaign.scheduling.retry_on, [&](int status) { json.value(std::int64_t{status}); });
  if (campaign.scheduling.grouping != grid::Grouping::off) json.field("temporal_grouping", name_of(campaign.scheduling.grouping));
  if (campaign.scheduling.side_by_side) json.field("dimensional_grouping", true);
  if (campaign.scheduling.checkpoint) write_checkpoint(json, *campaign.scheduling.checkpoint);
  if (const auto fails = campaign.scheduling.max_fails) {
    if (*fails < 1 && *fails > 0) json.field("max_fails", *fails);
    else json.field("max_fails", static_cast<std::int64_t>(*fails));
  }
  if (!campaign.scheduling.notify.empty()) json.field("notify", campaign.scheduling.notify);
  write_dependencies(json, campaign.dependencies);
  if (campaign.any_cluster) json.field("after_each_cluster", "any");
  if (!campaign.needs.empty())
    json.key("needs").object([&] {
      for (const auto& [name, count] : campaign.needs) json.field(name, count);
    });
  if (const auto* file = std::get_if<ParamFile>(&campaign.parameters)) json.field("param_file", file->path);
  if (const auto* count = std::get_if<Count>(&campaign.parameters)) json.field("nb_jobs", count->tasks);
  if (!campaign.parameter_names.empty()) json.key("parameter_names").array(campaign.parameter_names);
  if (campaign.placeholders) json.field("placeholders", true);
  if (campaign.params_shell) json.field("params_shell", true);
  if (campaign.replicas_allowed) json.field("replicas", "allowed");
  if (!campaign.input_mb.empty()) json.field("input_mb", campaign.input_mb);
  if (!campaign.input_files.empty()) json.key("input_files").array(campaign.input_files);
  if (!campaign.input_manifest.empty()) json.field("input_manifest", campaign.input_manifest);
  json.key("clusters").object([&] {
    for (const auto& section : campaign.clusters) write_section(json.key(section.name), section);
  });
  if (campaign.clusters.size() > 1)
    json.key(kClusterOrder).array(campaign.clusters, [&](const ClusterSection& section) { json.value(section.name); });
  json.end_object();
  return json.text();
}

std::string to_jdl(const CampaignFile& campaign) {
  const auto stored = to_json(campaign);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(stored.data(), stored.size());
  auto& allocator = document.GetAllocator();
  for (const auto* left_out : {"param_file", "nb_jobs", "project", "campaign_type", "input_manifest", kClusterOrder})
    document.RemoveMember(left_out);
  // The configuration's, which the user did not write.
  if (campaign.scheduling.grouping == grid::Grouping::advise) document.RemoveMember("temporal_grouping");
  for (auto& section : document["clusters"].GetObject()) {
    auto& types = section.value["cluster_job_type"];
    // A type with a comma stays in an array.
    if (std::ranges::any_of(types.GetArray(),
                            [](const auto& type) { return text(type, "cluster_job_type").find(',') != std::string::npos; }))
      continue;
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
  if (campaign.scheduling.checkpoint) {
    for (auto& member : document["checkpoint"].GetObject()) {
      if (!member.value.IsInt64()) continue;
      const auto time = grid::format_walltime(grid::Seconds{member.value.GetInt64()});
      member.value.SetString(time.data(), static_cast<rapidjson::SizeType>(time.size()), allocator);
    }
  }
  ordered.AddMember("test_mode", rapidjson::Value{campaign.type == CampaignType::test ? "true" : "false", allocator}, allocator);
  document.RemoveMember("name");
  for (auto& member : document.GetObject()) ordered.AddMember(member.name, member.value, allocator);
  // Braces that are none would be read as placeholders.
  if (!campaign.placeholders && may_have_placeholders(campaign)) ordered.AddMember("placeholders", false, allocator);
  return text::json_text(ordered);
}

std::string to_campaign_text(const CampaignFile& campaign) {
  const auto jdl = to_jdl(campaign);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(jdl.data(), jdl.size());
  auto& allocator = document.GetAllocator();
  const auto add = [&](const char* key, std::string_view text) {
    document.AddMember(rapidjson::StringRef(key), rapidjson::Value{text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator},
                       allocator);
  };
  if (!campaign.project.empty()) add("project", campaign.project);
  if (campaign.scheduling.grouping == grid::Grouping::off) add("temporal_grouping", name_of(campaign.scheduling.grouping));
  if (!campaign.params_shell) document.AddMember("params_shell", false, allocator);
  if (const auto* count = std::get_if<Count>(&campaign.parameters))
    document.AddMember("nb_jobs", rapidjson::Value{count->tasks}, allocator);
  return text::json_text(document);
}

tl::expected<CampaignFile, std::string> from_json(std::string_view json) {
  rapidjson::Document document;
  constexpr auto kFlags =
      static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag);
  document.Parse<kFlags>(json.data(), json.size());
  if (document.HasParseError())
    return tl::unexpected{fmt::format("a stored campaign is not JSON at byte {}: {}", document.GetErrorOffset(),
                                      rapidjson::GetParseError_En(document.GetParseError()))};
  try {
    return read_campaign(document);
  } catch (const Malformed& malformed) {
    return tl::unexpected{fmt::format("a stored campaign cannot be read: {}", malformed.what)};
  }
}

}  // namespace gleaner::jdl
