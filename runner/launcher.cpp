#include "runner/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "lib/grid/campaign_folder.hpp"
#include "lib/grid/evidence.hpp"
#include "lib/grid/job_identity.hpp"
#include "lib/grid/launch_fate.hpp"
#include "lib/grid/named_nodes.hpp"
#include "lib/grid/oarsub_words.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/events.hpp"
#include "lib/store/launches.hpp"
#include "runner/limits.hpp"
#include "runner/one_launch.hpp"
#include "runner/submission.hpp"

namespace gleaner::runner {
namespace {

/// A launch whose intent is written.
struct Begun {
  store::LaunchToMake launch;
  std::vector<store::LaunchLine> lines;
  Submission submission;
};

/// HTTP's status of a request that is larger than the server takes.
constexpr int kTooLarge = 413;

LaunchOf of(const store::LaunchToMake& launch) { return {launch.id, launch.campaign}; }

grid::PostAnswer answer_of(const oar::Result<oar::Submitted>& answer) {
  if (answer) return grid::PostAnswer::accepted;
  if (oar::outcome_unknown(answer.error())) return grid::PostAnswer::lost;
  return std::holds_alternative<oar::Refused>(answer.error()) ? grid::PostAnswer::refused : grid::PostAnswer::not_sent;
}

class Launcher {
 public:
  Launcher(fleet::Visit& visit, const grid::Epochs& epochs, Programs& programs, Counts& counts)
      : visit_{visit}, epochs_{epochs}, programs_{programs}, counts_{counts} {}

  void make(const std::vector<store::LaunchToMake>& launches);

 private:
  /// Whether each request carries a token of its user.
  [[nodiscard]] bool by_token() const;
  /// Why there is none for this launch.
  [[nodiscard]] std::optional<std::string> wrong_token(const store::LaunchToMake& launch) const;
  [[nodiscard]] std::optional<Begun> begin(const store::LaunchToMake& launch);
  /// Restricts a replica to other nodes than those of its task's first job. False: it is not sent now.
  [[nodiscard]] bool avoid_first_job(store::LaunchToMake& launch);
  /// Keeps the jobs from the nodes that the plan leaves empty. Without a condition that is short enough, OAR chooses among all.
  void leave_nodes(store::LaunchToMake& launch);
  [[nodiscard]] std::vector<Begun> begin_some(std::span<const store::LaunchToMake> launches);
  /// Writes the files of the pools. The launches of which the file was written; the others are given back.
  [[nodiscard]] std::vector<Begun> write_pools(std::vector<Begun> begun);
  /// The launches that are still to be sent.
  [[nodiscard]] std::vector<Begun> confirm(std::vector<Begun> begun);
  void send(std::vector<Begun> begun);
  void settle(const Begun& begun, const oar::Result<oar::Submitted>& answer);
  void accept(const Begun& begun, const oar::Submitted& submitted);
  /// The event of a refusal, and what keeps the same from being sent again.
  struct Refusal {
    std::string_view code;
    std::string error;    ///< of the launch
    std::string message;  ///< of the event
    std::function<void(store::Transaction&, grid::Instant)> hold_back = {};
  };
  /// Gives the tasks of a refused launch back, and reports it, in one transaction.
  void settle_refused(const store::LaunchToMake& launch, grid::LaunchState from, const Refusal& refusal);
  void refuse(const store::LaunchToMake& launch, grid::LaunchState from, const std::string& error);
  /// OAR refused a launch that has a pool: its tasks are sent again without one, before anything is braked.
  void refuse_pool(const store::LaunchToMake& launch, const std::string& error);
  /// A web server before OAR refused the request for its size: half as many jobs next time, or a brake when it was one.
  void refuse_large(const Begun& begun, const std::string& words);
  void give_back(const store::LaunchToMake& launch, grid::LaunchState from, const std::string& why);
  void lose(const Begun& begun, const std::string& error);

