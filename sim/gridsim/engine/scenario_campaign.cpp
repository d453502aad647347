#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <tuple>

#include "lib/grid/resource_request.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/jdl/facts_of.hpp"
#include "lib/jdl/keys.hpp"
#include "lib/jdl/parameter_reader.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/suggest.hpp"
#include "sim/gridsim/engine/nodes.hpp"
#include "sim/gridsim/engine/scenario_facts.hpp"
#include "sim/gridsim/engine/scenario_parts.hpp"

namespace gleaner::gridsim {
namespace {

constexpr std::int64_t kMostTasks = 10'000'000;

/// The keys of an inline campaign that apply to all of its clusters.
struct Inline {
  std::optional<grid::ResourceRequest> resources;
  double walltime = 0;
  std::optional<int> max_jobs;
  std::vector<std::size_t> clusters;
};

class CampaignReader {
 public:
  CampaignReader(const Node& node, Path path, const std::filesystem::path& folder, const Scenario& scenario, Findings& findings)
      : node_{node}, path_{std::move(path)}, folder_{folder}, scenario_{scenario}, findings_{findings} {}

  CampaignSpec read();

 private:
  void read_duration(const Node& value, const Path& at);
  void read_jdl_key(std::string_view key, const Node& value, const Path& at);
  void read_resources(const Node& value, const Path& at);
  void read_walltime(const Node& value, const Path& at);
  void read_cluster_names(const Node& value, const Path& at);
  void read_jdl(const Node& value, const Path& at);
  void take(const jdl::CampaignFile& file, const Node& value, const Path& at);
  [[nodiscard]] std::optional<std::int64_t> tasks_of(const jdl::ParamSource& source, const Node& value, const Path& at);
  void finish_inline();
  void add(std::size_t cluster, const grid::ResourceRequest& request, CampaignOnCluster on_cluster, const Node& where);
  void only_inline(const Node& value, const Path& at) { inline_keys_.emplace_back(&value, at); }

