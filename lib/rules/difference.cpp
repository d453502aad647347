#include "lib/rules/difference.hpp"

#include <fmt/format.h>

#include "lib/text/json_value.hpp"

namespace gleaner::rules {
namespace {

using rapidjson::Value;

void compare(const Value& before, const Value& after, const std::string& path, std::vector<Change>& into) {
  if (before == after) return;
  if (!before.IsObject() || !after.IsObject()) {
    into.push_back({path, text::json_text(before), text::json_text(after)});
    return;
  }
  const auto below = [&](const Value& name) {
    return fmt::format("{}{}{}", path, path.empty() ? "" : ".", std::string_view{name.GetString(), name.GetStringLength()});
  };
  for (const auto& member : before.GetObject()) {
    const auto found = after.FindMember(member.name);
    if (found == after.MemberEnd()) into.push_back({below(member.name), text::json_text(member.value), {}});
    else compare(member.value, found->value, below(member.name), into);
  }
  for (const auto& member : after.GetObject()) {
    if (before.FindMember(member.name) == before.MemberEnd()) into.push_back({below(member.name), {}, text::json_text(member.value)});
  }
}

}  // namespace

std::string text_of(const Change& change) {
  if (!change.after) return fmt::format("{}: taken away", change.path);
  if (!change.before) return fmt::format("{}: {}", change.path, *change.after);
  return fmt::format("{}: {} -> {}", change.path, *change.before, *change.after);
}

std::vector<Change> differences(std::string_view before, std::string_view after) {
  rapidjson::Document first;
  rapidjson::Document second;
  first.Parse<rapidjson::kParseIterativeFlag>(before.data(), before.size());
  second.Parse<rapidjson::kParseIterativeFlag>(after.data(), after.size());
  std::vector<Change> changes;
  compare(first, second, "", changes);
  return changes;
}

}  // namespace gleaner::rules