  fleet::Visit& visit_;
  const grid::Epochs& epochs_;
  Programs& programs_;
  Counts& counts_;
  bool usable_ = true;  ///< the cluster has not failed in this run
};

void Launcher::give_back(const store::LaunchToMake& launch, grid::LaunchState from, const std::string& why) {
  visit_.database.transact([&](store::Transaction& transaction) {
    store::give_back(transaction,
                     {.launch = launch.id, .from = from, .to = grid::LaunchState::void_, .sent = grid::Sent::never, .error = why},
                     limits_of(visit_.config), store::now(transaction));
  });
  ++counts_.given_back;
}

void Launcher::settle_refused(const store::LaunchToMake& launch, grid::LaunchState from, const Refusal& refusal) {
  process::log::warning("launch refused", {{"cluster", visit_.cluster.name},
                                           {"campaign", launch.campaign},
                                           {"launch", launch.id},
                                           {"event", refusal.code},
                                           {"error", refusal.error}});
  visit_.database.transact([&](store::Transaction& transaction) {
    const auto now = store::now(transaction);
    store::give_back(
        transaction,
        {.launch = launch.id, .from = from, .to = grid::LaunchState::refused, .sent = grid::Sent::never, .error = refusal.error},
        limits_of(visit_.config), now);
    const store::Target pair{.campaign = launch.campaign, .cluster = visit_.cluster.id};
    store::open_event(transaction, {.code = refusal.code, .target = pair, .job = {}, .message = refusal.message}, now);
    if (refusal.hold_back) refusal.hold_back(transaction, now);
  });
  ++counts_.refused;
}

void Launcher::refuse(const store::LaunchToMake& launch, grid::LaunchState from, const std::string& error) {
  const store::Target pair{.campaign = launch.campaign, .cluster = visit_.cluster.id};
  const auto brake = [&](store::Transaction& transaction, grid::Instant now) {
    // Without a pool it was refused too, so the pool was not the cause.
    if (!launch.pool) store::close_event(transaction, store::kPoolRefused, pair, now);
    store::set_brake(transaction, pair, fmt::format("the cluster refused its jobs: {}", error), brake_of(visit_.config), now);
  };
  settle_refused(launch, from, {.code = "LAUNCH_REFUSED", .error = error, .message = error, .hold_back = brake});
}

void Launcher::refuse_pool(const store::LaunchToMake& launch, const std::string& error) {
  const auto message = fmt::format(
      "{} refused jobs of several tasks, whose walltime is {} (a task's {} and pool_duration, {}); each task has its own job there until "
      "'gridsub --fix {}'. Its words: {}",
      visit_.cluster.name, grid::format_walltime(launch.walltime + *launch.pool), grid::format_walltime(launch.walltime),
      grid::format_walltime(*launch.pool), launch.campaign.value(), error);
  settle_refused(launch, grid::LaunchState::launching, {.code = store::kPoolRefused, .error = error, .message = message});
}

void Launcher::refuse_large(const Begun& begun, const std::string& words) {
  const auto& launch = begun.launch;
  const auto jobs = std::ranges::count_if(begun.lines, [](const auto& line) { return !line.pooled; });
  const auto limit = fmt::format(
      "a web server before OAR on {} refuses requests of this size (HTTP 413: {}); its administrators can raise the "
      "limit: client_max_body_size of nginx, LimitRequestBody of Apache",
      visit_.cluster.name, words);
  if (jobs <= 1) {
    return refuse(launch, grid::LaunchState::launching,
                  fmt::format("{}. One job alone is too large there; shorter parameters and commands make it smaller", limit));
  }
  const auto half = static_cast<int>(jobs / 2);
  const auto bound = [&](store::Transaction& transaction, grid::Instant) {
    store::bound_arrays(transaction, launch.campaign, visit_.cluster.id, half);
  };
  settle_refused(launch, grid::LaunchState::launching,
                 {.code = "ARRAY_TOO_LARGE",
                  .error = limit,
                  .message = fmt::format("an array of {} jobs: {}. Arrays of this campaign have at most {} there from now on, until "
                                         "'gridsub --fix {}'",
                                         jobs, limit, half, launch.campaign.value()),
                  .hold_back = bound});
}

bool Launcher::by_token() const {
  const auto way = visit_.client.access().authentication;
  return way == oar::Authentication::token || way == oar::Authentication::signed_token;
}

std::optional<std::string> Launcher::wrong_token(const store::LaunchToMake& launch) const {
  if (!by_token()) return std::nullopt;
  const auto bearer = oar::bearer_of(visit_.client.access(), launch.login);
  return bearer ? std::nullopt : std::optional{bearer.error()};
}

bool Launcher::avoid_first_job(store::LaunchToMake& launch) {
  if (!launch.beside) return true;
  const std::array asked{oar::JobOf{launch.login, *launch.beside}};
  const auto details = std::move(visit_.client.details(asked, oar::Nodes::named).front());
  // An API that does not answer is asked again in the next turn.
  if (!details && !std::holds_alternative<oar::Refused>(details.error())) return false;
  const auto condition = details ? condition_without(details->hosts) : std::nullopt;
  if (!condition || condition->empty()) {
    give_back(launch, grid::LaunchState::planned, "the cluster does not name the nodes of the task's first job");
    return false;
  }
  launch.properties = launch.properties.empty() ? *condition : fmt::format("({}) AND {}", launch.properties, *condition);
  return true;
}

void Launcher::leave_nodes(store::LaunchToMake& launch) {
  const auto leaves = grid::NodeSizes::parse(launch.leaves);
  if (launch.leaves.empty() || !leaves) return;
  grid::NamedNodes nodes;
  visit_.database.transact([&](store::Transaction& transaction) { nodes = store::named_nodes(transaction, visit_.cluster.id); });
  const auto condition = nodes.condition_leaving(*leaves, grid::kMostOfCondition);
  if (!condition || condition->empty()) return;
  const auto all = launch.properties.empty() ? *condition : fmt::format("({}) AND {}", launch.properties, *condition);
  if (!grid::wrong_properties(all)) launch.properties = all;
}

std::optional<Begun> Launcher::begin(const store::LaunchToMake& launch) {
  if (grid::to_begin({.campaign = launch.campaign_state}) != grid::LaunchStep::go_on) {
    give_back(launch, grid::LaunchState::planned, fmt::format("its campaign is {}", grid::name_of(launch.campaign_state)));
    return std::nullopt;
  }
  Begun begun{.launch = launch, .lines = {}, .submission = {}};
  visit_.database.transact([&](store::Transaction& transaction) { begun.lines = store::launch_lines(transaction, launch.id); });
  const bool has_cancelled = std::ranges::any_of(begun.lines, &store::LaunchLine::cancelling);
  if (grid::to_begin({.campaign = launch.campaign_state, .has_cancelled_task = has_cancelled}) != grid::LaunchStep::go_on) {
    give_back(launch, grid::LaunchState::planned, "a task of it was cancelled");
    return std::nullopt;
  }
  if (auto wrong = wrong_token(launch)) {
    give_back(launch, grid::LaunchState::planned, *wrong);
    return std::nullopt;
  }
  if (!avoid_first_job(begun.launch)) return std::nullopt;
  leave_nodes(begun.launch);
  auto submission = submission_of(begun.launch, begun.lines, visit_.cluster.name, epochs_,
                                  std::chrono::duration_cast<grid::Seconds>(visit_.config.checkpoint_notice),
                                  oar::takes_files(visit_.client.access().api) ? EndsIn::names : EndsIn::claims);
  if (!submission) {
    refuse(launch, grid::LaunchState::planned, submission.error());
    return std::nullopt;
  }
  begun.submission = std::move(*submission);
  if (auto& call = begun.submission.call) {
    programs_.want(launch.login, call->program);
    if (programs_.may_call(launch.login, call->program)) begun.submission.request.command = std::move(call->command);
  }
  bool ours = false;
  visit_.database.transact([&](store::Transaction& transaction) {
    ours = store::begin_launch(transaction, {.launch = launch.id, .tag = begun.submission.request.name, .login = launch.login},
                               visit_.database.term(), store::now(transaction));
  });
  if (!ours) return std::nullopt;
  return begun;
}

std::vector<Begun> Launcher::begin_some(std::span<const store::LaunchToMake> launches) {
  std::vector<Begun> begun;
  for (const auto& launch : launches) {
    for_one_launch(visit_, of(launch), "begin", [&] {
      if (auto one = begin(launch)) begun.push_back(std::move(*one));
    });
  }
  return begun;
}

std::vector<Begun> Launcher::write_pools(std::vector<Begun> begun) {
  std::vector<oar::FileOf> files;
  std::vector<const Begun*> owners;
  for (auto& one : begun) {
    if (one.submission.pool.empty()) continue;
    const auto folder = grid::fence_folder(epochs_, one.launch.campaign, one.launch.id);
    files.push_back({{one.launch.login, fmt::format("{}/{}", folder, grid::kPoolFile)}, std::move(one.submission.pool)});
    owners.push_back(&one);
  }
  if (files.empty()) return begun;
  oar::Client client{visit_.client.access(), fleet::file_limits_of(visit_.config)};
  const auto answers = client.write_files(files);
  std::set<grid::LaunchId> failed;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i]) continue;
    const auto& launch = owners[i]->launch;
    failed.insert(launch.id);
    const auto why = fmt::format("the list of its pooled tasks cannot be written on the cluster: {}", oar::describe(answers[i].error()));
    // A home in which nothing can be written brakes the pair; an API that does not answer is tried again.
    const auto& error = answers[i].error();
    const auto* refused = std::get_if<oar::Refused>(&error);
    const bool is_too_large = refused != nullptr && refused->status == kTooLarge;
    const bool is_answer = std::holds_alternative<oar::Refused>(error) || std::holds_alternative<oar::ServerError>(error);
    for_one_launch(visit_, of(launch), "give back", [&] {
      // Without a pool there is no list.
      // Nor is there one where the API takes no file.
      const bool takes_no_file = !oar::takes_files(visit_.client.access().api);
      if (is_too_large || takes_no_file) refuse_pool(launch, why);
      else if (is_answer) refuse(launch, grid::LaunchState::launching, why);
      else give_back(launch, grid::LaunchState::launching, why);
    });
  }
  std::erase_if(begun, [&](const Begun& one) { return failed.contains(one.launch.id); });
  return begun;
}