  const Node& node_;
  Path path_;
  const std::filesystem::path& folder_;
  const Scenario& scenario_;
  Findings& findings_;
  CampaignSpec campaign_;
  Inline inline_;
  std::optional<int> takes_;
  const Node* jdl_ = nullptr;
  bool has_tasks_ = false;
  bool refuses_replicas_ = false;
  std::vector<std::pair<const Node*, Path>> inline_keys_;
};

CampaignSpec CampaignReader::read() {
  campaign_.grouping = grid::Grouping::advise;  // the configuration's, which may vary
  const auto text = [&](auto member) {
    return [&, member](const Node& value, const Path& at) {
      campaign_.*member = jdl::read_word(value, at.text, "a name", findings_).value_or("");
    };
  };
  const auto inline_only = [&](auto read_one) {
    return [&, read_one](const Node& value, const Path& at) {
      only_inline(value, at);
      read_one(value, at);
    };
  };
  std::vector<Key> keys{{"name", text(&CampaignSpec::name)},
                        {"user", text(&CampaignSpec::user)},
                        {"at",
                         [&](const Node& value, const Path& at) {
                           campaign_.at = read_seconds(value, at, {0, 3660.0 * 86400}, findings_).value_or(0);
                         }},
                        {"duration", [&](const Node& value, const Path& at) { read_duration(value, at); }, Key::Need::mandatory},
                        {"io_mb_s",
                         [&](const Node& value, const Path& at) {
                           campaign_.io_mb_s = read_number(value, at, {0, 1e6}, findings_);
                         }},
                        {"jdl", [&](const Node& value, const Path&) { jdl_ = &value; }},
                        {"takes",
                         [&](const Node& value, const Path& at) {
                           if (const auto number = jdl::read_integer(value, at.text, {1, 1'000'000}, findings_))
                             takes_ = static_cast<int>(*number);
                         }},
                        {"tasks", inline_only([&](const Node& value, const Path& at) {
                           has_tasks_ = true;
                           campaign_.tasks = jdl::read_integer(value, at.text, {1, kMostTasks}, findings_).value_or(1);
                         })},
                        {"test_mode", inline_only([&](const Node& value, const Path& at) {
                           if (value.kind != jdl::NodeKind::boolean) refuse(value, at, "true or false", findings_);
                           else if (value.text == "true") campaign_.type = grid::CampaignType::test;
                         })},
                        {"resources", inline_only([&](const Node& value, const Path& at) { read_resources(value, at); })},
                        {"walltime", inline_only([&](const Node& value, const Path& at) { read_walltime(value, at); })},
                        {"max_jobs", inline_only([&](const Node& value, const Path& at) {
                           if (const auto number = jdl::read_integer(value, at.text, {1, 1'000'000}, findings_))
                             inline_.max_jobs = static_cast<int>(*number);
                         })},
                        {"replicas", inline_only([&](const Node& value, const Path& at) {
                           if (value.kind == jdl::NodeKind::string && (value.text == "allowed" || value.text == "refused"))
                             (value.text == "allowed" ? campaign_.replicas_allowed : refuses_replicas_) = true;
                           else refuse(value, at, R"("allowed" or "refused")", findings_);
                         })},
                        {"groups", [&](const Node& value, const Path& at) { read_names(value, at, findings_, campaign_.groups); }},
                        {"clusters", inline_only([&](const Node& value, const Path& at) { read_cluster_names(value, at); })}};
  std::vector<Key> facts;
  add_keys(facts, campaign_, grid::kCampaignFields, findings_);
  for (auto& key : facts) {
    constexpr std::array<std::string_view, 4> kInline{"project", "priority", "needs", "input_mb"};
    if (std::ranges::find(kInline, key.name) != kInline.end()) keys.push_back({key.name, inline_only(key.read)});
  }
  for (const std::string_view key : {"after", "after_any_end", "after_each", "scheduler", "min_duration", "max_attempts", "checkpoint",
                                     "temporal_grouping", "dimensional_grouping"})
    keys.push_back({key, inline_only([this, key](const Node& value, const Path& at) { read_jdl_key(key, value, at); })});
  if (!read_object(node_, path_, keys, findings_)) return campaign_;
  if (campaign_.user.empty()) campaign_.user = "user";
  if (jdl_ != nullptr) read_jdl(*jdl_, path_ / "jdl");
  else finish_inline();
  const auto is_each = [](const jdl::Dependency& one) { return one.kind == grid::DependencyKind::after_each; };
  if (std::ranges::any_of(campaign_.dependencies, is_each)) campaign_.held_tasks = campaign_.tasks;
  return campaign_;
}

void CampaignReader::read_duration(const Node& value, const Path& at) {
  if (auto distribution = read_distribution(value, at, findings_)) campaign_.duration = std::move(*distribution);
}

void CampaignReader::read_jdl_key(std::string_view key, const Node& value, const Path& at) {
  jdl::CampaignFile file;
  file.dependencies = std::move(campaign_.dependencies);
  jdl::SectionLevel of_clusters;
  const jdl::Defaults defaults;
  jdl::CampaignLevel level{file, of_clusters, defaults};
  std::ignore = jdl::read_key({.key = std::string{key}, .spelling = std::string{key}, .value = value}, at.text, level, findings_);
  campaign_.dependencies = std::move(file.dependencies);
  const auto stated = jdl::facts_of(file);
  if (!stated.scheduler.empty()) campaign_.scheduler = stated.scheduler;
  campaign_.replicas_allowed = campaign_.replicas_allowed || stated.replicas_allowed;
  if (stated.min_duration) campaign_.min_duration = stated.min_duration;
  if (key == "temporal_grouping") campaign_.grouping = stated.grouping;
  if (key == "dimensional_grouping") campaign_.side_by_side = stated.side_by_side;
  if (stated.checkpoint_cost) {
    campaign_.checkpoint_cost = stated.checkpoint_cost;
    if (stated.checkpoint_period) campaign_.checkpoint_period = stated.checkpoint_period;
    campaign_.grouping = grid::Grouping::off;
  }
  if (file.scheduling.max_attempts) campaign_.max_attempts = file.scheduling.max_attempts;
}

void CampaignReader::read_resources(const Node& value, const Path& at) {
  if (value.kind == jdl::NodeKind::number) {
    const auto number = jdl::read_integer(value, at.text, {1, 1'000'000}, findings_);
    if (number) inline_.resources = grid::ResourceRequest::parse(fmt::format("/core={}", *number)).value();
    return;
  }
  const auto text = jdl::read_word(value, at.text, "a request such as \"/core=4\", or a number of cores", findings_);
  if (!text) return;
  auto request = grid::ResourceRequest::parse(*text);
  if (request) inline_.resources = std::move(*request);
  else findings_.add(value.offset, at.text, *text, fmt::format("'{}' is not a resource request: {}", jdl::excerpt(*text), request.error()));
}

void CampaignReader::read_walltime(const Node& value, const Path& at) {
  const auto walltime = value.kind == jdl::NodeKind::string ? grid::parse_walltime(value.text) : std::nullopt;
  if (walltime) inline_.walltime = static_cast<double>(walltime->count());
  else refuse(value, at, "a walltime such as \"1:30:00\" (hours:minutes:seconds)", findings_);
}

void CampaignReader::read_cluster_names(const Node& value, const Path& at) {
  if (value.kind != jdl::NodeKind::array || value.elements.empty()) {
    refuse(value, at, "names of clusters, e.g. [\"alpha\"], or leave it out for all", findings_);
    return;
  }
  std::vector<std::string_view> names;
  for (const auto& cluster : scenario_.clusters) names.push_back(cluster.name);
  for (std::size_t i = 0; i < value.elements.size(); ++i) {
    const auto& one = value.elements[i];
    const auto found = std::ranges::find(names, std::string_view{one.text});
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (one.kind != jdl::NodeKind::string || found == names.end())
      findings_.add(one.offset, fmt::format("{}[{}]", at.text, i), jdl::shown(one),
                    fmt::format("there is no cluster '{}'{}", jdl::excerpt(jdl::shown(one)), text::did_you_mean(one.text, names)));
    else if (std::ranges::find(inline_.clusters, index) == inline_.clusters.end()) inline_.clusters.push_back(index);
    else refuse(one, {fmt::format("{}[{}]", at.text, i)}, "each cluster once", findings_);
  }
}

void CampaignReader::finish_inline() {
  if (!has_tasks_) findings_.add(node_.offset, (path_ / "tasks").text, "", "it is missing: write \"tasks\": …, or \"jdl\": \"FILE\"");
  if (campaign_.name.empty()) campaign_.name = path_.text;
  if (refuses_replicas_ && campaign_.replicas_allowed)
    findings_.add(node_.offset, (path_ / "replicas").text, "refused",
                  "\"scheduler\": \"finalize\" gives tasks replicas: leave out one of the two");
  if (inline_.clusters.empty()) {
    for (std::size_t i = 0; i < scenario_.clusters.size(); ++i) inline_.clusters.push_back(i);
  }
  const auto request = inline_.resources ? *inline_.resources : grid::ResourceRequest::parse(scenario_.config.default_resources).value();
  // The default is a walltime that no task reaches, so that only an explicit one kills.
  const double enough =
      std::max(static_cast<double>(scenario_.config.default_walltime.count()), std::min(longest(campaign_.duration), 30.0 * 86400));
  for (const auto cluster : inline_.clusters) {
    CampaignOnCluster on_cluster;
    const double speed = scenario_.clusters[cluster].speed;
    on_cluster.facts.walltime = inline_.walltime > 0 ? inline_.walltime : std::max(enough, enough / speed);
    on_cluster.facts.max_jobs = inline_.max_jobs;
    if (campaign_.type == grid::CampaignType::test) on_cluster.kind = CampaignOnCluster::Kind::normal;
    add(cluster, request, on_cluster, node_);
  }
}

void CampaignReader::add(std::size_t index, const grid::ResourceRequest& request, CampaignOnCluster on_cluster, const Node& where) {
  const auto& cluster = scenario_.clusters[index];
  const auto shape = takes_ ? tl::expected<Shape, std::string>{Shape{.nodes = 0, .per_node = *takes_}} : shape_of(request, cluster);
  if (!shape) {
    findings_.add(where.offset, path_.text, request.text(), shape.error());
    return;
  }
  on_cluster.cluster = index;
  on_cluster.shape = *shape;
  on_cluster.width = width_of(*shape, cluster.cores);
  // `takes` states what the planner learns only from a job that has started.
  on_cluster.facts.resources_per_job = takes_ ? request.resources() : on_cluster.width;
  if (!takes_) on_cluster.facts.nodes_per_job = request.nodes();
  Nodes empty{cluster.nodes, cluster.cores};
  if (!empty.take(*shape)) {
    findings_.add(where.offset, path_.text, request.text(),
                  fmt::format("a job of {} resources ({}) never fits on {}, which has {} nodes of {}; leave that cluster out",
                              on_cluster.width, request.text(), cluster.name, cluster.nodes, cluster.cores));
    return;
  }
  campaign_.clusters.push_back(on_cluster);
}

void CampaignReader::read_jdl(const Node& value, const Path& at) {
  for (const auto& [node, path] : inline_keys_)
    findings_.add(node->offset, path.text, jdl::shown(*node), "the campaign file states it: remove it, or remove \"jdl\"");
  const auto name = jdl::read_word(value, at.text, "the path of a campaign file", findings_);
  if (!name) return;
  std::ifstream input{folder_ / *name};
  if (!input) {
    findings_.add(value.offset, at.text, *name, fmt::format("'{}' cannot be read; write the path of a campaign file", *name));
    return;
  }
  const std::string text{std::istreambuf_iterator<char>{input}, {}};
  jdl::KnownClusters known;
  for (const auto& cluster : scenario_.clusters) known.enabled.push_back(cluster.name);
  const auto file = jdl::parse(text,
                               {.resources = scenario_.config.default_resources,
                                .walltime = scenario_.config.default_walltime,
                                .type = std::nullopt,
                                .grouping = grid::Grouping::advise},
                               &known);
  if (file) return take(*file, value, at);
  for (const auto& problem : file.error()) {
    auto line = jdl::render(std::span{&problem, 1}, *name);
    while (!line.empty() && line.back() == '\n') line.pop_back();
    findings_.add(value.offset, at.text, *name, line);
  }
}

void CampaignReader::take(const jdl::CampaignFile& file, const Node& value, const Path& at) {
  if (campaign_.name.empty()) campaign_.name = file.name;
  auto facts = jdl::facts_of(file);
  facts.user = campaign_.user;
  facts.groups = campaign_.groups;
  static_cast<grid::CampaignFacts&>(campaign_) = std::move(facts);
  campaign_.max_attempts = file.scheduling.max_attempts;
  campaign_.tasks = tasks_of(file.parameters, value, at).value_or(1);
  campaign_.dependencies = file.dependencies;
  for (const auto& section : file.clusters) {
    const auto found = std::ranges::find(scenario_.clusters, section.name, &ClusterSpec::name);
    if (found == scenario_.clusters.end()) continue;
    CampaignOnCluster on_cluster;
    on_cluster.facts = jdl::facts_of(section);
    if (section.kind == jdl::JobKind::normal) on_cluster.kind = CampaignOnCluster::Kind::normal;
    add(static_cast<std::size_t>(found - scenario_.clusters.begin()), section.resources, on_cluster, value);
  }
}

std::optional<std::int64_t> CampaignReader::tasks_of(const jdl::ParamSource& source, const Node& value, const Path& at) {
  if (const auto* count = std::get_if<jdl::Count>(&source)) {
    if (count->tasks <= kMostTasks) return count->tasks;
    findings_.add(value.offset, at.text, "", fmt::format("{} tasks are more than the {} that are simulated", count->tasks, kMostTasks));
    return std::nullopt;
  }
  if (const auto* params = std::get_if<jdl::Params>(&source)) return static_cast<std::int64_t>(params->values.size());
  const auto* file = std::get_if<jdl::ParamFile>(&source);
  if (file == nullptr) {
    findings_.add(value.offset, at.text, value.text, "it has no parameters: give it params, param_file or nb_jobs");
    return std::nullopt;
  }
  std::ifstream input{(folder_ / value.text).parent_path() / file->path};
  jdl::ParameterReader reader{input};
  std::int64_t tasks = 0;
  for (;;) {
    const auto parameter = reader.next();
    if (!input.is_open() || !parameter) {
      findings_.add(value.offset, at.text, file->path,
                    fmt::format("its param_file '{}' {}", file->path, input.is_open() ? parameter.error().message : "cannot be read"));
      return std::nullopt;
    }
    if (!*parameter) break;
    ++tasks;
  }
  if (tasks > 0) return tasks;
  findings_.add(value.offset, at.text, file->path, fmt::format("its param_file '{}' has no parameter", file->path));
  return std::nullopt;
}

}  // namespace

void read_campaigns(const Node& node, const Path& path, const std::filesystem::path& folder, Scenario& scenario, Findings& findings) {
  if (node.kind != jdl::NodeKind::array || node.elements.empty()) {
    refuse(node, path, R"(one campaign or more: [ { "tasks": 100, "duration": "10m" } ])", findings);
    return;
  }
  for (std::size_t i = 0; i < node.elements.size(); ++i) {
    scenario.campaigns.push_back(
        CampaignReader{node.elements[i], {fmt::format("{}[{}]", path.text, i)}, folder, scenario, findings}.read());
  }
}

}  // namespace gleaner::gridsim
