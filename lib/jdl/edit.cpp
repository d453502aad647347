#include "lib/jdl/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "lib/jdl/asked_keys.hpp"
#include "lib/jdl/described_keys.hpp"
#include "lib/jdl/text.hpp"
#include "lib/jdl/validate.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/suggest.hpp"

namespace gleaner::jdl {
namespace {

using Members = std::vector<Member>;

/// Null: it is no key.
const DescribedKey* described(std::string_view name) {
  // The stored form has the value of test_mode by this name.
  if (name == "campaign_type") name = "test_mode";
  const auto found = std::ranges::find(described_keys(), name, &DescribedKey::name);
  return found == described_keys().end() ? nullptr : &*found;
}

Member* find(Members& members, std::string_view key) {
  const auto found = std::ranges::find(members, key, &Member::key);
  return found == members.end() ? nullptr : &*found;
}

void remove(Members& members, std::string_view key) {
  std::erase_if(members, [&](const Member& member) { return member.key == key; });
}

void put(Members& members, Member member) {
  remove(members, member.key);
  members.push_back(std::move(member));
}

/// Places are ignored, and the order of an object's members.
bool same(const Node& one, const Node& other) {
  if (one.kind != other.kind || one.text != other.text || one.members.size() != other.members.size()) return false;
  if (!std::ranges::equal(one.elements, other.elements, same)) return false;
  return std::ranges::all_of(one.members, [&](const Member& member) {
    const auto found = std::ranges::find(other.members, member.key, &Member::key);
    return found != other.members.end() && same(member.value, found->value);
  });
}

/// A node that is not from the user's text has no place in it.
void forget_places(Node& node) {
  node.offset = 0;
  for (auto& element : node.elements) forget_places(element);
  for (auto& member : node.members) {
    member.offset = 0;
    forget_places(member.value);
  }
}

Node tree_of(const std::string& json) {
  Findings none;
  auto document = read_json(json, none);
  forget_places(document.root);
  return std::move(document.root);
}

Member made(std::string_view key, NodeKind kind, std::string text, std::size_t offset) {
  Member member;
  member.key = member.spelling = key;
  member.offset = member.value.offset = offset;
  member.value.kind = kind;
  member.value.text = std::move(text);
  return member;
}

Node& object_of(Node& root, std::string_view key) {
  auto* const member = find(root.members, key);
  if (member != nullptr) return member->value;
  root.members.push_back(made(key, NodeKind::object, "", 0));
  return root.members.back().value;
}

/// "on" or "off".
std::optional<bool> read_switch(const Node& node) {
  const auto text = lower(trim(node.text));
  if (node.kind == NodeKind::null) return false;
  if (node.kind == NodeKind::boolean) return text == "true";
  if (node.kind == NodeKind::string && (text == "on" || text == "off")) return text == "on";
  return std::nullopt;
}

/// Changes the tree of the present campaign.
class Editor {
 public:
  Editor(const CampaignFile& present, Findings& findings)
      : document_{Form::json, tree_of(to_jdl(present))}, stored_{tree_of(to_json(present))}, findings_{findings} {}

  Document edited(Members changes) {
    // The keys of one cluster override those of all clusters.
    std::ranges::stable_partition(changes, [](const Member& change) { return change.key != "clusters"; });
    for (auto& change : changes) {
      if (change.key == "clusters") change_clusters(std::move(change));
      else change_campaign(std::move(change));
    }
    return std::move(document_);
  }

 private:
  Members& clusters() { return object_of(document_.root, "clusters").members; }

  bool refuse_fixed(const Member& change, const std::string& path) {
    const auto* key = described(change.key);
    if (key == nullptr || key->why_fixed.empty()) return false;
    findings_.add(change.value.offset, path, shown(change.value), fmt::format("it cannot be changed: {}", key->why_fixed));
    return true;
  }

  /// Each cluster of a submitted campaign states its walltime.
  bool refuse_walltime_in_resources(const Member& change, const std::string& path) {
    const auto parts = change.key == "resources" ? split_walltime(change.value.text) : std::nullopt;
    if (!parts) return false;
    findings_.add(
        change.value.offset, path, change.value.text,
        fmt::format("it has a walltime in it; write resources={} and walltime={}", excerpt(parts->resources), excerpt(parts->walltime)));
    return true;
  }

  void change_campaign(Member change) {
    const auto is_present = [&](Members& members) {
      const auto* const present = find(members, change.key);
      if (present != nullptr && change.key == "test_mode") return present->value.text == lower(change.value.text);
      return present != nullptr && same(present->value, change.value);
    };
    const bool of_clusters = change.key != "test_mode" && is_cluster_key(change.key);
    if (!of_clusters && (is_present(document_.root.members) || is_present(stored_.members))) return;
    if (refuse_fixed(change, change.spelling) || refuse_walltime_in_resources(change, change.spelling)) return;
    if (of_clusters) {
      for (auto& cluster : clusters()) remove(cluster.value.members, change.key);
    }
    if (change.value.kind == NodeKind::null) return remove(document_.root.members, change.key);
    put(document_.root.members, std::move(change));
  }

  /// The values that all present clusters share, of the keys that a campaign mostly states once for all.
  Members agreed() {
    Members alike;
    for (const auto& one : described_keys()) {
      if (!one.is_inherited) continue;
      const auto key = one.name;
      const auto* const first = clusters().empty() ? nullptr : find(clusters().front().value.members, key);
      const auto has_it = [&](Member& cluster) {
        const auto* const member = find(cluster.value.members, key);
        return member != nullptr && same(member->value, first->value);
      };
      if (first != nullptr && std::ranges::all_of(clusters(), has_it)) alike.push_back(*first);
    }
    return alike;
  }

