#include "sim/world/messenger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "lib/grid/clock.hpp"
#include "sim/world/text_body.hpp"

namespace gleaner::world {
namespace {

using std::chrono::milliseconds;

std::string_view name_of(oar::Method method) {
  switch (method) {
    case oar::Method::get: return "GET";
    case oar::Method::post: return "POST";
    case oar::Method::remove: return "DELETE";
  }
  return "?";
}

/// The jobs of an array, which a submission lists by lines; 0: it is none.
int listed_jobs(std::string_view body) {
  const auto list = body.find("\"param_file\":");
  int lines = 0;
  for (auto at = list; at != std::string_view::npos; at = body.find("\\n", at + 2)) ++lines;
  return std::max(0, lines - 1);
}

/// A list of files shows their times, which are those of this machine.
bool shows_real_times(const oar::Request& request) { return request.path.starts_with("/media/ls"); }

std::string outcome_of(const oar::Request& request, const oar::Result<oar::Answer>& answer, const Trace& trace) {
  if (answer && shows_real_times(request)) return std::to_string(answer->status);
  return answer ? fmt::format("{} {}", answer->status, trace.digest(answer->body)) : oar::describe(answer.error());
}

}  // namespace

WorldMessenger::WorldMessenger(Clusters& clusters, VirtualClock& clock, Faults& faults, Gate& gate, Trace& trace)
    : clusters_{clusters}, clock_{clock}, faults_{faults}, gate_{gate}, trace_{trace}, latency_{faults.seed(), "latency"} {
  oar::send_by(this);
}

WorldMessenger::~WorldMessenger() { oar::send_by(nullptr); }

oar::Result<oar::Answer> WorldMessenger::deliver(const oar::Access& access, const oar::Request& request) {
  gate_.at_request("request");
  ++requests_;
  auto answer = exchange(clusters_.at(access.name), access, request);
  trace_.note(fmt::format("{} {} {} as {} {}: {}", access.name, name_of(request.method), request.path, request.user,
                          trace_.digest(request.body), outcome_of(request, answer, trace_)));
  gate_.at_request("answer");
  return answer;
}

oar::Result<oar::Answer> WorldMessenger::exchange(Cluster& cluster, const oar::Access& access, const oar::Request& request) {
  constexpr milliseconds kLate{1500};
  constexpr int kInternalError = 500;
  const milliseconds latency{latency_.between(2, 20)};
  clock_.advance(faults_.happens(Fault::late) ? kLate : latency);
  if (faults_.is_away(Fault::refused, cluster.name())) {
    faults_.count(Fault::refused);
    return tl::unexpected(oar::Failure{oar::NotSent{"Connection refused"}});
  }
  if (faults_.happens(Fault::unsent)) return tl::unexpected(oar::Failure{oar::NoAnswer{"Connection reset by peer"}});
  if (faults_.happens(Fault::error)) {
    return oar::Answer{.status = kInternalError,
                       .content_type = "text/html",
                       .body = "<html>Internal Server Error</html>",
                       .latency = latency,
                       .clock_ahead = {}};
  }
  if (const auto refused = refusal_of(cluster, request)) return *refused;
  auto answer = answer_of(cluster, access, request);
  if (faults_.happens(Fault::doubled)) {
    answer = answer_of(cluster, access, request);
    trace_.note(fmt::format("{} got that request twice", cluster.name()));
  }
  if (faults_.happens(Fault::lost)) return tl::unexpected(oar::Failure{oar::NoAnswer{"Empty reply from server"}});
  falsify(cluster, request, answer);
  if (faults_.happens(Fault::truncated)) answer.body.resize(answer.body.size() / 2);
  answer.latency = latency;
  return answer;
}

/// The requests that a web server before OAR refuses by itself.
std::optional<oar::Answer> WorldMessenger::refusal_of(const Cluster& cluster, const oar::Request& request) {
  constexpr int kForbidden = 403;
  constexpr int kTooLarge = 413;
  constexpr std::string_view kTooLargeWords{"the request is too large"};  // sql/world/promises.sql looks for them
  constexpr int kMost = 2;
  const auto refused = [&](int status, Fault fault, std::string_view words) {
    faults_.count(fault);
    return oar::Answer{
        .status = status, .content_type = "text/html", .body = fmt::format("<html>{}</html>", words), .latency = {}, .clock_ahead = {}};
  };
  if (request.path.starts_with("/media") && faults_.is_away(Fault::unreadable, cluster.name()))
    return refused(kForbidden, Fault::unreadable, "forbidden");
  if (listed_jobs(request.body) > kMost && faults_.has_begun(Fault::too_large, cluster.name()))
    return refused(kTooLarge, Fault::too_large, kTooLargeWords);
  return std::nullopt;
}

/// The errors in OAR's lists.
void WorldMessenger::falsify(const Cluster& cluster, const oar::Request& request, oar::Answer& answer) {
  constexpr std::string_view kTotal{"\"total\":"};
  if (request.method != oar::Method::get || !request.path.starts_with("/jobs")) return;
  const auto at = answer.body.find(kTotal);
  if (at == std::string::npos || !faults_.has_begun(Fault::wrong_total, cluster.name())) return;
  answer.body.insert(at + kTotal.size(), "9");
  faults_.count(Fault::wrong_total);
}

oar::Answer WorldMessenger::answer_of(Cluster& cluster, const oar::Access& access, const oar::Request& request) {
  TextBody body{request.body};
  http::Request sent;
  sent.method = name_of(request.method);
  sent.target = cluster.prefix() + request.path;
  const auto [path, query] = http::split_target(sent.target);
  sent.path = path;
  sent.query = http::parse_query(query);
  sent.headers.add("Accept", "application/json");
  if (request.method == oar::Method::post) sent.headers.add("Content-Type", std::string{request.body_type});
  if (!request.user.empty()) sent.headers.add(access.identity_header, request.user);
  sent.body = &body;
  const auto response = cluster.handle(sent);
  oar::Answer answer;
  answer.status = static_cast<int>(response.status);
  answer.content_type = response.headers.find("Content-Type").value_or("");
  answer.body = text_of(response);
  const auto host_ahead = std::chrono::duration_cast<std::chrono::seconds>(grid::now() - clock_.now());
  answer.clock_ahead = cluster.clock_ahead() - host_ahead;
  return answer;
}

}  // namespace gleaner::world
