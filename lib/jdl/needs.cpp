#include "lib/jdl/needs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "lib/jdl/key_readers.hpp"
#include "lib/jdl/stored_json.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

/// Why a campaign cannot need something of this name; empty: it can.
std::string unknown_text(const std::string& name, const std::vector<Consumable>& known) {
  if (known.empty())
    return fmt::format("there is no consumable '{0}', nor any other: an administrator declares it (gridctl limit set consumable {0} MOST)",
                       excerpt(name));
  std::vector<std::string_view> names;
  for (const auto& one : known) names.push_back(one.name);
  auto hint = text::did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("; the consumables are {}", fmt::join(names, ", "));
  return fmt::format("there is no consumable '{}'{}", excerpt(name), hint);
}

void read_need(const Member& member, const std::string& path, const std::vector<Consumable>* known, grid::Needs& into, Findings& findings) {
  const auto& name = member.key;
  if (!grid::is_consumable_name(name))
    return findings.add(member.offset, path, name,
                        fmt::format("'{}' is no name of a consumable: letters, digits, '_', '-', '.' and ':', 64 at most", excerpt(name)));
  const auto count = read_integer(member.value, path, {1, grid::kGreatestNeed}, findings);
  if (!count) return;
  into[name] = static_cast<int>(*count);
  if (known == nullptr) return;
  const auto found = std::ranges::find(*known, name, &Consumable::name);
  if (found == known->end()) return findings.add(member.offset, path, name, unknown_text(name, *known));
  if (found->most && static_cast<double>(*count) > *found->most)
    findings.add(member.value.offset, path, shown(member.value),
                 fmt::format("a task needs {}, and limit {} allows {:g} at once: write less, or ask the administrator", *count,
                             found->limit, *found->most));
}

}  // namespace

void read_needs(const Node& value, const std::string& path, const std::vector<Consumable>* known, grid::Needs& into, Findings& findings) {
  if (value.kind == NodeKind::null) return;
  if (value.kind != NodeKind::object) {
    findings.add(value.offset, path, shown(value),
                 fmt::format("it is {}; write what each task needs as an object: {{ \"matlab\": 1 }}", kind_name(value.kind)));
  } else if (value.members.size() > grid::kMostNeeds) {
    findings.add(value.offset, path, shown(value),
                 fmt::format("it names {} consumables, and may name {}", value.members.size(), grid::kMostNeeds));
  } else {
    for (const auto& one : value.members) read_need(one, fmt::format("{}.{}", path, excerpt(one.spelling)), known, into, findings);
  }
}

void read_needs_key(const Node& node, const std::string& path, CampaignLevel& into, Findings& findings) {
  read_needs(node, path, into.consumables, into.file.needs, findings);
}

void stored::write_value(text::JsonWriter& json, const grid::Needs& needs) {
  json.object([&] {
    for (const auto& [name, count] : needs) json.field(name, count);
  });
}
void stored::read_value(const rapidjson::Value& value, std::string_view name, grid::Needs& into) {
  if (!value.IsObject()) throw Malformed{fmt::format("'{}' is not an object", name)};
  for (const auto& need : value.GetObject()) into.emplace(text(need.name, name), integer(need.value, name));
}

void allow_present(const grid::Needs& present, std::vector<Consumable>& known) {
  for (const auto& [name, count] : present) {
    const auto found = std::ranges::find(known, name, &Consumable::name);
    if (found == known.end()) known.push_back({.name = name, .most = std::nullopt});
    else if (found->most && *found->most < count) found->most = count;
  }
}

}  // namespace gleaner::jdl
