#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lib/jdl/campaign_file.hpp"
#include "lib/jdl/values.hpp"
#include "lib/text/numbers.hpp"
#include "lib/text/suggest.hpp"
#include "sim/gridsim/engine/agenda.hpp"
#include "sim/gridsim/engine/nodes.hpp"
#include "sim/gridsim/engine/scenario_facts.hpp"
#include "sim/gridsim/engine/scenario_parts.hpp"

/// Reads campaigns as a grid has them: the rest of each, its present jobs, its observed durations.
namespace gleaner::gridsim {
namespace {

constexpr std::int64_t kGreatest = 1'000'000'000'000;
constexpr Range kTimes{0, 36600.0 * 86400};

/// Keys whose values are read into members.
class Members {
 public:
  explicit Members(Findings& findings) : findings_{findings} {}

  template <class Number>
  auto whole(Number& into, std::int64_t least = 0, std::int64_t most = kGreatest) {
    return [&into, least, most, this](const Node& value, const Path& at) {
      if (const auto number = jdl::read_integer(value, at.text, {least, most}, findings_)) into = static_cast<Number>(*number);
    };
  }
  template <class Number>
  auto number(Number& into, Range range) {
    return [&into, range, this](const Node& value, const Path& at) {
      if (const auto read = read_number(value, at, range, findings_)) into = *read;
    };
  }
  auto word(auto& into) {
    return [&into, this](const Node& value, const Path& at) {
      if (auto read = jdl::read_word(value, at.text, "a name", findings_)) into = std::move(*read);
    };
  }
  auto truth(bool& into) {
    return [&into, this](const Node& value, const Path& at) {
      if (value.kind != jdl::NodeKind::boolean) refuse(value, at, "true or false", findings_);
      else into = value.text == "true";
    };
  }

