#include "api/change.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "api/admission.hpp"
#include "lib/intake/rows.hpp"
#include "lib/process/log.hpp"

namespace gleaner::api {

Asked<Changeable> load_changeable(const Call& call, store::Transaction& transaction, grid::CampaignId id) {
  auto stored = store::submitted_campaign(transaction, id);
  if (!stored) return tl::unexpected{no_campaign(call)};
  if (!may_change(call, stored->user)) return tl::unexpected{not_yours(call, campaign_text(id), stored->user)};
  auto file = jdl::from_json(stored->jdl);
  if (!file) {
    process::log::error("stored campaign cannot be read", {{"campaign", id}, {"why", file.error()}});
    return tl::unexpected{
        error(Code::internal, fmt::format("the stored JDL of campaign {} cannot be read: ask the administrators", id.value()))};
  }
  auto surroundings = load_surroundings(transaction, stored->user);
  return Changeable{.stored = std::move(*stored), .file = std::move(*file), .surroundings = std::move(surroundings)};
}

jdl::CampaignFile with_clusters_of(const jdl::CampaignFile& before, jdl::CampaignFile after) {
  for (const auto& section : before.clusters) {
    if (std::ranges::find(after.clusters, section.name, &jdl::ClusterSection::name) != after.clusters.end()) continue;
    after.clusters.push_back(section);
    after.clusters.back().max_jobs = 0;
  }
  return after;
}

bool needs_new_requests(const Changeable& before, const jdl::CampaignFile& after) {
  const bool differ = before.stored.requests > 0 || std::ranges::any_of(after.clusters, &jdl::ClusterSection::has_expressions);
  return differ && asking(before.file) != asking(after);
}

bool store_file(store::Transaction& transaction, grid::CampaignId id, const Changeable& before, const jdl::CampaignFile& after) {
  store::EditedCampaign edited{
      .before = before.stored.jdl, .jdl = jdl::to_json(after), .name = after.name, .requests = before.stored.requests, .clusters = {}};
  const auto known = intake::load_limits(transaction);
  for (const auto& section : after.clusters) edited.clusters.push_back(intake::stored_section(after, section, id, known));
  return store::edit_campaign(transaction, id, edited);
}

std::vector<rules::Change> changes_of(const jdl::CampaignFile& before, const jdl::CampaignFile& after) {
  return rules::differences(jdl::to_jdl(before), jdl::to_jdl(after));
}

std::string changes_json(const std::vector<rules::Change>& changes) {
  text::JsonWriter json;
  write_changes(json, changes);
  return json.text();
}

}  // namespace gleaner::api
