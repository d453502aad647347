#include "tests/db/played_grid.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "api/options.hpp"
#include "api/server.hpp"
#include "lib/fleet/order.hpp"
#include "lib/process/log.hpp"
#include "lib/process/options.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/policies.hpp"
#include "lib/store/rules.hpp"
#include "sim/world/campaigns.hpp"
#include "sim/world/conductors.hpp"
#include "sim/world/messenger.hpp"
#include "sim/world/text_body.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

fs::path a_folder() {
  std::string pattern{"/dev/shm/gleaner-played-XXXXXX"};
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no folder can be made: " + pattern};
  fs::permissions(pattern, fs::perms::owner_all | fs::perms::group_exec | fs::perms::others_exec);  // PostgreSQL's user passes through
  return pattern;
}

process::Config config_of(const world::Settings& settings, const world::WorldDatabase& database) {
  auto config = process::default_config();
  config.database = database.conninfo_of("almighty");
  config.cycle_period = settings.cycle;
  config.check_period = process::Duration{0};
  config.lease_duration += std::max<process::Duration>(config.cycle_period, config.idle_period);  // it outlasts the rest between cycles
  return config;
}

std::unique_ptr<api::Api> start_api(process::Config config, const world::WorldDatabase& database, const fs::path& folder) {
  config.database = database.conninfo_of("gridapi");
  config.api_socket = folder / "api.socket";  // nobody asks there
  config.api_listen.clear();
  config.api_spool = folder / "spool";
  config.input_spool = folder / "inputs";
  fs::create_directories(config.api_spool);
  fs::create_directories(config.input_spool);
  auto options = api::options_of(config);
  if (const char* programs = std::getenv("GLEANER_BIN_DIR")) options.rules_program = fs::path{programs} / "admission";
  auto started = api::Api::start(options);
  if (!started) throw std::runtime_error{started.error()};
  return std::move(*started);
}

}  // namespace

/// In the order in which they need each other.
struct PlayedGrid::Parts {
  explicit Parts(const world::Settings& settings)
      : trace{clock, settings.trace.string(), folder.string()},
        database{folder / "database", clock},
        faults{settings, clock},
        clusters{folder / "clusters", settings, clock, faults, trace},
        config{config_of(settings, database)},
        gate{database, clock, faults, trace},
        messenger{clusters, clock, faults, gate, trace},
        conductors{config, settings, database, clock, gate, trace},
        api{start_api(config, database, folder)} {}
  ~Parts() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  fs::path folder = a_folder();
  world::VirtualClock clock;
  world::Trace trace;
  world::WorldDatabase database;
  world::Faults faults;
  world::Clusters clusters;
  process::Config config;
  world::Gate gate;
  world::WorldMessenger messenger;
  world::Conductors conductors;
  std::unique_ptr<api::Api> api;
};

PlayedGrid::PlayedGrid(world::Settings settings, double licences) : settings_{std::move(settings)} {
  settings_.faults = {};
  settings_.features = {};
  fleet::visit_in_order([](std::vector<std::size_t>&) {});
  process::log::set_up("world", settings_.logs ? "info" : "error", settings_.logs ? "" : "/dev/null");
  parts_ = std::make_unique<Parts>(settings_);
  store::Database database{parts_->database.conninfo_of("setup")};
  auto transaction = database.begin();
  for (const auto& name : parts_->clusters.names()) {
    store::Cluster cluster;
    cluster.name = name;
    cluster.url = fmt::format("http://{}{}", name, parts_->clusters.at(name).prefix());
    store::add_cluster(transaction, cluster);
  }
  for (const auto* user : {"alice", "bob"})
    store::allow_normal(transaction, user, std::nullopt, {.name = "root", .now = parts_->clock.now()});
  if (licences > 0)
    store::set_limit(transaction, {.kind = grid::LimitKind::consumable, .most = licences, .consumable = std::string{world::kConsumable}});
  transaction.commit();
  next_cycle_ = parts_->clock.now();
}

PlayedGrid::~PlayedGrid() { fleet::visit_in_order({}); }

double PlayedGrid::seconds() const { return parts_->clock.seconds(); }

PlayedGrid::Answer PlayedGrid::ask(const std::string& user, const std::string& method, const std::string& target, const std::string& body) {
  world::TextBody sent{body};
  http::Request request;
  request.method = method;
  request.target = target;
  const auto [path, query] = http::split_target(request.target);
  request.path = path;
  request.query = http::parse_query(query);
  if (!body.empty()) request.headers.add("Content-Type", "application/json");
  request.peer.address = "unix";
  request.peer.process = http::Peer::Process{.uid = 2000, .gid = 2000, .pid = 0, .user = user};
  request.body = &sent;
  const auto before = parts_->gate.enter({.module = "gridapi", .host = {}});
  const auto response = parts_->api->handle(request);
  parts_->gate.enter(before);
  Answer answer{.status = response.status, .json = {}, .body = world::text_of(response)};
  if (auto json = clients::Json::parse(answer.body)) answer.json = std::move(*json);
  if (method == "POST" && answer.status == 201) next_cycle_ = parts_->clock.now() + std::chrono::milliseconds{200};  // as at almighty
  return answer;
}

world::Cluster& PlayedGrid::cluster(const std::string& name) { return parts_->clusters.at(name); }

/// To OAR, as a user of the cluster does.
void PlayedGrid::submit(const OwnJob& job) {
  auto& cluster = parts_->clusters.at(job.cluster);
  const auto body = fmt::format(R"({{"resource": "/core={},walltime=2:00:00", "command": "task {}"}})", job.cores,
                                world::text_of({.seconds = job.seconds}));
  world::TextBody text{body};
  http::Request request;
  request.method = "POST";
  request.target = request.path = cluster.prefix() + "/jobs.json";
  for (const auto& [name, value] :
       {std::pair{"Content-Type", "application/json"}, {"Accept", "application/json"}, {"X_REMOTE_IDENT", "local"}})
    request.headers.add(name, value);
  request.body = &text;
  if (const auto answer = cluster.handle(request); answer.status >= 400)
    throw std::runtime_error{fmt::format("{} refuses a local job: {}", job.cluster, answer.status)};
}

/// To the next cycle, from event to event.
void PlayedGrid::jump() {
  auto& clock = parts_->clock;
  auto& clusters = parts_->clusters;
  const auto comes = [&] {
    return world::VirtualClock::begin() + std::chrono::microseconds{static_cast<std::int64_t>(own_jobs_.front().at * 1e6)};
  };
  while (clock.now() < next_cycle_) {
    auto next = next_cycle_;
    if (const auto event = clusters.next_event()) next = std::min(next, *event);
    if (!own_jobs_.empty()) next = std::min(next, comes());
    clock.advance_to(next);
    clusters.catch_up();
    for (; !own_jobs_.empty() && comes() <= clock.now(); own_jobs_.erase(own_jobs_.begin())) {
      submit(own_jobs_.front());
    }
  }
}

void PlayedGrid::add(OwnJob job) {
  job.at += seconds();
  own_jobs_.insert(std::ranges::upper_bound(own_jobs_, job.at, {}, &OwnJob::at), std::move(job));
}

bool PlayedGrid::play_until(const std::function<bool()>& is_over, double most_seconds) {
  const auto end = seconds() + most_seconds;
  while (!is_over()) {
    if (seconds() > end) return false;
    jump();
    const auto began = parts_->clock.now();
    parts_->conductors.cycle();
    next_cycle_ = std::max(began + parts_->conductors.period(), parts_->clock.now());
  }
  return true;
}

}  // namespace gleaner::tests
