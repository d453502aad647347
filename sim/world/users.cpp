#include "sim/world/users.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "lib/text/numbers.hpp"
#include "sim/world/text_body.hpp"

namespace gleaner::world {
namespace {

using std::chrono::microseconds;

constexpr unsigned kCreated = 201;
constexpr unsigned kRepeated = 200;  // of an Idempotency-Key
constexpr unsigned kWrong = 400;
constexpr unsigned kServerErrors = 500;

/// A number in an answer's JSON, whose members have no blanks before their values.
std::optional<std::int64_t> number_in(std::string_view body, std::string_view name) {
  const auto member = fmt::format("\"{}\":", name);
  const auto at = body.find(member);
  if (at == std::string_view::npos) return std::nullopt;
  auto rest = body.substr(at + member.size());
  const auto number = text::take_whole_number<std::int64_t>(rest);
  return number ? std::optional{*number} : std::nullopt;
}

uid_t uid_of(const std::string& user) { return 2000 + static_cast<uid_t>(user.front()); }

}  // namespace

Users::Users(const Settings& settings, api::Api& api, std::vector<std::string> clusters, const VirtualClock& clock, Gate& gate,
             Trace& trace, std::function<void(std::string)> find)
    : settings_{settings}, api_{api}, clusters_{std::move(clusters)}, clock_{clock}, gate_{gate}, trace_{trace}, find_{std::move(find)} {
  ids_.resize(static_cast<std::size_t>(settings.campaigns));
  texts_.resize(ids_.size());
  const bool is_array = settings.features.contains(Feature::array);
  for (int place = 0; place < settings.campaigns; ++place) is_array ? plan_row(place) : plan(place);
  for (int place = 0; place < settings.campaigns && !is_array; ++place)
    plan_act(place, "edit", Feature::edit, 0.35, Action::Kind::edit, std::nullopt);
  for (int place = 0; place < settings.campaigns && !is_array; ++place)
    plan_act(place, "hold", Feature::hold, 0.15, Action::Kind::hold_tasks, Action::Kind::release_tasks);
}

void Users::plan(int place) {
  auto& random = random_.emplace_back(settings_.seed, fmt::format("user {}", place));
  const double hours = settings_.hours * 3600;
  const double begin = random.fraction() * 0.7 * hours;
  const auto at = [](double seconds) { return VirtualClock::begin() + microseconds{static_cast<std::int64_t>(seconds * 1e6)}; };
  add({at(begin), 0, Action::Kind::submit, place});
  const auto perhaps = [&](Feature feature, Action::Kind kind, double probability) -> std::optional<double> {
    const bool is_drawn = random.chance(probability);
    const double when = begin + random.exponential(0.15 * hours);
    if (!is_drawn || !settings_.features.contains(feature) || when > hours) return std::nullopt;
    add({at(when), 0, kind, place});
    return when;
  };
  perhaps(Feature::append, Action::Kind::append, 0.3);
  const double pause = random.exponential(600);
  if (const auto held = perhaps(Feature::hold, Action::Kind::hold, 0.2))
    add({at(std::min(*held + pause, hours)), 0, Action::Kind::resume, place});
  perhaps(Feature::cancel, Action::Kind::cancel, 0.1);
  perhaps(Feature::cancel, Action::Kind::cancel_task, 0.2);
  perhaps(Feature::retry, Action::Kind::retry, 0.3);
  perhaps(Feature::asking, Action::Kind::inquire, 0.8);
}

void Users::plan_act(int place, std::string_view name, Feature feature, double probability, Action::Kind act,
                     std::optional<Action::Kind> undo) {
  Random random{settings_.seed, fmt::format("{} of user {}", name, place)};
  const auto submission =
      std::ranges::find_if(actions_, [&](const Action& action) { return action.kind == Action::Kind::submit && action.place == place; });
  const auto end = VirtualClock::begin() + microseconds{static_cast<std::int64_t>(settings_.hours * 3600e6)};
  const auto at = submission->at + microseconds{static_cast<std::int64_t>(random.exponential(0.1 * settings_.hours) * 3600e6)};
  const auto until = undo ? at + microseconds{static_cast<std::int64_t>(random.exponential(900) * 1e6)} : end;
  if (!random.chance(probability) || !settings_.features.contains(feature) || at >= end) return;
  add({at, 0, act, place});
  if (undo) add({std::min(until, end), 0, *undo, place});
}

void Users::add(Action action) {
  action.order = order_++;
  const auto key = [](const Action& one) { return std::tuple{one.at, one.order}; };
  actions_.insert(std::ranges::upper_bound(actions_, key(action), {}, key), action);
}

std::optional<grid::Instant> Users::next() const { return actions_.empty() ? std::nullopt : std::optional{actions_.front().at}; }

void Users::act() {
  while (!actions_.empty() && actions_.front().at <= clock_.now()) {
    const auto action = actions_.front();
    actions_.erase(actions_.begin());
    perform(action);
  }
}

Users::Answer Users::ask(const std::string& user, std::string method, const std::string& target, const std::string& body,
                         const std::string& key) {
  TextBody sent{body};
  http::Request request;
  request.method = std::move(method);
  request.target = target;
  const auto [path, query] = http::split_target(request.target);
  request.path = path;
  request.query = http::parse_query(query);
  if (!body.empty()) request.headers.add("Content-Type", body.starts_with('{') ? "application/json" : "application/x-ndjson");
  if (!key.empty()) request.headers.add("Idempotency-Key", key);
  request.peer.address = "unix";
  request.peer.process = http::Peer::Process{.uid = uid_of(user), .gid = uid_of(user), .pid = 0, .user = user};
  request.body = &sent;
  const auto before = gate_.enter({"gridapi", {}});
  Answer answer{kServerErrors, {}};
  try {
    const auto response = api_.handle(request);
    answer = {response.status, text_of(response)};
  } catch (const std::exception& error) {
    answer.body = error.what();  // as the server does
  }
  answer.is_disturbed = gate_.is_dead() || gate_.has_lost_database();
  if (gate_.is_dead()) answer = {kServerErrors, "the API died", true};
  gate_.enter(before);
  return answer;
}

std::optional<std::int64_t> Users::id_in(const Answer& answer) {
  if (answer.status != kCreated && answer.status != kRepeated) return std::nullopt;
  return number_in(answer.body, "id");
}

Users::Answer Users::submit(int place) {
  Jdl jdl;
  Answer answer{0, {}};
  if (settings_.features.contains(Feature::array)) {
    answer = submit_row(place, jdl);
  } else {
    jdl = campaign_at(settings_, place, clusters_, submitted_);
    answer = ask(jdl.user, "POST", "/v1/campaigns", jdl.text, fmt::format("campaign-{}", place));
  }
  texts_.at(static_cast<std::size_t>(place)) = jdl.text;
  // A row that was not sent has no text: what was answered is about what it needs.
  if (const auto id = jdl.text.empty() ? std::nullopt : id_in(answer)) {
    ids_.at(static_cast<std::size_t>(place)) = submitted_.size();
    submitted_.push_back({*id, jdl.user, jdl.tasks});
  }
  return answer;
}

Users::Answer Users::change(const Action& action, const Earlier& campaign) {
  auto& random = random_.at(static_cast<std::size_t>(action.place));
  const auto path = fmt::format("/v1/campaigns/{}", campaign.id);
  const auto key = fmt::format("action-{}", action.order);
  switch (action.kind) {
    case Action::Kind::submit: break;
    case Action::Kind::append: {
      // Drawn anew for each action, and the same for each of its tries.
      Random own{settings_.seed, key};
      const std::string_view number = settings_.features.contains(Feature::array) ? "0 " : "";
      const auto body = fmt::format("\"{0}{1}\"\n\"{0}{2}\"\n", number, parameter_of(settings_, own), parameter_of(settings_, own));
      return ask(campaign.user, "POST", path + "/tasks", body, key);
    }
    case Action::Kind::hold: return ask(campaign.user, "POST", path + "/hold", {}, {});
    case Action::Kind::resume: return ask(campaign.user, "POST", path + "/resume", {}, {});
    case Action::Kind::cancel: return ask(campaign.user, "DELETE", path, {}, {});
    case Action::Kind::cancel_task:
      return ask(campaign.user, "DELETE", fmt::format("{}/tasks/{}", path, random.between(0, campaign.tasks - 1)), {}, {});
    case Action::Kind::hold_tasks: {
      Random own{settings_.seed, key};
      const auto first = own.between(0, campaign.tasks - 1);
      return ask(campaign.user, "POST", fmt::format("{}/hold?tasks={}-{}", path, first, own.between(first, campaign.tasks - 1)), {}, {});
    }
    case Action::Kind::release_tasks: return ask(campaign.user, "POST", path + "/resume?tasks=0-*", {}, {});
    case Action::Kind::retry: return retry(campaign);
    case Action::Kind::inquire: return inquire(action, campaign);
    case Action::Kind::edit: return edit(action, campaign);
  }
  return {0, {}};
}

/// Changes the command, or turns one of several clusters off: not of a test campaign, whose task for that cluster would wait for its user.
Users::Answer Users::edit(const Action& action, const Earlier& campaign) {
  Random own{settings_.seed, fmt::format("edit {}", action.place)};
  const auto& text = texts_.at(static_cast<std::size_t>(action.place));
  std::vector<std::string> used;
  for (const auto& cluster : clusters_) {
    if (text.find(fmt::format("\"{}\": {{", cluster)) != std::string::npos) used.push_back(cluster);
  }
  const auto turned_off =
      used.size() > 1 && text.find("test_mode") == std::string::npos && own.chance(0.5) ? own.one_of(used) : std::string{};
  const auto body =
      turned_off.empty() ? std::string{R"({"exec_file": "task edited"})"} : fmt::format(R"({{"clusters": {{"{}": "off"}}}})", turned_off);
  auto known = std::ranges::find(edits_, action.order, &Edit::order);
  if (known == edits_.end()) known = edits_.insert(known, {campaign.id, clock_.now(), {}, turned_off, action.order});
  auto answer = ask(campaign.user, "PUT", fmt::format("/v1/campaigns/{}", campaign.id), body, {});
  if (answer.status < kWrong) known->end = clock_.now();
  if (answer.status == kWrong) find_(fmt::format("the edit {} of campaign {} was refused: {}", body, campaign.id, answer.body));
  return answer;
}

/// A stranger reads what is another's, and the owner sends what must be refused, and what must not.
Users::Answer Users::inquire(const Action& action, const Earlier& campaign) {
  const auto path = fmt::format("/v1/campaigns/{}", campaign.id);
  const auto expect = [&](std::string_view what, const Answer& answer, bool is_right) {
    if (answer.is_disturbed || answer.status >= kServerErrors || is_right) return;
    find_(fmt::format("{}: {} {}", what, answer.status, answer.body.substr(0, 200)));
  };
  const auto refused = [&](std::string_view what, const Answer& answer) {
    const bool is_error = answer.status >= kServerErrors && !answer.is_disturbed;
    if (is_error) find_(fmt::format("{} was not refused: {} {}", what, answer.status, answer.body.substr(0, 200)));
    expect(fmt::format("{} was not refused", what), answer, answer.status >= kWrong);
  };
  const auto jdl = [&](std::string_view keys, std::string_view section) {
    return fmt::format(R"({{"name": "wrong", {}, "clusters": {{"{}": {{"exec_file": "task", "walltime": "1:00:00"{}}}}}}})", keys,
                       clusters_.front(), section);
  };
  const auto submit_alike = [&](std::string_view query, const std::string& text) {
    return ask(campaign.user, "POST", fmt::format("/v1/campaigns{}", query), text, {});
  };
  for (const auto* target : {"/events", "/jobs", "/failures"}) {
    const auto answer = ask("eve", "GET", path + target, {}, {});
    if (answer.body.find(kSecret) != std::string::npos)
      find_(fmt::format("a stranger reads the stderr of campaign {} at {}", campaign.id, target));
  }
  refused("a query that is no text", ask("eve", "GET", "/v1/campaigns?user=%ff", {}, {}));
  auto other = texts_.at(static_cast<std::size_t>(action.place));
  if (const auto run = other.find("run="); run != std::string::npos) other.insert(run + 4, "1");
  refused("the key of an earlier submission with other parameters",
          ask(campaign.user, "POST", "/v1/campaigns", other, fmt::format("campaign-{}", action.place)));
  refused("a type of OAR that executes nothing", submit_alike("", jdl(R"("nb_jobs": 1)", R"(, "cluster_job_type": "noop")")));
  refused("replicas of a test campaign, strictly",
          submit_alike("?dry_run=1&strict=1", jdl(R"("nb_jobs": 1, "replicas": "allowed", "test_mode": "true")", "")));
  if (has_licences(settings_)) {
    const auto all_of_them =
        fmt::format(R"("nb_jobs": 2, "dimensional_grouping": true, "needs": {{"{}": {}}})", kConsumable, licences_of(settings_));
    if (settings_.cores > 1)
      refused("tasks side by side that need more licences than there are",
              submit_alike("?dry_run=1", jdl(all_of_them, R"(, "resources": "/nodes=1/core=2")")));
  }
  // CiGri's words: a job that failed is no terminated one.
  const auto finished = ask(campaign.user, "GET", fmt::format("/cigri/campaigns/{}/jobs/finished", campaign.id), {}, {});
  for (auto at = finished.body.find("\"state\":"); at != std::string::npos; at = finished.body.find("\"state\":", at + 1)) {
    const auto item = std::string_view{finished.body}.substr(at, finished.body.find('}', at) - at);
    const auto code = number_in(item, "return_code");
    expect("CiGri's clients are told that a failed job is terminated", finished,
           !code || *code == 0 || item.find("\"terminated\"") == std::string_view::npos);
  }
  return ask("eve", "GET", path, {}, {});
}

/// A campaign that is over may be edited before its failed tasks are given back.
Users::Answer Users::retry(const Earlier& campaign) {
  const auto path = fmt::format("/v1/campaigns/{}", campaign.id);
  const auto known = ask(campaign.user, "GET", path, {}, {});
  const bool is_over = known.body.find(R"("state":"terminated")") != std::string::npos;
  if (is_over && number_in(known.body, "failed").value_or(0) > 0) {
    const auto edited = ask(campaign.user, "PUT", path + "?dry_run=1", R"({"exec_file": "task edited"})", {});
    if (edited.status >= kWrong && edited.status < kServerErrors)
      find_(fmt::format("campaign {} cannot be edited before its failed tasks are given back: {} {}", campaign.id, edited.status,
                        edited.body));
  }
  given_back_.push_back(campaign.id);
  return ask(campaign.user, "POST", path + "/retries", {}, {});
}

bool Users::is_told_well() { return ask("eve", "GET", "/health", {}, {}).body.find(R"("status":"ok")") != std::string::npos; }

void Users::give_up(const std::vector<std::int64_t>& campaigns) {
  for (const auto id : campaigns) {
    const auto known = std::ranges::find(submitted_, id, &Earlier::id);
    if (known == submitted_.end()) continue;
    const auto answer = ask(known->user, "DELETE", fmt::format("/v1/campaigns/{}", id), {}, {});
    trace_.note(fmt::format("user gives up campaign {}: {}", id, answer.status));
  }
}

void Users::perform(Action action) {
  constexpr std::chrono::seconds kBetweenTries{20};
  constexpr int kMostTries = 100;
  constexpr std::array<std::string_view, 11> kNames{"submit", "append",  "hold", "resume",     "cancel",       "cancel_task",
                                                    "retry",  "inquire", "edit", "hold_tasks", "release_tasks"};
  const auto name = kNames.at(static_cast<std::size_t>(action.kind));
  Answer answer{0, {}};
  if (action.kind == Action::Kind::submit) {
    answer = submit(action.place);
    trace_.note(fmt::format("campaign c{}: {}", action.place, texts_.at(static_cast<std::size_t>(action.place))));
  } else if (const auto known = ids_.at(static_cast<std::size_t>(action.place))) {
    answer = change(action, submitted_.at(*known));
  } else {
    return;  // it was refused
  }
  const bool failed = answer.status >= kServerErrors;
  trace_.note(fmt::format("user {} c{}: {}{}", name, action.place, answer.status,
                          answer.status >= 400 ? " " + answer.body.substr(0, 300) : std::string{}));
  if (!failed || action.tries >= kMostTries) return;
  ++action.tries;
  action.at = clock_.now() + kBetweenTries;
  actions_.insert(std::ranges::upper_bound(actions_, action.at, {}, &Action::at), action);
}

}  // namespace gleaner::world