std::vector<Begun> Launcher::confirm(std::vector<Begun> begun) {
  std::vector<grid::LaunchId> ids;
  for (const auto& one : begun) ids.push_back(one.launch.id);
  std::vector<store::BegunLaunch> known;
  grid::Instant now;
  visit_.database.transact([&](store::Transaction& transaction) {
    now = store::now(transaction);
    known = store::begun_launches(transaction, ids);
  });
  std::erase_if(begun, [&](const Begun& one) {
    const auto found = std::ranges::find(known, one.launch.id, &store::BegunLaunch::id);
    if (found == known.end()) return true;
    const auto step = grid::to_send({.state = found->state,
                                     .own_term = found->term == visit_.database.term(),
                                     .campaign = found->campaign,
                                     .age = now - found->launching_at});
    if (step == grid::LaunchStep::go_on) return false;
    process::log::warning("launch not sent",
                          {{"cluster", visit_.cluster.name}, {"launch", one.launch.id}, {"state", grid::name_of(found->state)}});
    if (step == grid::LaunchStep::give_back) {
      for_one_launch(visit_, of(one.launch), "give back", [&] {
        give_back(one.launch, grid::LaunchState::launching,
                  "it was not sent: it was held up, or its campaign is not in treatment any more");
      });
    }
    return true;
  });
  return begun;
}

