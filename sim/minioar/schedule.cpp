#include "sim/minioar/schedule.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace gleaner::minioar {

namespace {

struct Interval {
  std::int64_t begin;
  std::int64_t end;
};

/// The reservations of each resource over time.
class Timeline {
 public:
  Timeline(std::int64_t now, std::span<const Resource> resources, Absent absent)
      : now_{now}, resources_{resources}, absent_{absent}, busy_(resources.size()) {}

  void reserve(const std::vector<int>& places, std::int64_t begin, std::int64_t end) {
    // A job past its end is about to be killed, but still there.
    end = std::max(end, now_ + 1);
    for (const int place : places) busy_[static_cast<std::size_t>(place)].push_back({begin, end});
    if (end > now_) ends_.insert(end);
  }
  [[nodiscard]] std::vector<bool> free_during(std::int64_t begin, std::int64_t duration) const {
    std::vector<bool> usable(resources_.size());
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      const bool is_woken = absent_ == Absent::woken && resources_[i].state == ResourceState::absent;
      usable[i] = (resources_[i].state == ResourceState::alive || is_woken) &&
                  std::none_of(busy_[i].begin(), busy_[i].end(),
                               [&](const Interval& interval) { return interval.begin < begin + duration && begin < interval.end; });
    }
    return usable;
  }
  [[nodiscard]] bool any_free_now() const {
    const auto usable = free_during(now_, 1);
    return std::find(usable.begin(), usable.end(), true) != usable.end();
  }
  [[nodiscard]] std::vector<std::int64_t> times_from(std::int64_t first) const {
    std::vector<std::int64_t> times{first};
    times.insert(times.end(), ends_.upper_bound(first), ends_.end());
    return times;
  }

 private:
  std::int64_t now_;
  std::span<const Resource> resources_;
  Absent absent_;
  std::vector<std::vector<Interval>> busy_;
  std::set<std::int64_t> ends_;
};

class Planner {
 public:
  Planner(std::int64_t now, std::span<const Resource> resources, std::span<const Holder> holders, Absent absent)
      : now_{now}, resources_{resources}, holders_{holders}, absent_{absent} {}

  Schedule plan(std::span<const Candidate> candidates) {
    const auto middle = std::find_if(candidates.begin(), candidates.end(), [](const Candidate& c) { return c.best_effort; });
    const auto normal = static_cast<std::size_t>(middle - candidates.begin());
    Timeline timeline{now_, resources_, absent_};
    for (const auto& holder : holders_) {
      if (!holder.best_effort) timeline.reserve(holder.resources, holder.start, holder.end);
    }
    for (const auto& candidate : candidates.first(normal)) {
      if (candidate.begins <= now_) continue;
      if (const auto found = fit(candidate, timeline, candidate.begins)) timeline.reserve(found->resources, candidate.begins, found->end);
    }
    rank_best_effort();
    plan_queue(candidates.first(normal), timeline);
    for (const auto& holder : holders_) {
      if (holder.best_effort) timeline.reserve(holder.resources, holder.start, holder.end);
    }
    rank_.clear();
    rank_absent();
    plan_queue(candidates.subspan(normal), timeline);
    return std::move(result_);
  }

 private:
  /// Free resources rank first, then those of jobs being killed, then those of the youngest jobs.
  void rank_best_effort() {
    rank_.assign(resources_.size(), 0);
    holder_of_.assign(resources_.size(), nullptr);
    std::vector<const Holder*> order;
    for (const auto& holder : holders_) {
      if (holder.best_effort) order.push_back(&holder);
    }
    std::sort(order.begin(), order.end(), [](const Holder* a, const Holder* b) {
      return std::tuple{!a->being_killed, -a->start, -a->job} < std::tuple{!b->being_killed, -b->start, -b->job};
    });
    int next = 0;
    for (const auto* holder : order) {
      ++next;
      for (const int place : holder->resources) {
        rank_[static_cast<std::size_t>(place)] = holder->being_killed ? 1 : 1 + next;
        holder_of_[static_cast<std::size_t>(place)] = holder;
      }
    }
    rank_absent();
  }

  /// Nodes that are woken rank after all that are awake.
  void rank_absent() {
    if (absent_ == Absent::out) return;
    rank_.resize(resources_.size(), 0);
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      if (resources_[i].state == ResourceState::absent) rank_[i] = std::numeric_limits<int>::max();
    }
  }

  struct Found {
    int moldable;
    std::vector<int> resources;
    std::int64_t end;
  };
  std::optional<Found> fit(const Candidate& candidate, const Timeline& timeline, std::int64_t time) const {
    int index = 0;
    for (const auto& moldable : *candidate.moldables) {
      const auto lasts = candidate.best_effort ? kBestEffortDuration : moldable.walltime;
      Choice choice{resources_, timeline.free_during(time, lasts), time == now_ ? rank_ : std::vector<int>{}, candidate.groups_meet};
      if (candidate.best_effort) keep_best_effort(choice);
      if (auto places = place(moldable, *candidate.properties, choice)) return Found{index, std::move(*places), time + lasts};
      ++index;
    }
    return std::nullopt;
  }

  void plan_queue(std::span<const Candidate> queue, Timeline& timeline) {
    int depth = kPredictionDepth;
    std::map<const void*, std::int64_t> not_before;
    for (const auto& candidate : queue) {
      if (candidate.begins > now_) continue;
      if (depth == 0 && !timeline.any_free_now()) return;
      const auto [known, first_of_it] = not_before.emplace(candidate.moldables, now_);
      if (known->second == now_) {
        if (auto found = fit(candidate, timeline, now_)) {
          timeline.reserve(found->resources, now_, found->end);
          start(candidate, std::move(*found));
          continue;
        }
      }
      if (depth > 0) {
        --depth;
        predict(candidate, timeline, known->second);
      } else {
        known->second = now_ + 1;
      }
    }
  }

  void predict(const Candidate& candidate, Timeline& timeline, std::int64_t& not_before) {
    for (const auto time : timeline.times_from(not_before)) {
      if (time == now_) continue;
      if (auto found = fit(candidate, timeline, time)) {
        timeline.reserve(found->resources, time, found->end);
        result_.predictions.push_back({candidate.job, time});
        not_before = time;
        return;
      }
    }
    not_before = std::max(not_before, now_ + 1);
  }

  void start(const Candidate& candidate, Found found) {
    bool clear = true;
    if (!candidate.best_effort) {
      for (const int at : found.resources) {
        const auto* holder = holder_of_[static_cast<std::size_t>(at)];
        if (holder == nullptr) continue;
        clear = false;
        if (!holder->being_killed && killed_.insert(holder->job).second) result_.kills.push_back(holder->job);
      }
    }
    if (clear) {
      result_.starts.push_back({candidate.job, found.moldable, std::move(found.resources)});
    } else {
      result_.predictions.push_back({candidate.job, now_});
    }
  }

  std::int64_t now_;
  std::span<const Resource> resources_;
  std::span<const Holder> holders_;
  Absent absent_;
  std::vector<int> rank_;
  std::vector<const Holder*> holder_of_;
  std::set<JobNumber> killed_;
  Schedule result_;
};

}  // namespace

Schedule schedule(std::int64_t now, std::span<const Resource> resources, std::span<const Holder> holders,
                  std::span<const Candidate> candidates, Absent absent) {
  return Planner{now, resources, holders, absent}.plan(candidates);
}

}  // namespace gleaner::minioar
