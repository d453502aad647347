#include <fmt/format.h>

#include <fstream>

#include "lib/jdl/values.hpp"
#include "sim/gridsim/engine/scenario_facts.hpp"
#include "sim/gridsim/engine/scenario_parts.hpp"
#include "sim/gridsim/engine/swf.hpp"

namespace gleaner::gridsim {
namespace {

constexpr Range kDelays{0, 3600};

struct TraceFile {
  const Node* node = nullptr;
  std::string path;
  double scale = 1;
  double from = 0;
};

void read_job_sizes(const Node& node, const Path& path, int most, std::vector<int>& sizes, Findings& findings) {
  const auto read = [&](const Node& one, const std::string& where) {
    if (const auto size = jdl::read_integer(one, where, {1, most}, findings)) sizes.push_back(static_cast<int>(*size));
  };
  if (node.kind != jdl::NodeKind::array) return read(node, path.text);
  if (node.elements.empty()) refuse(node, path, "one number or more, e.g. [1, 2, 8]", findings);
  for (std::size_t i = 0; i < node.elements.size(); ++i) read(node.elements[i], fmt::format("{}[{}]", path.text, i));
}

std::optional<Trace> load_trace(const TraceFile& trace, const Path& path, const std::filesystem::path& folder, int resources,
                                Findings& findings) {
  const auto file = folder / trace.path;
  std::ifstream input{file};
  if (!input) {
    findings.add(trace.node->offset, (path / "trace").text, trace.path,
                 fmt::format("'{}' cannot be read; write the path of a trace in the Standard Workload Format", trace.path));
    return std::nullopt;
  }
  auto jobs = read_swf(input, trace.path, {.resources = resources, .scale = trace.scale, .from = trace.from});
  if (jobs) return Trace{std::move(*jobs)};
  for (const auto& error : jobs.error()) findings.add(trace.node->offset, (path / "trace").text, trace.path, error);
  return std::nullopt;
}

void read_local(const Node& node, const Path& path, const std::filesystem::path& folder, ClusterSpec& cluster, Findings& findings) {
  Synthetic users{.every = Constant{}, .duration = Constant{}, .resources = {}};
  TraceFile trace;
  int synthetic_keys = 0;
  const auto distribution = [&](Distribution Synthetic::*member) {
    return [&, member](const Node& value, const Path& at) {
      ++synthetic_keys;
      users.*member = read_distribution(value, at, findings).value_or(Constant{1});
    };
  };
  const auto is_object = read_object(node, path,
                                     {{"every", distribution(&Synthetic::every)},
                                      {"duration", distribution(&Synthetic::duration)},
                                      {"resources",
                                       [&](const Node& value, const Path& at) {
                                         ++synthetic_keys;
                                         read_job_sizes(value, at, cluster.resources(), users.resources, findings);
                                       }},
                                      {"trace",
                                       [&](const Node& value, const Path& at) {
                                         trace.node = &value;
                                         trace.path = jdl::read_word(value, at.text, "the path of a trace", findings).value_or("");
                                       }},
                                      {"scale",
                                       [&](const Node& value, const Path& at) {
                                         trace.scale = read_number(value, at, {1e-6, 1000}, findings).value_or(1);
                                       }},
                                      {"from",
                                       [&](const Node& value, const Path& at) {
                                         trace.from = read_seconds(value, at, {0, 1e10}, findings).value_or(0);
                                       }}},
                                     findings);
  if (!is_object) return;
  constexpr int kSyntheticKeys = 3;
  if (trace.node != nullptr && synthetic_keys == 0) {
    if (trace.path.empty()) return;
    if (auto loaded = load_trace(trace, path, folder, cluster.resources(), findings)) cluster.local = std::move(*loaded);
  } else if (trace.node == nullptr && synthetic_keys == kSyntheticKeys) {
    cluster.local = std::move(users);
  } else {
    refuse(node, path, R"("trace" (and "scale", "from"), or all of "every", "duration" and "resources")", findings);
  }
}

void read_cluster(const Node& node, const Path& path, const std::filesystem::path& folder, ClusterSpec& cluster, Findings& findings) {
  const Node* local = nullptr;
  bool has_speed = false;
  const auto delay = [&](double ClusterSpec::*member) {
    return [&, member](const Node& value, const Path& at) { cluster.*member = read_seconds(value, at, kDelays, findings).value_or(0); };
  };
  const auto count = [&](int ClusterSpec::*member) {
    return [&, member](const Node& value, const Path& at) {
      cluster.*member = static_cast<int>(jdl::read_integer(value, at.text, {1, 100'000}, findings).value_or(1));
    };
  };
  std::vector<Key> keys{{"nodes", count(&ClusterSpec::nodes), Key::Need::mandatory},
                        {"cores", count(&ClusterSpec::cores), Key::Need::mandatory},
                        {"speed",
                         [&](const Node& value, const Path& at) {
                           has_speed = true;
                           cluster.speed = read_number(value, at, {0.001, 1000}, findings).value_or(1);
                         }},
                        {"flood",
                         [&](const Node& value, const Path& at) {
                           cluster.own_flood = read_number(value, at, {0, 100}, findings);
                         }},
                        {"array_size",
                         [&](const Node& value, const Path& at) {
                           if (const auto size = jdl::read_integer(value, at.text, {1, 1'000'000}, findings))
                             cluster.own_array_size = static_cast<int>(*size);
                         }},
                        {"headroom",
                         [&](const Node& value, const Path& at) {
                           cluster.own_headroom = grid::headroom(value.text);
                           if (!cluster.own_headroom) refuse(value, at, std::string{grid::kHeadroomForm}, findings);
                         }},
                        {"start_delay", delay(&ClusterSpec::start_delay)},
                        {"start_rate",
                         [&](const Node& value, const Path& at) {
                           cluster.start_rate = read_number(value, at, {0.001, 1000}, findings).value_or(1);
                         }},
                        {"end_delay", delay(&ClusterSpec::end_delay)},
                        {"preemption_delay", delay(&ClusterSpec::preemption_delay)},
                        {"preemption_signal",
                         [&](const Node& value, const Path& at) {
                           if (value.kind != jdl::NodeKind::boolean) refuse(value, at, "true or false", findings);
                           else cluster.preemption_signal = value.text == "true";
                         }},
                        {"sleep_after",
                         [&](const Node& value, const Path& at) {
                           cluster.sleep_after = read_seconds(value, at, {1, 3660.0 * 86400}, findings);
                         }},
                        {"wake_delay", delay(&ClusterSpec::wake_delay)},
                        {"api_latency", delay(&ClusterSpec::api_latency)},
                        {"serves_mb_s",
                         [&](const Node& value, const Path& at) {
                           cluster.serves_mb_s = read_number(value, at, {0, 1e9}, findings).value_or(0);
                         }},
                        {"held",
                         [&](const Node& value, const Path& at) {
                           cluster.held = static_cast<int>(jdl::read_integer(value, at.text, {0, 1'000'000}, findings).value_or(0));
                         }},
                        {"braked",
                         [&](const Node& value, const Path& at) {
                           cluster.braked = read_seconds(value, at, {0, 3660.0 * 86400}, findings).value_or(0);
                         }},
                        {"local", [&](const Node& value, const Path&) { local = &value; }}};
  add_keys(keys, cluster, grid::kClusterFields, findings);
  read_object(node, path, keys, findings);
  if (!has_speed) cluster.speed = cluster.power;
  if (cluster.nodes > 1'000'000 / cluster.cores) refuse(node, path, "at most 1000000 resources", findings);
  else if (cluster.held > cluster.resources()) refuse(node, path / "held", "at most as many as the cluster has", findings);
  else if (local != nullptr) read_local(*local, path / "local", folder, cluster, findings);
}

}  // namespace

void read_clusters(const Node& node, const Path& path, const std::filesystem::path& folder, Scenario& scenario, Findings& findings) {
  if (node.kind != jdl::NodeKind::object || node.members.empty()) {
    refuse(node, path, R"(one cluster or more: { "alpha": { "nodes": 10, "cores": 8 } })", findings);
    return;
  }
  for (const auto& member : node.members) {
    ClusterSpec cluster;
    cluster.name = member.spelling;
    if (cluster.name.empty()) findings.add(member.offset, path.text, "", "a cluster has a name");
    read_cluster(member.value, path / member.spelling, folder, cluster, findings);
    scenario.clusters.push_back(std::move(cluster));
  }
}

}  // namespace gleaner::gridsim
