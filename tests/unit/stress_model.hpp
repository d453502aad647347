#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "predictor/algorithms/sample_set.hpp"
#include "predictor/algorithms/stress.hpp"
#include "updator/spread.hpp"

/// A cluster whose jobs share one file server, in virtual time: the grid fills it up to the limit, a poll every 5 s, as production.
namespace gleaner::prediction::test {

struct FileServer {
  int cores = 400;
  std::function<double(int)> serves = [](int) { return 1e9; };                     ///< jobs at full speed, at a second; the others share
  std::function<double(std::mt19937&)> work = [](std::mt19937&) { return 60.0; };  ///< seconds of a job alone
  std::function<int(int)> others = [](int) { return 0; };  ///< cores that local users hold at a second; they kill our youngest jobs
  int starts_a_second = 4;
  unsigned seed = 1;
  StressRules rules = {};
};

class FileServerModel {
 public:
  explicit FileServerModel(FileServer server) : server_{std::move(server)}, random_{server_.seed} {}

  void run(int seconds) {
    for (int second = 0; second < seconds; ++second) step();
  }

  [[nodiscard]] const StressState& state() const { return state_; }
  [[nodiscard]] int limit() const { return state_.job_limit.value_or(server_.cores); }
  [[nodiscard]] int running() const { return static_cast<int>(jobs_.size()); }
  /// Limits since the last call, one a poll.
  [[nodiscard]] std::vector<int> take_limits() { return std::exchange(limits_, {}); }
  [[nodiscard]] double take_work() { return std::exchange(worked_, 0.0); }

 private:
  struct Job {
    double left = 0.0;
    std::size_t sample = 0;  ///< its place + 1; 0: none
    int started = 0;
    std::int64_t campaign = 1;
  };
  struct Sample {
    int id = 0;
    std::int64_t campaign = 1;
    int started = 0, running = 1;
    double seconds = 0.0;
    enum class End { none, done, cut } end = End::none;
  };

  void step() {
    ++now_;
    const int room = server_.cores - server_.others(now_);
    while (running() > room) end(jobs_.size() - 1, Sample::End::cut);
    const double speed = std::min(1.0, server_.serves(now_) / std::max(1, running()));
    for (auto& job : jobs_) job.left -= speed;
    worked_ += speed * running();
    for (std::size_t i = jobs_.size(); i-- > 0;) {
      if (jobs_[i].left <= 0.0) end(i, Sample::End::done);
    }
    for (int i = 0; i < server_.starts_a_second && running() < std::min(room, limit()); ++i) {
      jobs_.push_back({.left = server_.work(random_), .started = now_});
      fresh_.push_back(jobs_.size() - 1);
    }
    if (now_ % 5 == 0) poll();
  }

  void end(std::size_t place, Sample::End how) {
    if (const auto id = jobs_[place].sample; id > 0) {
      for (auto& sample : samples_) {
        if (sample.id == static_cast<int>(id)) sample.seconds = now_ - sample.started, sample.end = how;
      }
    }
    std::erase(fresh_, place);
    for (auto& index : fresh_) index -= index > place ? 1U : 0U;
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(place));
  }

  void poll() {
    for (const auto place : updator::spread(fresh_.size(), 4)) {
      auto& job = jobs_[fresh_[place]];
      samples_.push_back({.id = ++next_, .campaign = job.campaign, .started = job.started, .running = running()});
      job.sample = static_cast<std::size_t>(next_);
    }
    fresh_.clear();
    std::vector<int> beside;
    for (const auto& sample : samples_) beside.push_back(sample.running);
    const auto forget = samples_to_forget(beside);
    for (auto place = forget.rbegin(); place != forget.rend(); ++place)
      samples_.erase(samples_.begin() + static_cast<std::ptrdiff_t>(*place));
    std::vector<DurationSample> seen;
    for (const auto& s : samples_) {
      const double age = now_ - s.started;
      seen.push_back({.campaign = grid::CampaignId{s.campaign},
                      .started = grid::from_unix(s.started),
                      .running = s.running,
                      .seconds = s.end == Sample::End::none ? age : s.seconds,
                      .horizon = s.end == Sample::End::cut ? s.seconds : age});
    }
    state_ = judge_stress(state_,
                          {.time = grid::from_unix(now_),
                           .factor = {},
                           .latency_ms = {},
                           .max_resources = server_.cores,
                           .live_jobs = running(),
                           .running_jobs = running()},
                          seen, server_.rules);
    limits_.push_back(limit());
  }

  FileServer server_;
  std::mt19937 random_;
  std::vector<Job> jobs_;
  std::vector<Sample> samples_;
  std::vector<std::size_t> fresh_;
  std::vector<int> limits_;
  StressState state_;
  double worked_ = 0.0;
  int now_ = 0, next_ = 0;
};

}  // namespace gleaner::prediction::test
