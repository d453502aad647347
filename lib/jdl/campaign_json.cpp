#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <functional>
#include <map>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/inputs.hpp"
#include "lib/jdl/keys.hpp"
#include "lib/jdl/named_words.hpp"
#include "lib/jdl/placement.hpp"
#include "lib/jdl/requests.hpp"
#include "lib/jdl/resource_template.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/json_writer.hpp"

namespace gleaner::jdl {

namespace {

/// Checks that stored expressions are valid.
void check_expressions(const CampaignFile& campaign) {
  const auto names = expression_names(campaign, has_input(campaign));
  const auto check = [&](const std::string& text) {
    if (text.empty()) return;
    if (const auto read = Expression::compile(text, names); !read) throw stored::Malformed{fmt::format("'{}': {}", text, read.error())};
  };
  for (const auto& section : campaign.clusters) {
    check(section.walltime_expression);
    check(section.memory_mb);
    if (section.resources_expression.empty()) continue;
    if (const auto read = ResourceTemplate::compile(section.resources_expression, names); !read) throw stored::Malformed{read.error()};
  }
}

constexpr const char* kClusterOrder = "cluster_order";

/// Sorts the clusters as they stood in the file. Campaigns that were stored without an order keep the one that they have.
void restore_order(const rapidjson::Value& root, std::vector<ClusterSection>& clusters) {
  if (!root.HasMember(kClusterOrder)) return;
  const auto& order = stored::member(root, kClusterOrder);
  if (!order.IsArray()) throw stored::Malformed{fmt::format("'{}' is not an array", kClusterOrder)};
  std::map<std::string, std::size_t, std::less<>> places;
  for (const auto& name : order.GetArray()) places.try_emplace(stored::text(name, kClusterOrder), places.size());
  std::ranges::stable_sort(clusters, {}, [&](const ClusterSection& section) {
    const auto place = places.find(section.name);
    return place == places.end() ? places.size() : place->second;
  });
}

ClusterSection read_section(const rapidjson::Value& name, const rapidjson::Value& value) {
  ClusterSection section;
  section.name = stored::text(name, "clusters");
  if (!value.IsObject()) throw stored::Malformed{fmt::format("the cluster '{}' is not an object", section.name)};
  take_keys(value, section);
  return section;
}

CampaignFile read_campaign(const rapidjson::Value& root) {
  if (!root.IsObject()) throw stored::Malformed{"it is not an object"};
  CampaignFile campaign;
  campaign.name = stored::text_member(root, "name");
  const auto type = stored::text_member(root, "campaign_type");
  campaign.type = stored::known(grid::campaign_type(type), "campaign_type", type);
  campaign.project = stored::text_member(root, "project");
  take_keys(root, campaign);
  if (root.HasMember("input_manifest")) campaign.input_manifest = stored::text_member(root, "input_manifest");
  const auto& clusters = stored::member(root, "clusters");
  if (!clusters.IsObject()) throw stored::Malformed{"'clusters' is not an object"};
  for (const auto& cluster : clusters.GetObject()) campaign.clusters.push_back(read_section(cluster.name, cluster.value));
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
  store_keys(json, campaign);
  if (!campaign.input_manifest.empty()) json.field("input_manifest", campaign.input_manifest);
  json.key("clusters").object([&] {
    for (const auto& section : campaign.clusters) json.key(section.name).object([&] { store_keys(json, section); });
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
  const auto set = [&](rapidjson::Value& value, const std::string& text) {
    value.SetString(text.data(), static_cast<rapidjson::SizeType>(text.size()), allocator);
  };
  for (const auto* left_out : {"param_file", "nb_jobs", "project", "campaign_type", "input_manifest", kClusterOrder})
    document.RemoveMember(left_out);
  // The configuration's, which the user did not write.
  if (campaign.scheduling.grouping == grid::Grouping::advise) document.RemoveMember("temporal_grouping");
  for (auto section = campaign.clusters.begin(); auto& written : document["clusters"].GetObject()) {
    const auto& types = section++->job_types;
    // A type with a comma stays in an array.
    const bool is_list = std::ranges::any_of(types, [](const auto& type) { return type.find(',') != std::string::npos; });
    if (!is_list) set(written.value["cluster_job_type"], fmt::format("{}", fmt::join(types, ",")));
  }
  rapidjson::Value ordered{rapidjson::kObjectType};
  ordered.AddMember("name", document["name"], allocator);
  if (campaign.scheduling.min_duration) set(document["min_duration"], grid::format_walltime(*campaign.scheduling.min_duration));
  if (campaign.scheduling.checkpoint) {
    for (auto& member : document["checkpoint"].GetObject()) {
      if (member.value.IsInt64()) set(member.value, grid::format_walltime(grid::Seconds{member.value.GetInt64()}));
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

bool ClusterSection::operator==(const ClusterSection& other) const {
  const auto stored = [](const ClusterSection& section) {
    text::JsonWriter json;
    json.object([&] { store_keys(json, section); });
    return json.text();
  };
  return name == other.name && stored(*this) == stored(other);
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
  } catch (const stored::Malformed& malformed) {
    return tl::unexpected{fmt::format("a stored campaign cannot be read: {}", malformed.what)};
  }
}

}  // namespace gleaner::jdl
