#include "herald/content.hpp"

#include <rapidjson/document.h>

namespace gleaner::herald {
namespace {

using Value = rapidjson::Value;

std::string text_of(const Value& object, const char* key) {
  const auto found = object.FindMember(key);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

std::optional<std::int64_t> perhaps_number(const Value& object, const char* key) {
  const auto found = object.FindMember(key);
  if (found == object.MemberEnd() || !found->value.IsInt64()) return std::nullopt;
  return found->value.GetInt64();
}

std::int64_t number_of(const Value& object, const char* key) { return perhaps_number(object, key).value_or(0); }

CampaignFacts campaign_of(const Value& object) {
  return {.id = number_of(object, "id"),
          .user = text_of(object, "user"),
          .name = text_of(object, "name"),
          .state = text_of(object, "state"),
          .total = number_of(object, "total"),
          .waiting = number_of(object, "waiting"),
          .running = number_of(object, "running"),
          .done = number_of(object, "done"),
          .failed = number_of(object, "failed"),
          .cancelled = number_of(object, "cancelled")};
}

Line line_of(const Value& object) {
  return {.code = text_of(object, "code"),
          .change = text_of(object, "change") == "closed" ? Line::Change::closed : Line::Change::opened,
          .times = number_of(object, "times"),
          .campaigns = number_of(object, "campaigns"),
          .campaign = perhaps_number(object, "campaign_id"),
          .cluster = text_of(object, "cluster"),
          .event = perhaps_number(object, "event_id"),
          .last_at = text_of(object, "last_at"),
          .message = text_of(object, "message")};
}

}  // namespace

tl::expected<Content, std::string> read_content(std::string_view json) {
  rapidjson::Document root;
  root.Parse(json.data(), json.size());
  if (root.HasParseError() || !root.IsObject()) return tl::unexpected{std::string{"the content of the message is no JSON object"}};
  Content content;
  content.uid = text_of(root, "id");
  content.grid = text_of(root, "grid");
  content.more = number_of(root, "more");
  content.is_test = root.HasMember("test");
  if (const auto campaign = root.FindMember("campaign"); campaign != root.MemberEnd() && campaign->value.IsObject())
    content.campaign = campaign_of(campaign->value);
  if (const auto events = root.FindMember("events"); events != root.MemberEnd() && events->value.IsArray()) {
    for (const auto& event : events->value.GetArray()) {
      if (event.IsObject()) content.lines.push_back(line_of(event));
    }
  }
  return content;
}

}  // namespace gleaner::herald