  /// Unless it says otherwise, a cluster that is added has what the others have alike.
  static void inherit(Members& keys, const Members& alike) {
    const auto* const resources = find(keys, "resources");
    const bool has_walltime = resources != nullptr && split_walltime(resources->value.text);
    const bool has_outputs = find(keys, "output_destination") != nullptr || find(keys, "output_file") != nullptr;
    for (const auto& member : alike) {
      const bool is_stated = (has_walltime && member.key == "walltime") || (has_outputs && member.key.starts_with("output_"));
      if (!is_stated && find(keys, member.key) == nullptr) keys.push_back(member);
    }
  }

  void change_clusters(Member change) {
    if (change.value.kind != NodeKind::object) {
      findings_.add(change.value.offset, change.spelling, shown(change.value),
                    fmt::format("it is {}; write an object: {{ \"CLUSTER\": {{ }} }}", kind_name(change.value.kind)));
      return;
    }
    const auto alike = agreed();
    for (auto& cluster : change.value.members) change_cluster(std::move(cluster), alike);
  }

  void change_cluster(Member change, const Members& alike) {
    auto* const present = find(clusters(), change.key);
    const auto path = cluster_path(Form::json, change.key, "");
    if (change.value.kind == NodeKind::object) {
      if (present == nullptr) {
        inherit(change.value.members, alike);
        return clusters().push_back(std::move(change));
      }
      for (auto& key : change.value.members) change_cluster_key(*present, std::move(key));
    } else if (const auto is_on = read_switch(change.value); !is_on) {
      findings_.add(change.value.offset, path, shown(change.value),
                    fmt::format("'{}' is neither on nor off, nor an object of the cluster's keys", excerpt(shown(change.value))));
    } else if (present == nullptr) {
      unknown_cluster(change, path);
    } else {
      turn(*present, change.value.offset, *is_on);
    }
  }

  void change_cluster_key(Member& cluster, Member change) {
    const auto path = cluster_path(Form::json, cluster.key, change.spelling);
    const auto* const present = find(cluster.value.members, change.key);
    const auto* const stored = stored_key(cluster.key, change.key);
    const bool is_present =
        present != nullptr && (same(present->value, change.value) || (stored != nullptr && same(*stored, change.value)));
    if (is_present || refuse_fixed(change, path) || refuse_walltime_in_resources(change, path)) return;
    if (change.value.kind == NodeKind::null) return remove(cluster.value.members, change.key);
    put(cluster.value.members, std::move(change));
  }

  const Node* stored_key(const std::string& cluster, const std::string& key) {
    auto* const section = find(object_of(stored_, "clusters").members, cluster);
    auto* const member = section == nullptr ? nullptr : find(section->value.members, key);
    return member == nullptr ? nullptr : &member->value;
  }

  static void turn(Member& cluster, std::size_t offset, bool is_on) {
    auto& keys = cluster.value.members;
    if (!is_on) {
      put(keys, made("max_jobs", NodeKind::number, "0", offset));
    } else if (const auto* most = find(keys, "max_jobs"); most != nullptr && most->value.text == "0") {
      remove(keys, "max_jobs");
    }
  }

  void unknown_cluster(const Member& change, const std::string& path) {
    std::vector<std::string_view> names;
    for (const auto& cluster : clusters()) names.push_back(cluster.key);
    findings_.add(change.offset, path, change.key,
                  fmt::format("the campaign has no cluster '{}'{}; to add it, write an object with its exec_file", excerpt(change.key),
                              text::did_you_mean(change.key, names)));
  }

  Document document_;
  Node stored_;
  Findings& findings_;
};

/// The present value of a campaign stays allowed when the administrator lowers the bound.
void allow_present(std::optional<int> present, std::optional<int>& most) {
  if (present && most) most = std::max(*most, *present);
}

}  // namespace

tl::expected<Parsed, std::vector<Problem>> edit(const CampaignFile& present, Document changes, std::string_view text,
                                                const Defaults& defaults, const KnownClusters& clusters) {
  Findings findings{Doubts::reported_of_pairs};
  const bool names_project = find(changes.root.members, "project") != nullptr;
  const bool names_shell = find(changes.root.members, "params_shell") != nullptr;
  auto document = Editor{present, findings}.edited(std::move(changes.root.members));
  auto known = clusters;
  for (const auto& section : present.clusters) {  // also of a cluster that is disabled now
    if (std::ranges::find(known.enabled, section.name) == known.enabled.end()) known.enabled.push_back(section.name);
  }
  auto settled = defaults;
  settled.type.reset();
  if (!names_shell) settled.params_shell = present.params_shell;
  if (known.consumables) allow_present(present.needs, *known.consumables);
  allow_present(present.scheduling.retries, settled.most_retries);
  allow_present(present.scheduling.max_attempts, settled.most_attempts);
  auto file = validate(document, text, findings, settled, &known);
  if (!file) return tl::unexpected{std::move(file.error())};
  file->parameters = present.parameters;
  file->input_manifest = present.input_manifest;
  if (!names_project) file->project = present.project;
  return Parsed{std::move(*file), warnings_beyond(present, findings.warnings(text))};
}

}  // namespace gleaner::jdl
