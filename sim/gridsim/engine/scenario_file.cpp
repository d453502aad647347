#include "sim/gridsim/engine/scenario_file.hpp"

#include <fmt/format.h>

#include <limits>

#include "lib/jdl/text.hpp"
#include "lib/jdl/values.hpp"
#include "sim/gridsim/engine/scenario_parts.hpp"
#include "sim/gridsim/engine/settings.hpp"

namespace gleaner::gridsim {
namespace {

constexpr double kMostSeed = 9007199254740991.0;  // the greatest integer that JSON's numbers hold exactly

void read_configuration(const Node& node, const Path& path, Scenario& scenario, Findings& findings) {
  if (node.kind != jdl::NodeKind::object) {
    refuse(node, path, R"(an object, e.g. {"flood": 0.5, "predictor_algorithm": "measured"})", findings);
    return;
  }
  for (const auto& member : node.members) {
    const auto& value = member.value;
    if (value.kind != jdl::NodeKind::string && value.kind != jdl::NodeKind::number) {
      refuse(value, path / member.spelling, "a string or a number", findings);
      continue;
    }
    if (const auto done = set(scenario, member.spelling, value.text); !done)
      findings.add(member.offset, (path / member.spelling).text, value.text, done.error());
  }
}

void read_shares(const Node& node, const Path& path, Scenario& scenario, Findings& findings) {
  if (node.kind != jdl::NodeKind::object) {
    refuse(node, path, R"(an object of users, e.g. {"ada": 25, "ben": 75})", findings);
    return;
  }
  for (const auto& member : node.members) {
    if (const auto shares = read_number(member.value, path / member.spelling, {0, 1e9}, findings))
      scenario.shares[member.spelling] = *shares;
  }
}

const Node* find(const Node& root, std::string_view key) {
  for (const auto& member : root.members) {
    if (member.spelling == key) return &member.value;
  }
  return nullptr;
}

Scenario read_root(const Node& root, const std::filesystem::path& folder, Findings& findings) {
  Scenario scenario;
  scenario.config = default_config();
  const auto later = [](const Node&, const Path&) {};
  read_object(root, {},
              {{"seed",
                [&](const Node& node, const Path& path) {
                  scenario.seed = static_cast<std::uint64_t>(
                      jdl::read_integer(node, path.text, {0, static_cast<std::int64_t>(kMostSeed)}, findings).value_or(0));
                }},
               {"length",
                [&](const Node& node, const Path& path) {
                  scenario.length = read_seconds(node, path, {1, 3660.0 * 86400}, findings);
                }},
               {"cycle_work",
                [&](const Node& node, const Path& path) {
                  scenario.cycle_work = read_seconds(node, path, {0, 3600}, findings).value_or(0);
                }},
               {"configuration", [&](const Node& node, const Path& path) { read_configuration(node, path, scenario, findings); }},
               {"shares", [&](const Node& node, const Path& path) { read_shares(node, path, scenario, findings); }},
               {"clusters", [&](const Node& node, const Path& path) { read_clusters(node, path, folder, scenario, findings); },
                Key::Need::mandatory},
               {"live", later},
               {"policies", later},
               {"campaigns", later}},
              findings);
  const Path live{"live"};
  const auto* there = find(root, live.text);
  if (there != nullptr) read_live(*there, live, scenario, findings);
  else if (root.kind == jdl::NodeKind::object && find(root, "campaigns") == nullptr)
    findings.add(root.offset, "campaigns", "", "it is missing: write \"campaigns\": …");
  const Path policies{"policies"};
  if (const auto* node = find(root, policies.text)) read_policies(*node, policies, scenario, findings);
  const Path campaigns{"campaigns"};
  if (const auto* node = find(root, campaigns.text)) read_campaigns(*node, campaigns, folder, scenario, findings);
  resolve_dependencies(root, scenario, findings);
  return scenario;
}

}  // namespace

tl::expected<Scenario, std::vector<jdl::Problem>> read_scenario(std::string_view text, const std::filesystem::path& folder) {
  Findings findings;
  if (const auto wrong = jdl::first_invalid_utf8(text); wrong != std::string_view::npos) {
    findings.add(wrong, "", text.substr(wrong, 1),
                 fmt::format("the byte {} is not UTF-8: save the file as UTF-8", jdl::excerpt(text.substr(wrong, 1))));
    return tl::unexpected{findings.problems(text)};
  }
  const auto document = jdl::read_json(text, findings, R"(a scenario is an object: { "clusters": { … }, "campaigns": [ … ] })",
                                       std::numeric_limits<std::size_t>::max());
  if (!findings.empty() && document.root.kind != jdl::NodeKind::object) return tl::unexpected{findings.problems(text)};
  auto scenario = read_root(document.root, folder, findings);
  if (!findings.empty()) return tl::unexpected{findings.problems(text)};
  return scenario;
}

}  // namespace gleaner::gridsim
