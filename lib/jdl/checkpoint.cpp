#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "lib/grid/walltime.hpp"
#include "lib/jdl/asked_keys.hpp"
#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

constexpr std::string_view kAuto{"auto"};
constexpr std::array<std::string_view, 3> kCheckpointKeys{"signal", "period", "cost"};

void read_signal(const Node& node, const std::string& path, grid::Checkpointing& into, Findings& findings) {
  const auto text = read_word(node, path, "USR1, or another signal", findings);
  if (!text) return;
  auto name = *text;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
  if (name.starts_with("SIG")) name.erase(0, 3);
  if (grid::checkpoint_signal(name)) {
    into.signal = name;
    return;
  }
  std::vector<std::string_view> names;
  for (const auto& signal : grid::checkpoint_signals()) names.push_back(signal.name);
  findings.add(node.offset, path, *text,
               fmt::format("'{}' is no signal that a task gets; write {}{}", excerpt(*text), fmt::join(names, ", "),
                           text::did_you_mean(name, names)));
}

void read_period(const Node& node, const std::string& path, grid::Checkpointing& into, Findings& findings) {
  if (node.kind == NodeKind::string && lower(trim(node.text)) == kAuto) into.period.reset();
  else into.period = read_time(node, path, "0:30:00, or auto", findings);
}

}  // namespace

/// `{ "signal": "USR1", "period": "auto", "cost": "0:01:00" }`, where each may be left out; null means none.
void read_checkpoint(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  into.file.scheduling.checkpoint.reset();
  if (node.kind == NodeKind::null) return;
  if (node.kind != NodeKind::object) {
    findings.add(node.offset, path, shown(node),
                 fmt::format("it is {}; write an object: {{ \"signal\": \"USR1\", \"period\": \"auto\", \"cost\": \"0:01:00\" }}",
                             kind_name(node.kind)));
    return;
  }
  auto& checkpoint = into.file.scheduling.checkpoint.emplace();
  const auto before = findings.count();
  for (const auto& member : node.members) {
    const auto key_path = fmt::format("{}.{}", path, member.spelling);
    if (member.key == "signal") read_signal(member.value, key_path, checkpoint, findings);
    else if (member.key == "period") read_period(member.value, key_path, checkpoint, findings);
    else if (member.key == "cost") checkpoint.cost = read_time(member.value, key_path, "0:01:00", findings).value_or(checkpoint.cost);
    else
      findings.add(member.offset, key_path, shown(member.value),
                   fmt::format("'{}' is not a key of a checkpoint; there are {}{}", excerpt(member.spelling),
                               fmt::join(kCheckpointKeys, ", "), text::did_you_mean(member.key, kCheckpointKeys)));
  }
  if (findings.count() == before && checkpoint.period && *checkpoint.period <= checkpoint.cost)
    findings.add(node.offset, fmt::format("{}.period", path), grid::format_walltime(*checkpoint.period),
                 fmt::format("a period of {} leaves no time between checkpoints that take {} each (cost): write a longer one, or auto",
                             grid::format_walltime(*checkpoint.period), grid::format_walltime(checkpoint.cost)));
}

/// `period` is a number of seconds or "auto", `cost` a number of seconds.
void stored::write_value(text::JsonWriter& json, const grid::Checkpointing& checkpoint) {
  json.object([&] {
    json.field("signal", checkpoint.signal);
    if (checkpoint.period) json.field("period", *checkpoint.period);
    else json.field("period", kAuto);
    json.field("cost", checkpoint.cost);
  });
}

void stored::read_value(const rapidjson::Value& value, std::string_view name, grid::Checkpointing& into) {
  const auto malformed = [&] { return Malformed{fmt::format("'{0}' is not a {0}", name)}; };
  if (!value.IsObject()) throw malformed();
  const auto signal = value.FindMember("signal");
  const auto period = value.FindMember("period");
  const auto cost = value.FindMember("cost");
  const auto end = value.MemberEnd();
  if (signal == end || period == end || cost == end || !signal->value.IsString() || !cost->value.IsInt64()) throw malformed();
  into = {.signal = text(signal->value, name), .period = {}, .cost = grid::Seconds{cost->value.GetInt64()}};
  if (period->value.IsInt64()) into.period = grid::Seconds{period->value.GetInt64()};
  else if (!period->value.IsString()) throw malformed();
}

}  // namespace gleaner::jdl