void Launcher::accept(const Begun& begun, const oar::Submitted& submitted) {
  std::vector<store::AcceptedJob> jobs;
  std::size_t next = 0;
  for (const auto& line : begun.lines) {
    if (!line.pooled) jobs.push_back({line.job, submitted.ids[next++]});
  }
  visit_.database.transact([&](store::Transaction& transaction) {
    store::accept_launch(transaction, begun.launch.id, jobs, submitted.array, store::now(transaction));
  });
  process::log::info("launch accepted", {{"cluster", visit_.cluster.name},
                                         {"campaign", begun.launch.campaign},
                                         {"launch", begun.launch.id},
                                         {"jobs", jobs.size()},
                                         {"array", submitted.array}});
  ++counts_.accepted;
}

void Launcher::lose(const Begun& begun, const std::string& error) {
  process::log::warning("launch without an answer", {{"cluster", visit_.cluster.name}, {"launch", begun.launch.id}, {"error", error}});
  const std::array launches{begun.launch.id};
  visit_.database.transact(
      [&](store::Transaction& transaction) { store::mark_unknown(transaction, launches, error, store::now(transaction)); });
  ++counts_.unknown;
}

void Launcher::settle(const Begun& begun, const oar::Result<oar::Submitted>& answer) {
  const auto what = answer_of(answer);
  const auto next = grid::after_post(what);
  usable_ = usable_ && next.cluster_usable;
  if (next.state == grid::LaunchState::accepted) return accept(begun, *answer);
  const auto error = oar::describe(answer.error());
  if (next.state == grid::LaunchState::unknown) return lose(begun, error);
  if (next.brakes) {
    // That the cluster does not take the user's token says nothing of the campaign: its tasks wait for another one.
    if (by_token() && oar::is_of_identity(answer.error())) return give_back(begun.launch, grid::LaunchState::launching, error);
    const auto& [status, words] = std::get<oar::Refused>(answer.error());
    if (status == kTooLarge) return refuse_large(begun, words);
    if (begun.launch.pool) return refuse_pool(begun.launch, words);
    // Other nodes than its task's first job may have none that fit: that says nothing of the campaign's other jobs.
    if (begun.launch.beside) return give_back(begun.launch, grid::LaunchState::launching, words);
    return refuse(begun.launch, grid::LaunchState::launching, words);
  }
  give_back(begun.launch, grid::LaunchState::launching, error);
  fleet::note_unreachable(visit_, error);
}

