#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "lib/store/jobs.hpp"
#include "tests/unit/oar_fake.hpp"

namespace gleaner::tests {

/// How requests are answered: at once, with a 500 at once, or not at all.
enum class Mood { answers, fails, hangs };

/// The API of a cluster that lists some jobs, and that is out of order for some users. Every folder is empty.
class FakeCluster {
 public:
  [[nodiscard]] oar::Access access() const { return oar_.access(); }

  /// The mood of requests in the user's name, and for the user's jobs.
  void set(const std::string& login, Mood mood) { moods_[login] = mood; }
  void set_all(Mood mood) { mood_ = mood; }
  /// Requests for the details of this job fail.
  void hide_details(grid::RemoteJobId job) { hidden_.insert(job.value()); }
  /// The answer to a request whose text has `part` comes late.
  void delay(const std::string& part, std::chrono::milliseconds time) { delays_.emplace_back(part, time); }
  /// Calls `act` when a request arrives whose text has `part`; before its answer.
  void when(const std::string& part, std::function<void()> act) { acts_.emplace_back(part, std::move(act)); }
  /// A web server before it refuses jobs whose request has more bytes.
  void refuse_larger(std::size_t bytes) { most_bytes_ = bytes; }
  /// The answer to requests whose path begins so.
  void answers(const std::string& path, const std::string& body) { bodies_[path] = body; }
  void list(const store::LiveJob& job, std::string_view state) {
    list(job.remote.value(), job.login, job.tag,
         fmt::format("wrapper gleaner.{} {} {} {} {} -", job.campaign.value(), job.task.value(), job.attempt, job.id.value(),
                     job.fence.value()),
         state);
  }
  void list(std::int64_t id, std::string_view owner, std::string_view name, std::string_view command, std::string_view state) {
    items_[id] =
        fmt::format(R"({{"id":{0},"array_id":{0},"name":"{1}","command":"{2}","owner":"{3}","state":"{4}","start_time":1700000000}})", id,
                    name, command, owner, state);
  }
  /// As OAR says it of a job that started, which is listed already.
  void hold(std::int64_t id, std::int64_t resources) {
    auto& item = items_.at(id);
    item.pop_back();
    item += fmt::format(R"(,"message":"R={},W=1:0:0,J=B"}})", resources);
  }
  /// `GET alice /media/ls/~/x`: those whose texts have this part.
  [[nodiscard]] std::vector<std::string> requests(std::string_view part) {
    const std::lock_guard lock{mutex_};
    std::vector<std::string> found;
    std::ranges::copy_if(requests_, std::back_inserter(found),
                         [&](const std::string& request) { return request.find(part) != std::string::npos; });
    return found;
  }

 private:
  static std::string login_of(const http::Request& request) {
    constexpr std::string_view kUser{"user="};
    const auto at = request.target.find(kUser);
    if (at == std::string::npos) return std::string{request.headers.find("X_REMOTE_IDENT").value_or("-")};
    return request.target.substr(at + kUser.size(), request.target.find('&', at) - at - kUser.size());
  }

  static std::size_t length_of(const http::Request& request) {
    return std::stoul(std::string{request.headers.find("Content-Length").value_or("0")});
  }

  http::Response answer(const http::Request& request) {
    const auto login = login_of(request);
    const auto target = request.target.substr(std::string_view{"/oarapi"}.size());
    const auto text = fmt::format("{} {} {}", request.method, login, target);
    {
      const std::lock_guard lock{mutex_};
      requests_.push_back(text);
    }
    for (const auto& [part, act] : acts_) {
      if (text.find(part) != std::string::npos) act();
    }
    const auto known = moods_.find(login);
    const auto mood = known == moods_.end() ? mood_ : known->second;
    if (mood == Mood::fails) return oar::json(500, R"({"code":500,"title":"Error","message":"Input/output error"})");
    if (request.method == "POST" && target.starts_with("/jobs") && length_of(request) > most_bytes_)
      return oar::json(413, "<html><title>413 Request Entity Too Large</title></html>");
    auto response = body_of(target);
    for (const auto& [part, time] : delays_) {
      if (text.find(part) != std::string::npos) response.mishap.delay = time;
    }
    if (mood == Mood::hangs) response.mishap.delay = std::chrono::minutes{10};
    return response;
  }

  http::Response body_of(const std::string& target) const {
    for (const auto& [path, body] : bodies_ | std::views::reverse) {  // `/a/b` before `/a`
      if (target.starts_with(path)) return oar::json(200, body);
    }
    if (target.starts_with("/stress_factor")) return oar::json(200, R"({"GLOBAL_STRESS":"0.1"})");
    if (target.starts_with("/jobs/table"))
      return oar::json(
          200, fmt::format(R"({{"api_timestamp":1800000000,"items":[{}],"links":[],"offset":0,"total":{}}})", items(), items_.size()));
    if (!target.starts_with("/jobs/")) return oar::json(200, R"({"total":0,"items":[]})");
    const auto id = std::stoll(target.substr(std::string_view{"/jobs/"}.size()));
    return hidden_.contains(id) ? oar::json(500, R"({"code":500,"title":"Error","message":"no such event"})")
                                : oar::json(200, items_.at(id));
  }

  [[nodiscard]] std::string items() const {
    std::string all;
    for (const auto& [id, item] : items_) all += (all.empty() ? "" : ",") + item;
    return all;
  }

  std::map<std::string, Mood> moods_;
  Mood mood_ = Mood::answers;
  std::size_t most_bytes_ = 100'000'000;
  std::set<std::int64_t> hidden_;
  std::vector<std::pair<std::string, std::function<void()>>> acts_;
  std::vector<std::pair<std::string, std::chrono::milliseconds>> delays_;
  std::map<std::int64_t, std::string> items_;
  std::map<std::string, std::string> bodies_;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  oar::FakeOar oar_{[this](const http::Request& request) { return answer(request); }};  // the last: its threads use the rest
};

}  // namespace gleaner::tests