 private:
  Findings& findings_;
};

/// Calls a function for each element of an array, with its path.
template <class Read>
void each(const Node& node, const Path& path, Findings& findings, Read&& read) {
  if (node.kind != jdl::NodeKind::array) return refuse(node, path, "a list", findings);
  for (std::size_t i = 0; i < node.elements.size(); ++i) read(node.elements[i], Path{fmt::format("{}[{}]", path.text, i)});
}

/// Reads [[NUMBER, NUMBER], …]: a value and its count.
template <class Add>
void read_pairs(const Node& node, const Path& path, Findings& findings, Add&& add) {
  each(node, path, findings, [&](const Node& one, const Path& at) {
    if (one.kind != jdl::NodeKind::array || one.elements.size() != 2) return refuse(one, at, "two numbers: [SECONDS, JOBS]", findings);
    const auto seconds = read_number(one.elements[0], at, kTimes, findings);
    const auto jobs = read_number(one.elements[1], at, {0, 1e12}, findings);
    if (seconds && jobs && *jobs > 0) add(*seconds, *jobs);
  });
}

std::optional<std::size_t> cluster_named(const Node& node, const Path& path, const std::string& name, const Scenario& scenario,
                                         Findings& findings) {
  const auto found = std::ranges::find(scenario.clusters, name, &ClusterSpec::name);
  if (found != scenario.clusters.end()) return static_cast<std::size_t>(found - scenario.clusters.begin());
  findings.add(node.offset, path.text, name, fmt::format("there is no cluster '{}'", jdl::excerpt(name)));
  return std::nullopt;
}

void read_pair(const Node& node, const Path& path, const Scenario& scenario, CampaignSpec& campaign, Findings& findings) {
  Members into{findings};
  std::string name;
  CampaignOnCluster pair;
  bool best_effort = true;
  double speed = 0;
  auto& state = pair.state;
  pair.facts.walltime = 3600;
  std::vector<Key> keys{{"name", into.word(name), Key::Need::mandatory},
                        {"width", into.whole(pair.width, 1, 1'000'000)},
                        {"best_effort", into.truth(best_effort)},
                        {"speed", into.number(speed, {1e-6, 1e6})},
                        {"braked", into.number(state.braked, kTimes)},
                        {"queued", into.whole(state.queued, 0, 1'000'000)},
                        {"running", [&](const Node& value, const Path& at) {
                           read_pairs(value, at, findings, [&](double age, double jobs) {
                             state.running.push_back({age, static_cast<int>(std::min(jobs, 1e6))});
                           });
                         }}};
  add_keys(keys, pair.facts, grid::kAskedFields, findings);
  add_keys(keys, pair.facts, grid::kCountedFields, findings);
  add_keys(keys, pair.facts, grid::kMemoryFields, findings);
  read_object(node, path, keys, findings);
  const auto cluster = name.empty() ? std::nullopt : cluster_named(node, path, name, scenario, findings);
  if (!cluster) return;
  pair.cluster = *cluster;
  pair.shape = {.nodes = 0, .per_node = pair.width};
  pair.kind = best_effort ? CampaignOnCluster::Kind::best_effort : CampaignOnCluster::Kind::normal;
  if (speed > 0) pair.speed = speed;
  campaign.live += pair.state.queued;
  for (const auto& running : pair.state.running) campaign.live += running.jobs;
  campaign.clusters.push_back(std::move(pair));
}

CampaignSpec read_one(const Node& node, const Path& path, const Scenario& scenario, Findings& findings) {
  Members into{findings};
  CampaignSpec campaign;
  std::int64_t id = 0;
  double age = 0, later = 0;
  bool is_test = false;
  const Node* clusters = nullptr;
  int attempts = 0;
  campaign.duration = Constant{60};
  std::vector<Key> keys{
      {"id", into.whole(id)},
      {"name", into.word(campaign.name)},
      {"test_mode", into.truth(is_test)},
      {"paused", into.truth(campaign.paused)},
      {"stuck", into.truth(campaign.stuck)},
      {"held", into.whole(campaign.held_tasks)},
      {"max_attempts", into.whole(attempts, 1, 100'000)},
      {"age", into.number(age, kTimes)},
      {"at", into.number(later, kTimes)},
      {"braked", into.number(campaign.braked, kTimes)},
      {"evidence", into.word(campaign.evidence)},
      {"seen", into.whole(campaign.seen)},
      {"durations",
       [&](const Node& value, const Path& at) {
         Seen seen;
         read_pairs(value, at, findings, [&](double seconds, double jobs) { seen.buckets.push_back({std::max(seconds, 0.001), jobs}); });
         if (!seen.buckets.empty()) campaign.duration = std::move(seen);
       },
       Key::Need::mandatory},
      {"clusters", [&](const Node& value, const Path&) { clusters = &value; }, Key::Need::mandatory}};
  keys.push_back({"groups", [&](const Node& value, const Path& at) { read_names(value, at, findings, campaign.groups); }});
  for (const auto kind : grid::kDependencyKinds)
    keys.push_back({name_of(kind), [&, kind](const Node& value, const Path& at) {
                      jdl::read_dependencies(kind, value, at.text, campaign.dependencies, findings);
                    }});
  add_keys(keys, campaign, grid::kCampaignFields, findings);
  read_object(node, path, keys, findings);
  campaign.id = grid::CampaignId{id};
  if (campaign.user.empty()) campaign.user = "user";
  campaign.at = later > 0 ? later : -age;
  if (is_test) campaign.type = grid::CampaignType::test;
  if (attempts > 0) campaign.max_attempts = attempts;
  if (clusters != nullptr)
    each(*clusters, path / "clusters", findings,
         [&](const Node& one, const Path& at) { read_pair(one, at, scenario, campaign, findings); });
  // Those that are held are in no bag; of a campaign that is not submitted, they are all of it.
  const auto waiting = campaign.waiting_tasks + (id == 0 ? 0 : campaign.held_tasks);
  campaign.tasks = campaign.live + (campaign.paused || campaign.stuck ? 0 : waiting);
  return campaign;
}

}  // namespace

void read_live(const Node& node, const Path& path, Scenario& scenario, Findings& findings) {
  each(node, path, findings, [&](const Node& one, const Path& at) { scenario.campaigns.push_back(read_one(one, at, scenario, findings)); });
}

void read_policies(const Node& node, const Path& path, Scenario& scenario, Findings& findings) {
  Members into{findings};
  auto& policies = scenario.policies;
  const auto campaign_of = [&](std::int64_t id) {
    const auto found = std::ranges::find(scenario.campaigns, grid::CampaignId{id}, &CampaignSpec::id);
    return found == scenario.campaigns.end() ? std::nullopt : std::optional{grid::CampaignId{found - scenario.campaigns.begin() + 1}};
  };
  /// The id in the simulation of a campaign of the grid; empty: it is over.
  const auto name_of_campaign = [&](const std::string& id) -> std::optional<std::string> {
    const auto known = campaign_of(text::whole_number<std::int64_t>(id, 1).value_or(0));
    return known ? std::optional{std::to_string(known->value())} : std::nullopt;
  };
  const auto usage = [&](const Node& one, const Path& at) {
    grid::UsageOfDay day;
    read_object(one, at,
                {{"user", into.word(day.user)},
                 {"project", into.word(day.project)},
                 {"groups", [&](const Node& value, const Path& place) { read_names(value, place, findings, day.groups); }},
                 {"days_ago", into.whole(day.days_ago, 0, 100'000)},
                 {"resource_seconds", into.number(day.resource_seconds, {0, 1e18})}},
                findings);
    policies.usage.push_back(std::move(day));
  };
  const auto share = [&](const Node& one, const Path& at) {
    grid::Share read;
    std::int64_t parent = 0;
    read_object(one, at,
                {{"id", into.whole(read.id)},
                 {"name", into.word(read.name)},
                 {"is_user", into.truth(read.is_user)},
                 {"is_group", into.truth(read.is_group)},
                 {"parent", into.whole(parent)},
                 {"shares", into.number(read.shares, {0, 1e12})}},
                findings);
    if (parent > 0) read.parent = parent;
    const auto is_above = [&](const grid::Share& above) { return above.id == parent && !above.is_user && !above.is_group; };
    if (read.parent && std::ranges::none_of(policies.shares, is_above))
      return findings.add(
          one.offset, (at / "parent").text, std::to_string(parent),
          fmt::format("no project before this one in the list has the id {}; list projects before what is in them", parent));
    if (read.is_user && read.is_group)
      return findings.add(one.offset, (at / "is_group").text, "true", "a node of the tree of shares is a user or a group, not both");
    policies.shares.push_back(std::move(read));
  };
  const auto priority = [&](const Node& one, const Path& at) {
    grid::UserPriority read;
    read_object(one, at, {{"user", into.word(read.user)}, {"priority", into.whole(read.priority, 1, 7)}}, findings);
    policies.priorities.push_back(std::move(read));
  };
  const auto declared = [&](std::vector<grid::DeclaredPriority>& priorities) {
    return [&](const Node& one, const Path& at) {
      grid::DeclaredPriority read;
      read_object(one, at,
                  {{"name", into.word(read.name), Key::Need::mandatory}, {"priority", into.whole(read.priority, 1, grid::kLowestPriority)}},
                  findings);
      priorities.push_back(std::move(read));
    };
  };
  const auto affinity = [&](const Node& one, const Path& at) {
    grid::Affinity read;
    read_object(one, at, {{"user", into.word(read.user)}, {"cluster", into.word(read.cluster_name)}}, findings);
    if (const auto cluster = cluster_named(one, at, read.cluster_name, scenario, findings)) {
      read.cluster = grid::ClusterId{static_cast<std::int64_t>(*cluster) + 1};
      policies.affinities.push_back(std::move(read));
    }
  };
  const auto list = [&](auto read) { return [&, read](const Node& value, const Path& at) { each(value, at, findings, read); }; };
  const auto limit = [&](const Node& one, const Path& at) {
    grid::Limit read;
    std::string kind, user, group, project, cluster, for_each;
    std::int64_t campaign = 0;
    std::map<std::string, double> used_by;
    const auto use = [&](const Node& part, const Path& place) {
      std::string name;
      double used = 0;
      read_object(part, place, {{"name", into.word(name)}, {"used", into.number(used, {0, 1e18})}}, findings);
      used_by[name] += used;
    };
    read_object(one, at,
                {{"id", into.whole(read.id)},
                 {"each", into.word(for_each)},
                 {"used_by", list(use)},
                 {"kind", into.word(kind)},
                 {"most", into.number(read.most, {0, 1e18})},
                 {"used", into.number(read.used, {0, 1e18})},
                 {"days", into.whole(read.days, 1, 100'000)},
                 {"consumable", into.word(read.consumable)},
                 {"user", into.word(user)},
                 {"group", into.word(group)},
                 {"project", into.word(project)},
                 {"cluster", into.word(cluster)},
                 {"campaign", into.whole(campaign)}},
                findings);
    const auto known = grid::limit_kind(kind);
    if (!known)
      return findings.add(one.offset, (at / "kind").text, kind,
                          fmt::format("'{}' is no kind of limit; write {}", jdl::excerpt(kind), fmt::join(grid::limit_kind_names(), ", ")));
    read.kind = *known;
    if ((read.kind == grid::LimitKind::consumable) != grid::is_consumable_name(read.consumable))
      return findings.add(one.offset, (at / "consumable").text, read.consumable,
                          "a limit of the kind consumable names one, and no other limit does: \"consumable\": \"matlab\"");
    read.each = grid::limit_each(for_each);
    if (!for_each.empty() && !read.each)
      return findings.add(one.offset, (at / "each").text, for_each,
                          fmt::format("'{}' has no limits; write user, project or campaign", jdl::excerpt(for_each)));
    for (const auto& [name, used] : used_by) {
      if (const auto who = read.each == grid::LimitEach::campaign ? name_of_campaign(name) : std::optional{name})
        read.used_by.emplace(*who, used);
    }
    if (!group.empty()) read.group = group;
    if (!user.empty()) read.user = user;
    if (!project.empty()) read.project = project;
    if (!cluster.empty()) {
      const auto found = cluster_named(one, at, cluster, scenario, findings);
      if (!found) return;
      read.cluster = grid::ClusterId{static_cast<std::int64_t>(*found) + 1};
    }
    if (campaign > 0) {
      read.campaign = campaign_of(campaign);
      if (!read.campaign) return;  // the campaign is over
    }
    policies.limits.push_back(std::move(read));
  };
  const auto keep = [&](const Node& one, const Path& at) {
    grid::Keep read;
    std::string part, user, group, project, type, hours;
    std::int64_t campaign = 0, new_users = 0;
    double from = 0, until = 0;
    read_object(one, at,
                {{"name", into.word(read.name), Key::Need::mandatory},
                 {"cluster", into.word(read.cluster_name), Key::Need::mandatory},
                 {"resources", into.word(part), Key::Need::mandatory},
                 {"user", into.word(user)},
                 {"group", into.word(group)},
                 {"project", into.word(project)},
                 {"type", into.word(type)},
                 {"campaign", into.whole(campaign)},
                 {"new_users", into.whole(new_users, 1, 3'000'000'000)},
                 {"hours", into.word(hours)},
                 {"from", into.number(from, kTimes)},
                 {"until", into.number(until, kTimes)}},
                findings);
    const auto wrong = [&](std::string_view key, const std::string& value, std::string what) {
      findings.add(one.offset, (at / key).text, value, std::move(what));
    };
    const auto cluster = cluster_named(one, at, read.cluster_name, scenario, findings);
    const auto known = grid::kept_part(part);
    if (!known) return wrong("resources", part, fmt::format("'{}' must be {}", jdl::excerpt(part), grid::kKeptPartForm));
    if (!cluster) return;
    read.cluster = grid::ClusterId{static_cast<std::int64_t>(*cluster) + 1};
    read.part = *known;
    if (!user.empty()) read.user = user;
    if (!group.empty()) read.group = group;
    if (!project.empty()) read.project = project;
    if (!type.empty() && !(read.type = grid::campaign_type(type)))
      return wrong("type", type, fmt::format("'{}' must be test or default", jdl::excerpt(type)));
    if (new_users > 0) read.new_users = new_users;
    if (!hours.empty() && !(read.hours = grid::day_hours(hours)))
      return wrong("hours", hours, fmt::format("'{}' must be hours of the day such as 08:00-18:00", jdl::excerpt(hours)));
    if (from > 0) read.from = instant_of(from);
    if (until > 0) read.until = instant_of(until);
    if (campaign > 0) {
      read.campaign = campaign_of(campaign);
      if (!read.campaign) return;  // the campaign is over
    }
    if (grid::whom_text(read).empty())
      return wrong("user", "", "for whom is it kept? Write one or more of user, group, project, type, new_users and campaign");
    policies.keeps.push_back(std::move(read));
  };
  const auto first_campaign = [&](const Node& one, const Path& at) {
    grid::FirstCampaign read;
    double age = 0;
    read_object(one, at, {{"user", into.word(read.user), Key::Need::mandatory}, {"age", into.number(age, kTimes)}}, findings);
    read.submitted = instant_of(-age);
    policies.first_campaigns.push_back(std::move(read));
  };
  read_object(node, path,
              {{"usage", list(usage)},
               {"shares", list(share)},
               {"user_priorities", list(priority)},
               {"project_priorities", list(declared(policies.project_priorities))},
               {"group_priorities", list(declared(policies.group_priorities))},
               {"affinities", list(affinity)},
               {"limits", list(limit)},
               {"keeps", list(keep)},
               {"first_campaigns", list(first_campaign)}},
              findings);
}

}  // namespace gleaner::gridsim
