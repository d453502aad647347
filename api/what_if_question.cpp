#include "api/what_if_question.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include "api/scenario_json.hpp"
#include "lib/grid/campaign_priority.hpp"
#include "lib/jdl/problem.hpp"
#include "lib/text/json_depth.hpp"
#include "lib/text/json_value.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::api {
namespace {

using rapidjson::Value;

constexpr std::size_t kDeepestQuestion = 8;
constexpr std::size_t kLongestOrder = 200;  // bytes
constexpr std::array<std::string_view, 2> kQuestionKeys{"jdl", "changes"};
constexpr std::array<std::string_view, 5> kChangeKeys{"clusters_off", "off_after", "order", "after", "campaigns"};
constexpr std::array<std::string_view, 3> kCampaignKeys{"id", "priority", "paused"};

std::string text_in(const Value& value) { return {value.GetString(), value.GetStringLength()}; }

tl::unexpected<http::Response> wrong_value(std::string_view key, const Value& value, std::string_view form) {
  return tl::unexpected{error(Code::bad_value, fmt::format("{}: {} is not {}", key, jdl::excerpt(text::json_text(value)), form))};
}

/// Refuses keys that are not known, and those that come twice.
template <std::size_t Count>
Asked<void> check_keys(const Value& object, std::string_view at, const std::array<std::string_view, Count>& known) {
  std::vector<std::string> seen;
  for (const auto& member : object.GetObject()) {
    auto name = text_in(member.name);
    if (std::ranges::find(known, name) == known.end())
      return tl::unexpected{error(Code::unknown_key, fmt::format("{}: '{}' is not a key of it{}; the keys are {}", at, jdl::excerpt(name),
                                                                 text::did_you_mean(name, known), fmt::join(known, ", ")))};
    if (std::ranges::find(seen, name) != seen.end())
      return tl::unexpected{error(Code::bad_value, fmt::format("{}: '{}' is given twice", at, name))};
    seen.push_back(std::move(name));
  }
  return {};
}

/// The value of a key; null: it is missing, or null.
const Value* value_of(const Value& object, const char* key) {
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() || found->value.IsNull() ? nullptr : &found->value;
}

Asked<std::vector<std::string>> read_clusters(const Value& value) {
  constexpr std::string_view kForm{R"(a list of names of clusters, such as ["beta"])"};
  constexpr std::string_view kKey{"changes.clusters_off"};
  if (!value.IsArray()) return wrong_value(kKey, value, kForm);
  std::vector<std::string> names;
  for (const auto& one : value.GetArray()) {
    if (!one.IsString()) return wrong_value(kKey, one, "the name of a cluster");
    names.push_back(text_in(one));
  }
  // One question has one form, in whichever order it names them.
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

Asked<std::pair<grid::CampaignId, WhatIfChanges::OfCampaign>> read_campaign(const Value& value) {
  constexpr std::string_view kKey{"changes.campaigns"};
  if (!value.IsObject()) return wrong_value(kKey, value, R"(an object such as {"id": 12, "priority": 2})");
  if (auto right = check_keys(value, kKey, kCampaignKeys); !right) return tl::unexpected{right.error()};
  const auto* id = value_of(value, "id");
  if (id == nullptr || !id->IsInt64() || id->GetInt64() < 1)
    return wrong_value(kKey, value, "about a campaign: its 'id' is a number from 1 on");
  WhatIfChanges::OfCampaign change;
  if (const auto* priority = value_of(value, "priority")) {
    if (!priority->IsInt() || priority->GetInt() < 1 || priority->GetInt() > grid::kLowestPriority)
      return wrong_value("changes.campaigns.priority", *priority,
                         fmt::format("a whole number from 1, the highest, to {}", grid::kLowestPriority));
    change.priority = priority->GetInt();
  }
  if (const auto* paused = value_of(value, "paused")) {
    if (!paused->IsBool()) return wrong_value("changes.campaigns.paused", *paused, "true or false");
    change.paused = paused->GetBool();
  }
  if (change == WhatIfChanges::OfCampaign{}) return wrong_value(kKey, value, "a change: give 'priority' or 'paused'");
  return std::pair{grid::CampaignId{id->GetInt64()}, change};
}

Asked<grid::Seconds> read_delay(std::string_view key, const Value& value) {
  if (!value.IsInt64() || value.GetInt64() < 0 || value.GetInt64() > kLongestAfter.count())
    return wrong_value(key, value, fmt::format("a whole number of seconds from 0 to {}", kLongestAfter.count()));
  return grid::Seconds{value.GetInt64()};
}

Asked<WhatIfChanges> read_changes(const Value& value) {
  if (!value.IsObject()) return wrong_value("changes", value, R"(an object such as {"clusters_off": ["beta"]})");
  if (auto right = check_keys(value, "changes", kChangeKeys); !right) return tl::unexpected{right.error()};
  WhatIfChanges changes;
  if (const auto* off = value_of(value, "clusters_off")) {
    auto names = read_clusters(*off);
    if (!names) return tl::unexpected{names.error()};
    changes.clusters_off = std::move(*names);
  }
  if (const auto* order = value_of(value, "order")) {
    if (!order->IsString() || order->GetStringLength() == 0 || order->GetStringLength() > kLongestOrder)
      return wrong_value("changes.order", *order, "an order of campaigns, such as \"priority,fairshare\"");
    changes.order = text_in(*order);
  }
  if (const auto* after = value_of(value, "after")) {
    const auto delay = read_delay("changes.after", *after);
    if (!delay) return tl::unexpected{delay.error()};
    changes.after = *delay;
  }
  if (const auto* off_after = value_of(value, "off_after")) {
    const auto delay = read_delay("changes.off_after", *off_after);
    if (!delay) return tl::unexpected{delay.error()};
    changes.off_after = *delay;
  }
  if (changes.off_after > grid::Seconds{0} && changes.clusters_off.empty())
    return tl::unexpected{
        error(Code::bad_value, fmt::format("changes.off_after: {} s later than now the clusters of 'clusters_off' are off, "
                                           "and there are none: name them",
                                           changes.off_after.count()))};
  const auto* campaigns = value_of(value, "campaigns");
  if (campaigns == nullptr) return changes;
  if (!campaigns->IsArray()) return wrong_value("changes.campaigns", *campaigns, R"(a list such as [{"id": 12, "priority": 2}])");
  for (const auto& one : campaigns->GetArray()) {
    const auto read = read_campaign(one);
    if (!read) return tl::unexpected{read.error()};
    if (!changes.campaigns.insert(*read).second)
      return tl::unexpected{error(Code::bad_value, fmt::format("changes.campaigns: {} is changed twice", campaign_text(read->first)))};
  }
  return changes;
}

}  // namespace

Asked<WhatIfQuestion> read_what_if(std::string_view body) {
  constexpr auto kFlags =
      static_cast<unsigned>(rapidjson::kParseIterativeFlag) | static_cast<unsigned>(rapidjson::kParseValidateEncodingFlag);
  if (text::is_nested_deeper(body, kDeepestQuestion))
    return tl::unexpected{error(Code::bad_input, fmt::format("the body is nested deeper than {} levels", kDeepestQuestion))};
  rapidjson::Document document;
  document.Parse<kFlags>(body.data(), body.size());
  if (document.HasParseError())
    return tl::unexpected{
        error(Code::bad_input, fmt::format("the body is not JSON: {} (byte {})", rapidjson::GetParseError_En(document.GetParseError()),
                                           document.GetErrorOffset() + 1))};
  if (!document.IsObject())
    return tl::unexpected{error(Code::bad_input, R"(the body is no JSON object such as {"changes": {"clusters_off": ["beta"]}})")};
  if (auto right = check_keys(document, "the body", kQuestionKeys); !right) return tl::unexpected{right.error()};
  WhatIfQuestion question;
  if (const auto* jdl = value_of(document, "jdl")) {
    if (!jdl->IsString()) return wrong_value("jdl", *jdl, "a string: the text of a campaign file");
    question.jdl = text_in(*jdl);
  }
  if (const auto* changes = value_of(document, "changes")) {
    auto read = read_changes(*changes);
    if (!read) return tl::unexpected{read.error()};
    question.changes = std::move(*read);
  }
  if (question.changes.after > grid::Seconds{0} && !question.jdl)
    return tl::unexpected{
        error(Code::bad_value, fmt::format("changes.after: {} s later than now starts a new campaign, and there is none: give its 'jdl'",
                                           question.changes.after.count()))};
  return question;
}

Asked<void> check_changes(const WhatIfChanges& changes, const store::GridState& state, const Readership& readership) {
  const auto gone = left_out(state);
  std::vector<std::string_view> names;
  for (const auto& cluster : state.planning.clusters) names.push_back(cluster.name);
  for (const auto& name : changes.clusters_off) {
    if (std::ranges::find(names, name) == names.end())
      return tl::unexpected{error(Code::bad_value, fmt::format("changes.clusters_off: there is no cluster '{}'{}", jdl::excerpt(name),
                                                               text::did_you_mean(name, names)))};
    if (const auto out = std::ranges::find(gone, name, &LeftOut::cluster); out != gone.end())
      return tl::unexpected{
          error(Code::bad_value, fmt::format("changes.clusters_off: {} is {}: it gets no job as it is", jdl::excerpt(name), out->why))};
  }
  for (const auto& [id, change] : changes.campaigns) {
    const auto found = std::ranges::find(state.planning.campaigns, id, &grid::CampaignFacts::id);
    if (found == state.planning.campaigns.end())
      return tl::unexpected{
          error(Code::no_such_campaign, fmt::format("changes.campaigns: {} is not in treatment, nor paused", campaign_text(id)))};
    if (!readership.may_read(found->user, found->project))
      return tl::unexpected{
          error(Code::not_yours, fmt::format("changes.campaigns: {} is another user's, which you may not read here", campaign_text(id)))};
  }
  return {};
}

void apply_changes(const WhatIfChanges& changes, store::GridState& state, process::Config& config, grid::Instant now) {
  if (changes.order) config.campaign_order = *changes.order;
  for (const auto& cluster : state.planning.clusters) {
    if (std::ranges::find(changes.clusters_off, cluster.name) == changes.clusters_off.end()) continue;
    if (changes.off_after > grid::Seconds{0}) {
      // From then on all of it is kept, for nobody.
      state.planning.policies.keeps.push_back({.name = fmt::format("(off {})", cluster.name),
                                               .cluster = cluster.id,
                                               .cluster_name = cluster.name,
                                               .part = {.amount = 100, .percent = true},
                                               .user = "(nobody)",
                                               .from = now + changes.off_after});
      continue;
    }
    for (auto& pair : state.planning.pairs) {
      if (pair.cluster == cluster.id) pair.max_jobs = 0;
    }
  }
  for (auto& campaign : state.planning.campaigns) {
    const auto found = changes.campaigns.find(campaign.id);
    if (found == changes.campaigns.end()) continue;
    const auto& change = found->second;
    if (change.priority) campaign.priority = *change.priority;
    if (change.paused) campaign.state = *change.paused ? grid::CampaignState::paused : grid::CampaignState::in_treatment;
  }
}

std::vector<std::string> notes_on(const WhatIfChanges& changes, const process::Config& config) {
  const auto name = changes.order.value_or(config.campaign_order);
  const grid::OrderOfCampaigns order{.name = name, .weights = config.multifactor_weights, .simultaneous = config.simultaneous};
  std::vector<std::string> notes;
  for (const auto& [id, change] : changes.campaigns) {
    if (!change.priority) continue;
    if (auto note = grid::priority_note(*change.priority, order)) notes.push_back(fmt::format("{}: {}", campaign_text(id), *note));
  }
  return notes;
}

}  // namespace gleaner::api
