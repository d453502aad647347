#include "runner/launcher.hpp"

#include <fmt/format.h>

#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/process/stop.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"
#include "runner/submission.hpp"

namespace gleaner::runner {
namespace {

/// A launch whose intent is written.
struct Begun {
  store::LaunchToMake launch;
  std::vector<store::LaunchLine> lines;
  oar::SubmitRequest request;
};

class Launcher {
 public:
  Launcher(fleet::Visit& visit, const std::string& grid, Counts& counts) : visit_{visit}, grid_{grid}, counts_{counts} {}

  void make(const std::vector<store::LaunchToMake>& launches);

 private:
  [[nodiscard]] std::optional<Begun> begin(const store::LaunchToMake& launch);
  void settle(const Begun& begun, const oar::Result<oar::Submitted>& answer);
  void accept(const Begun& begun, const oar::Submitted& submitted);
  void refuse(const store::LaunchToMake& launch, const std::string& error);
  void give_back(const store::LaunchToMake& launch, const std::string& why);
  void lose(const Begun& begun, const oar::Failure& failure);

  fleet::Visit& visit_;
  const std::string& grid_;
  Counts& counts_;
  bool usable_ = true;  ///< the cluster has not failed in this run
};

void Launcher::give_back(const store::LaunchToMake& launch, const std::string& why) {
  visit_.database.transact([&](store::Transaction& transaction) {
    store::give_back(transaction, {.launch = launch.id, .state = grid::LaunchState::void_, .back = store::Back::anywhere, .error = why}, fleet::now());
  });
  ++counts_.given_back;
}

void Launcher::refuse(const store::LaunchToMake& launch, const std::string& error) {
  const store::Target pair{.campaign = launch.campaign, .cluster = visit_.cluster.id};
  const auto& config = visit_.config;
  process::log::warning("launch refused", {{"cluster", visit_.cluster.name}, {"campaign", launch.campaign}, {"launch", launch.id}, {"error", error}});
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = fleet::now();
    store::give_back(transaction, {.launch = launch.id, .state = grid::LaunchState::refused, .back = store::Back::anywhere, .error = error}, now);
    store::open_event(transaction, {.code = "LAUNCH_REFUSED", .target = pair, .job = {}, .message = error}, now);
    store::set_brake(transaction, pair, fmt::format("the cluster refused its jobs: {}", error),
                     {std::chrono::duration_cast<grid::Seconds>(config.brake_time), std::chrono::duration_cast<grid::Seconds>(config.brake_time_max)}, now);
  });
  ++counts_.refused;
}

std::optional<Begun> Launcher::begin(const store::LaunchToMake& launch) {
  if (launch.campaign_state != grid::CampaignState::in_treatment) {
    give_back(launch, fmt::format("its campaign is {}", grid::name_of(launch.campaign_state)));
    return std::nullopt;
  }
  Begun begun{.launch = launch, .lines = {}, .request = {}};
  visit_.database.transact([&](store::Transaction& transaction) { begun.lines = store::launch_lines(transaction, launch.id); });
  auto request = request_of(launch, begun.lines, visit_.cluster.name, grid_);
  if (!request) {
    refuse(launch, request.error());
    return std::nullopt;
  }
  begun.request = std::move(*request);
  bool ours = false;
  visit_.database.transact([&](store::Transaction& transaction) {
    ours = store::begin_launch(transaction, launch.id, begun.request.name, visit_.database.term(), fleet::now());
  });
  if (!ours) return std::nullopt;
  return begun;
}

void Launcher::accept(const Begun& begun, const oar::Submitted& submitted) {
  std::vector<store::AcceptedJob> jobs;
  for (std::size_t i = 0; i < begun.lines.size(); ++i) jobs.push_back({begun.lines[i].job, submitted.ids[i]});
  visit_.database.transact([&](store::Transaction& transaction) {
    store::accept_launch(transaction, begun.launch.id, jobs, submitted.array, fleet::now());
  });
  process::log::info("launch accepted", {{"cluster", visit_.cluster.name},
                                         {"campaign", begun.launch.campaign},
                                         {"launch", begun.launch.id},
                                         {"jobs", jobs.size()},
                                         {"array", submitted.array}});
  ++counts_.accepted;
}

void Launcher::lose(const Begun& begun, const oar::Failure& failure) {
  const auto error = oar::describe(failure);
  process::log::warning("launch without an answer", {{"cluster", visit_.cluster.name}, {"launch", begun.launch.id}, {"error", error}});
  const std::array launches{begun.launch.id};
  visit_.database.transact([&](store::Transaction& transaction) { store::mark_unknown(transaction, launches, error); });
  ++counts_.unknown;
  usable_ = false;
}

void Launcher::settle(const Begun& begun, const oar::Result<oar::Submitted>& answer) {
  if (answer) return accept(begun, *answer);
  const auto& failure = answer.error();
  if (oar::outcome_unknown(failure)) return lose(begun, failure);
  if (const auto* refused = std::get_if<oar::Refused>(&failure)) return refuse(begun.launch, refused->message);
  give_back(begun.launch, oar::describe(failure));
  fleet::note_unreachable(visit_, oar::describe(failure));
  usable_ = false;
}

void Launcher::make(const std::vector<store::LaunchToMake>& launches) {
  const auto batch = static_cast<std::size_t>(fleet::limits_of(visit_.config).parallel);
  for (std::size_t first = 0; first < launches.size() && usable_ && !process::stop_requested(); first += batch) {
    std::vector<Begun> begun;
    std::vector<oar::SubmitRequest> requests;
    for (std::size_t i = first; i < std::min(first + batch, launches.size()); ++i) {
      auto one = begin(launches[i]);
      if (!one) continue;
      requests.push_back(one->request);
      begun.push_back(std::move(*one));
    }
    if (begun.empty()) continue;
    process::failpoint("runner.before_post");
    const auto answers = visit_.client.submit(requests);
    process::failpoint("runner.after_post");
    for (std::size_t i = 0; i < begun.size(); ++i) settle(begun[i], answers[i]);
    process::failpoint("runner.after_accept");
    counts_.launches += static_cast<int>(begun.size());
  }
}

}  // namespace

void make_launches(fleet::Visit& visit, const std::string& grid, Counts& counts) {
  std::vector<store::LaunchToMake> launches;
  visit.database.transact([&](store::Transaction& transaction) { launches = store::planned_launches(transaction, visit.cluster.id); });
  Launcher{visit, grid, counts}.make(launches);
}

}  // namespace gleaner::runner
