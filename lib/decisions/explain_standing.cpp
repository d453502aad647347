#include <fmt/format.h>

#include <string>

#include "lib/decisions/decision.hpp"
#include "lib/decisions/words.hpp"
#include "lib/grid/campaign_priority.hpp"

namespace gleaner::decisions {
namespace {

/// The figures of a place in the order.
struct PlaceText {
  std::string operator()(const place::FairShare& by) const {
    std::string text = "fair share of ", path;
    const auto add = [&](const std::string& name, const auto& one) {
      text += fmt::format("{}: {:.3f} = share {:.3f} - usage {:.3f}{}", name, one.priority, one.share, one.usage,
                          by.by_share ? " x share" : "");
    };
    for (const auto& branch : by.branches) {
      path += "/" + branch.name;
      add(path, branch);
      text += "; in it of ";
    }
    add(by.user, by);
    return text;
  }
  std::string operator()(const place::FairTree& by) const {
    if (by.path.empty()) return fmt::format("user {} has no shares in the tree, and comes last", by.user);
    std::string path;
    for (const auto& node : by.path) path += fmt::format("/{} (shares {:g}, usage {:.3f})", node.name, node.shares, node.usage);
    return fmt::format("fair tree: user {} of {}, {}", by.rank, by.users, path);
  }
  std::string operator()(const place::Multifactor& by) const {
    auto text = fmt::format(
        "priority {:.0f} = age {:.2f} x {:g} + fair-share {:.2f} x {:g} + size {:.2f} x {:g} + priority {:.2f} x {:g} "
        "+ affinity {:.2f} x {:g} + project {:.2f} x {:g} + early {:.2f} x {:g}",
        by.priority, by.age.value, by.age.weight, by.fairshare.value, by.fairshare.weight, by.size.value, by.size.weight,
        by.campaign_priority.value, by.campaign_priority.weight, by.affinity.value, by.affinity.weight, by.project.value, by.project.weight,
        by.early.value, by.early.weight);
    for (const auto& [name, factor] : {std::pair{"project", by.project_priority}, {"group", by.group_priority}}) {
      if (factor.weight > 0.0) text += fmt::format(" + {} priority {:.2f} x {:g}", name, factor.value, factor.weight);
    }
    return text;
  }
  std::string operator()(const place::Tickets& by) const {
    auto text = fmt::format(
        "{:.1f} tickets of {} rankings: ranking {:.2f} = user priority {:.2f} + priority {:.2f} + wall clock {:.2f} + CPU time "
        "{:.2f} + resources {:.2f} + creation {:.2f} + power {:.2f}",
        by.tickets, by.rankings, by.ranking, by.user_priority, by.campaign_priority, by.wall_clock, by.cpu_time, by.resources, by.creation,
        by.power);
    if (by.project_priority > 0.0) text += fmt::format(" + project priority {:.2f}", by.project_priority);
    if (by.group_priority > 0.0) text += fmt::format(" + group priority {:.2f}", by.group_priority);
    if (by.comes_last) text += "; its user has no shares in the tree, and is drawn when nobody else can be";
    for (const auto& node : by.path)
      text += fmt::format("{}/{} ({:g} of {:g} shares)", &node == by.path.data() ? "; drawn by the tree of shares: " : "", node.name,
                          node.shares, node.of_shares);
    return text;
  }
};

}  // namespace

Explanation explained(const Standing& standing) {
  return {.sentence = fmt::format("its place in the order: {}", text_of(standing)), .advice = {}};
}

std::string text_of(const Place& place) { return std::visit(PlaceText{}, place); }

namespace {

std::string text_of(const HeadStart& start) {
  const auto begun = fmt::format("head start: {} of its first {} have begun", start.begun_tasks, counted(start.first_tasks, "task"));
  if (start.granted_tasks == 0)
    return fmt::format("{}, and no more may begin early now: first tasks of its user have {} of at most {}", begun, start.user_jobs,
                       counted(start.most_jobs, "job"));
  return fmt::format(
      "{}, and {} more may begin before others' later tasks: first tasks of its user have {} of at most {}, and hold {:g} of at most {:g} "
      "resources",
      begun, start.granted_tasks, start.user_jobs, counted(start.most_jobs, "job"), start.user_resources, start.most_resources);
}

std::string text_of(const ScarceMemory& memory) {
  const auto& [cluster, taken, share, node] = memory;
  if (node > 0 && taken > node)
    return fmt::format("its tasks took {} MB of memory at most, and no node of {} has more than {} MB, so {} comes last", taken, cluster,
                       node, cluster);
  return fmt::format("its tasks took {} MB of memory at most, and on {} the cores of a job go with {} MB, so clusters with more come first",
                     taken, cluster, share);
}

}  // namespace

std::string text_of(const Standing& standing) {
  std::string text;
  if (standing.place && standing.elsewhere)
    text = fmt::format("where its user has affinity: {}; elsewhere: {}", text_of(*standing.place), text_of(*standing.elsewhere));
  else if (standing.place) text = text_of(*standing.place);
  if (standing.head_start) text += (text.empty() ? "" : "; ") + text_of(*standing.head_start);
  for (const auto& [holder, name, priority, order, weights] : standing.given_priorities)
    text += (text.empty() ? "" : "; ") + grid::given_priority_note(holder, name, priority, {.name = order, .weights = weights});
  for (const auto& memory : standing.scarce_memory) text += (text.empty() ? "" : "; ") + text_of(memory);
  if (!standing.scarce_memory.empty()) text += "; memory_mb in its JDL requests what a task needs";
  if (!standing.priority) return text;
  const auto& [priority, order, weights, simultaneous] = *standing.priority;
  const auto note = grid::priority_note(priority, {.name = order, .weights = weights, .simultaneous = simultaneous});
  if (note) text += (text.empty() ? "" : "; ") + *note;
  return text;
}

}  // namespace gleaner::decisions