void Launcher::send(std::vector<Begun> begun) {
  std::vector<oar::SubmitRequest> requests;
  for (auto& one : begun) requests.push_back(std::move(one.submission.request));
  const auto answers = visit_.client.submit(requests);
  process::failpoint("runner.after_post");
  for (std::size_t i = 0; i < begun.size(); ++i)
    for_one_launch(visit_, of(begun[i].launch), "write the answer to", [&] { settle(begun[i], answers[i]); });
  process::failpoint("runner.after_accept");
  counts_.launches += static_cast<int>(begun.size());
}

void Launcher::make(const std::vector<store::LaunchToMake>& launches) {
  const auto batch = static_cast<std::size_t>(fleet::limits_of(visit_.config).parallel);
  const std::span all{launches};
  for (std::size_t first = 0; first < all.size() && usable_ && visit_.time_left() > process::Duration{0}; first += batch) {
    auto begun = begin_some(all.subspan(first, std::min(batch, all.size() - first)));
    if (begun.empty()) continue;
    begun = write_pools(std::move(begun));
    process::failpoint("runner.before_post");
    begun = confirm(std::move(begun));
    if (!begun.empty()) send(std::move(begun));
  }
}

}  // namespace

void make_launches(fleet::Visit& visit, const grid::Epochs& epochs, Programs& programs, Counts& counts) {
  std::vector<store::LaunchToMake> launches;
  visit.database.transact([&](store::Transaction& transaction) {
    launches = store::planned_launches(transaction, visit.cluster.id);
    if (!launches.empty()) programs.read(transaction);
  });
  Launcher{visit, epochs, programs, counts}.make(launches);
}

}  // namespace gleaner::runner
