#include "api/what_if/played.hpp"

#include <rapidjson/document.h>

#include "lib/text/json_writer.hpp"

namespace gleaner::what_if {
namespace {

using gridsim::Prospect;
using gridsim::Times;
using rapidjson::Value;

void write_times(text::JsonWriter& json, std::string_view key, const std::optional<Times>& times) {
  if (!times) return;
  json.key(key).begin_array();
  for (const double seconds : {times->expected, times->earliest, times->latest}) json.value(seconds);
  json.end_array();
}

/// Usual values are left out: a grid may have thousands of campaigns.
void write_prospect(text::JsonWriter& json, const Prospect& one) {
  json.object([&] {
    if (!one.blocked.empty()) json.field("blocked", one.blocked);
    if (one.started) json.field("started", true);
    if (one.behind_walltimes) json.field("behind", true);
    write_times(json, "start", one.start);
    write_times(json, "end", one.end);
    json.field("evidence", one.evidence);
    json.field("seen", one.seen);
    if (one.group != 1) json.field("group", one.group);
  });
}

const Value* member(const Value& object, const char* key) {
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}
std::string string_in(const Value& object, const char* key) {
  const auto* value = member(object, key);
  return value != nullptr && value->IsString() ? std::string{value->GetString(), value->GetStringLength()} : std::string{};
}
bool truth_in(const Value& object, const char* key) {
  const auto* value = member(object, key);
  return value != nullptr && value->IsBool() && value->GetBool();
}
std::int64_t integer_in(const Value& object, const char* key, std::int64_t fallback) {
  const auto* value = member(object, key);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : fallback;
}
std::optional<double> number_in(const Value& object, const char* key) {
  const auto* value = member(object, key);
  return value != nullptr && value->IsNumber() ? std::optional{value->GetDouble()} : std::nullopt;
}
std::optional<Times> times_in(const Value& object, const char* key) {
  const auto* value = member(object, key);
  if (value == nullptr || !value->IsArray() || value->Size() != 3) return std::nullopt;
  const auto& times = *value;
  if (!times[0].IsNumber() || !times[1].IsNumber() || !times[2].IsNumber()) return std::nullopt;
  return Times{.expected = times[0].GetDouble(), .earliest = times[1].GetDouble(), .latest = times[2].GetDouble()};
}

Prospect read_prospect(const Value& object) {
  Prospect one;
  one.blocked = string_in(object, "blocked");
  one.started = truth_in(object, "started");
  one.behind_walltimes = truth_in(object, "behind");
  one.start = times_in(object, "start");
  one.end = times_in(object, "end");
  one.evidence = string_in(object, "evidence");
  one.seen = integer_in(object, "seen", 0);
  one.group = integer_in(object, "group", 1);
  return one;
}

}  // namespace

std::string text_of(const Answer& answer) {
  const auto& prospects = answer.prospects;
  text::JsonWriter json;
  json.object([&] {
    if (answer.wrong) json.field("wrong", *answer.wrong);
    json.field("runs", prospects.runs);
    json.field("out_of_time", prospects.out_of_time);
    if (prospects.known_until) json.field("known_until", *prospects.known_until);
    json.field("horizon", prospects.horizon);
    json.key("clusters").array(prospects.clusters, [&](const gridsim::Held& held) {
      json.object([&] {
        json.field("cluster", held.cluster);
        json.field("held", held.held);
        json.field("resources", held.resources);
      });
    });
    json.key("campaigns").array(prospects.campaigns, [&](const Prospect& one) { write_prospect(json, one); });
  });
  return json.text();
}

tl::expected<Answer, std::string> read_answer(std::string_view text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) return tl::unexpected{std::string{"its answer is not whole"}};
  const auto* clusters = member(document, "clusters");
  const auto* campaigns = member(document, "campaigns");
  if (clusters == nullptr || !clusters->IsArray() || campaigns == nullptr || !campaigns->IsArray())
    return tl::unexpected{std::string{"its answer lacks the clusters or the campaigns"}};
  Answer answer;
  if (document.HasMember("wrong")) answer.wrong = string_in(document, "wrong");
  auto& prospects = answer.prospects;
  prospects.runs = static_cast<int>(integer_in(document, "runs", 0));
  prospects.out_of_time = truth_in(document, "out_of_time");
  prospects.known_until = number_in(document, "known_until");
  prospects.horizon = number_in(document, "horizon").value_or(0);
  for (const auto& one : clusters->GetArray()) {
    if (one.IsObject())
      prospects.clusters.push_back(
          {string_in(one, "cluster"), static_cast<int>(integer_in(one, "held", 0)), static_cast<int>(integer_in(one, "resources", 0))});
  }
  for (const auto& one : campaigns->GetArray()) {
    if (one.IsObject()) prospects.campaigns.push_back(read_prospect(one));
  }
  return answer;
}

}  // namespace gleaner::what_if
