#include "sim/gridsim/engine/file_server.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace gleaner::gridsim {

FileServers::FileServers(const Scenario& scenario) {
  std::map<std::string, std::size_t> homes;
  for (const auto& cluster : scenario.clusters) {
    auto place = servers_.size();
    if (!cluster.shared_home.empty()) place = homes.emplace(cluster.shared_home, place).first->second;
    if (place == servers_.size()) servers_.emplace_back();
    auto& serves = servers_[place].serves;
    if (cluster.serves_mb_s > 0) serves = serves > 0 ? std::min(serves, cluster.serves_mb_s) : cluster.serves_mb_s;
    places_.push_back(place);
  }
}

void FileServers::begin(int job, std::vector<Job>& jobs, Agenda& agenda) {
  auto& one = jobs[static_cast<std::size_t>(job)];
  one.work = one.duration;
  one.work_left = one.duration - std::max(0.0, seconds_of(agenda.now()) - seconds_of(*one.started));
  one.work_at = agenda.now();
  auto& server = server_of(one);
  if (one.io_mb_s <= 0 || server.serves <= 0) return;
  const double before = server.speed();
  server.wanted += one.io_mb_s;
  server.running.push_back(job);
  // It has begun at full speed, as its end in the agenda supposes.
  if (server.speed() < 1.0 || before < 1.0) change_speed(server, before, jobs, agenda);
}

void FileServers::end(int job, std::vector<Job>& jobs, Agenda& agenda) {
  auto& server = server_of(jobs[static_cast<std::size_t>(job)]);
  const auto found = std::ranges::find(server.running, job);
  if (found == server.running.end()) return;
  const double before = server.speed();
  server.running.erase(found);
  server.wanted = 0.0;
  for (const int other : server.running) server.wanted += jobs[static_cast<std::size_t>(other)].io_mb_s;
  if (before < 1.0) change_speed(server, before, jobs, agenda);
}

void FileServers::change_speed(Server& server, double before, std::vector<Job>& jobs, Agenda& agenda) {
  const auto now = agenda.now();
  const double speed = server.speed();
  for (const int job : server.running) {
    auto& one = jobs[static_cast<std::size_t>(job)];
    one.work_left = std::max(0.0, one.work_left - (seconds_of(now) - seconds_of(one.work_at)) * before);
    one.work_at = now;
    const double ran = seconds_of(now) - seconds_of(*one.started);
    one.duration = ran + one.work_left / speed;
    agenda.add(std::max(now, after(*one.started, std::min(one.duration, one.most_seconds))),
               {.kind = Event::Kind::job_end, .cluster = one.cluster, .job = job});
  }
}

}  // namespace gleaner::gridsim
