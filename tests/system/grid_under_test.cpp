#include "tests/system/grid_under_test.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>

#include "lib/fleet/fleet.hpp"
#include "lib/grid/resource_request.hpp"
#include "lib/grid/walltime.hpp"
#include "lib/store/campaigns.hpp"
#include "lib/store/checks.hpp"
#include "lib/store/clusters.hpp"
#include "lib/store/detail.hpp"
#include "lib/text/json_writer.hpp"
#include "lib/text/numbers.hpp"
#include "tests/db/postgres.hpp"
#include "tests/real_oar3.hpp"
#include "tests/system/diagnosis.hpp"

namespace gleaner::tests {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
  // Not in /tmp, of which clusters may have their own.
  std::string pattern = "/var/tmp/gleaner-system-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"no folder can be made: " + pattern};
  fs::permissions(pattern,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec);
  return pattern;
}

std::string our_name() {
  const auto* user = ::getpwuid(::geteuid());
  return user == nullptr ? std::to_string(::geteuid()) : user->pw_name;
}

void write_secret(const fs::path& file, const std::string& secret) {
  std::ofstream{file} << secret << '\n';
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

store::NewCampaignCluster ask_of(const TestCampaign& campaign, const std::string& cluster) {
  const auto request = grid::ResourceRequest::parse(campaign.resources).value();
  store::NewCampaignCluster ask;
  ask.name = cluster;
  ask.exec_file = campaign.exec_file;
  ask.exec_directory = "$HOME";
  ask.resources = campaign.resources;
  ask.resources_per_job = request.resources();
  ask.walltime = grid::parse_walltime(campaign.walltime).value();
  ask.best_effort = campaign.job_type != "normal";
  if (campaign.max_jobs > 0) ask.max_jobs = campaign.max_jobs;
  return ask;
}

}  // namespace

struct GridUnderTest::Connection {
  explicit Connection(const std::string& conninfo) : database{conninfo} {}
  store::Database database;
};

bool long_runs() { return std::getenv("GLEANER_TEST_LONG") != nullptr; }

GridUnderTest::GridUnderTest(Wish wish)
    : folder_{new_folder()}, oracle_{folder_ / "results"}, conninfo_{PrivatePostgres::instance().fresh_database()} {
  write_configuration(wish.configuration);
  // Its database is a copy: its jobs must not take those of another test for their own.
  transact([](store::Transaction& transaction) {
    transaction.implementation().work.exec("UPDATE grid SET token = substr(md5(random()::text || clock_timestamp()::text), 1, 8)");
  });
  start_clusters(wish);
  register_clusters(wish.users);
  almighty_ = std::make_unique<Service>("almighty", command_of("almighty", {}, "almighty.log"));
  standby_ = std::make_unique<Service>("standby", command_of("almighty", {}, "standby.log"));
}

GridUnderTest::~GridUnderTest() {
  if (::testing::Test::HasFailure() || std::uncaught_exceptions() > 0) print_diagnosis();
  for (auto* service : {almighty_.get(), standby_.get(), api_.get()}) {
    if (service != nullptr) service->stop();
  }
  for (const auto& minioar : minioars_) minioar->stop();
  std::error_code ignored;
  if (std::getenv("GLEANER_TEST_KEEP") == nullptr) fs::remove_all(folder_, ignored);
}

void GridUnderTest::write_configuration(const Configuration& configuration) {
  Configuration all{{"database", conninfo_},
                    {"api", "unix:" + (folder_ / "api.socket").string()},
                    {"api_socket", (folder_ / "api.socket").string()},
                    {"input_spool", (folder_ / "inputs").string()},
                    {"bin_directory", program("almighty").parent_path().string()},
                    {"cycle_period", "300ms"},
                    {"idle_period", "1s"},
                    {"lease_duration", "6s"},
                    {"void_delay", "4s"},
                    {"void_looks", "2"},
                    {"evidence_delay", "100ms"},
                    {"evidence_patience", "20s"},  // a busy machine may not answer for some seconds
                    {"brake_time", "1s"},
                    {"brake_time_max", "2s"},
                    {"max_charged_attempts", "1"},
                    {"cleanup_delay", "1s"},
                    {"connect_timeout", "10s"},
                    {"request_timeout", "30s"},
                    {"submit_timeout", "30s"},
                    {"least_uid", "0"},  // tests run as anybody
                    {"refused_users", ""},
                    {"log_level", "debug"}};
  for (const auto& [key, text] : configuration) all[key] = text;
  std::ofstream file{folder_ / "gleaner.conf"};
  for (const auto& [key, text] : all) file << fmt::format("{} = {}\n", key, text);
}

void GridUnderTest::start_clusters(const Wish& wish) {
  if (wish.backend == Backend::real_oar) {
    clusters_ = real_clusters();
    return;
  }
  if (wish.backend == Backend::two_debians) {
    clusters_ = clusters_of_two_debians();
    return;
  }
  for (const auto& one : wish.clusters) {
    minioars_.push_back(std::make_unique<Minioar>(folder_, one));
    minioars_.back()->start();
    clusters_.push_back(minioars_.back()->description());
  }
  if (wish.backend == Backend::real_oar3) {
    const auto real = RealOar3::named().value();
    clusters_.push_back({.name = "oar3",
                         .url = real.url(),
                         .login = {},
                         .password = {},
                         .user = "griduser1",
                         .api = "oar3",
                         .homes = "/home/%u",
                         .token_key = real.key()});
  }
}

void GridUnderTest::register_clusters(const std::vector<std::string>& users) {
  transact([&](store::Transaction& transaction) {
    for (const auto& one : clusters_) {
      store::Cluster cluster;
      cluster.name = one.name;
      cluster.url = one.url;
      cluster.identity_header = one.identity_header;
      if (!one.login.empty()) {
        cluster.authentication = "basic";
        cluster.login = one.login;
        cluster.secret_file = folder_ / (one.name + ".secret");
        write_secret(cluster.secret_file, one.password);
      }
      if (one.api == "g5k") {
        cluster.api = one.api;
        cluster.array_size = 1;
      }
      if (one.api == "oar3") {
        cluster.api = one.api;
        cluster.homes = one.homes;
        cluster.authentication = "signed";
        cluster.key_file = folder_ / (one.name + ".key");
        write_secret(cluster.key_file, one.token_key);
      }
      const auto id = store::add_cluster(transaction, cluster);
      for (const auto& user : {std::string{"alice"}, our_name()}) store::map_user(transaction, user, id, one.user);
      for (const auto& user : users) store::map_user(transaction, user, id, user);
    }
  });
}

process::Command GridUnderTest::command_of(const std::string& name, std::vector<std::string> arguments, const std::string& log) const {
  process::Command command{.arguments = {program(name)}};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  if (!log.empty()) command.output = folder_ / log;
  command.directory = folder_;
  command.environment = {{"GLEANER_CONFIG", (folder_ / "gleaner.conf").string()}};
  return command;
}

Service& GridUnderTest::api() {
  if (!api_) api_ = std::make_unique<Service>("gridapi", command_of("gridapi", {}, "gridapi.log"));
  return *api_;
}

Minioar& GridUnderTest::cluster(const std::string& name) {
  for (const auto& minioar : minioars_) {
    if (minioar->name() == name) return *minioar;
  }
  throw std::logic_error{"no minioar " + name};
}

process::Captured GridUnderTest::run(const std::string& name, std::vector<std::string> arguments, process::Duration limit) {
  auto said = process::capture(command_of(name, std::move(arguments), ""), limit);
  if (!said) throw std::runtime_error{said.error()};
  return std::move(*said);
}

Service GridUnderTest::background(const std::string& name, std::vector<std::string> arguments) {
  const auto log = fmt::format("{}.{}.log", name, ++backgrounds_);
  return Service{name, command_of(name, std::move(arguments), log)};
}

void GridUnderTest::start_api() {
  api().start();
  if (!await([&] { return run("gridclusters", {"--quiet"}).end.succeeded(); }))
    throw std::runtime_error{"gridapi does not answer:\n" + tail_of(api().log(), 20)};
}

grid::CampaignId GridUnderTest::gridsub(const std::string& jdl, std::vector<std::string> options) {
  options.insert(options.end(), {"--quiet", "--json", jdl});
  const auto said = run("gridsub", std::move(options));
  std::string_view printed{said.output};
  const auto id = text::take_whole_number(printed);
  if (!said.end.succeeded() || !id) throw std::runtime_error{"gridsub (" + said.end.text() + "): " + said.output};
  return grid::CampaignId{*id};
}

std::string GridUnderTest::jdl_of(const TestCampaign& campaign) {
  std::string clusters;
  for (const auto& name : campaign.clusters) {
    const auto keys = campaign.of_cluster.find(name);
    clusters += fmt::format(R"({}{}:{{{}}})", clusters.empty() ? "" : ",", text::json_string(name),
                            keys == campaign.of_cluster.end() ? "" : keys->second);
  }
  const auto kind = campaign.job_type.empty() ? std::string{} : fmt::format(R"("type":{},)", text::json_string(campaign.job_type));
  const auto limit = campaign.max_jobs > 0 ? fmt::format(R"("max_jobs":{},)", campaign.max_jobs) : std::string{};
  const auto more =
      (campaign.grouping ? R"("temporal_grouping":true,)" : "") + (campaign.more_keys.empty() ? std::string{} : campaign.more_keys + ",") +
      (campaign.may_end_at_once && campaign.more_keys.find("min_duration") == std::string::npos ? R"("min_duration":"0",)" : "");
  return fmt::format(R"({{"name":"test","nb_jobs":{},"exec_file":{},"resources":{},"walltime":{},{}{}{}"clusters":{{{}}}}})",
                     campaign.tasks, text::json_string(campaign.exec_file), text::json_string(campaign.resources),
                     text::json_string(campaign.walltime), kind, limit, more, clusters);
}

grid::CampaignId GridUnderTest::gridsub(const TestCampaign& campaign) {
  if (!api().is_running()) start_api();
  return gridsub(jdl_of(campaign));
}

void GridUnderTest::transact(const std::function<void(store::Transaction&)>& work) {
  const bool done = await([&] {
    try {
      if (!connection_) connection_ = std::make_unique<Connection>(conninfo_);
      store::transact(connection_->database, std::nullopt, work);
      return true;
    } catch (const store::Unavailable&) {
      connection_.reset();
      return false;
    }
  });
  if (!done) throw std::runtime_error{"the database does not come back"};
}

grid::CampaignId GridUnderTest::submit(const TestCampaign& campaign) {
  if (!campaign.more_keys.empty() || !campaign.of_cluster.empty() || !campaign.may_end_at_once)
    throw std::logic_error{"keys of the JDL are for gridsub"};
  grid::CampaignId id{0};
  transact([&](store::Transaction& transaction) {
    store::NewCampaign asked;
    asked.user = campaign.user;
    asked.name = "test";
    asked.type = grid::campaign_type(campaign.type).value();
    asked.jdl = campaign.grouping ? R"({"temporal_grouping":"true","min_duration":0})" : R"({"min_duration":0})";
    id = std::get<grid::CampaignId>(store::create_campaign(transaction, asked, fleet::now()));
    for (const auto& cluster : campaign.clusters) {
      if (!store::add_campaign_cluster(transaction, id, ask_of(campaign, cluster))) throw std::logic_error{"no cluster " + cluster};
    }
    store::write_numbered_tasks(transaction, id, campaign.tasks);
    store::complete_campaign(transaction, id, campaign.tasks);
  });
  return id;
}

void GridUnderTest::cancel(grid::CampaignId campaign) {
  transact([&](store::Transaction& transaction) { static_cast<void>(store::cancel_campaign(transaction, campaign, fleet::now())); });
}

void GridUnderTest::move_cluster(const std::string& name, const std::string& url) {
  transact([&](store::Transaction& transaction) {
    auto cluster = store::find_cluster(transaction, name).value();
    cluster.url = url;
    store::edit_cluster(transaction, cluster);
  });
}

std::string GridUnderTest::value(const std::string& sql) {
  const bool is_old = connection_ != nullptr;
  try {
    if (!connection_) connection_ = std::make_unique<Connection>(conninfo_);
    auto transaction = connection_->database.begin();
    return transaction.implementation().work.exec(sql).at(0).at(0).as(std::string{});
  } catch (const pqxx::broken_connection& error) {
    connection_.reset();
    if (!is_old) throw store::Unavailable{error.what()};
  } catch (const store::Unavailable&) {
    connection_.reset();
    if (!is_old) throw;
  }
  return value(sql);  // the server may have been away since the last question, and be there again
}

std::vector<GridUnderTest::TaskRow> GridUnderTest::tasks_of(grid::CampaignId campaign) {
  std::vector<TaskRow> tasks;
  transact([&](store::Transaction& transaction) {
    const auto sql = fmt::format("SELECT number, state, charged FROM tasks WHERE campaign_id = {} ORDER BY number", campaign.value());
    for (const auto& row : transaction.implementation().work.exec(sql))
      tasks.push_back({row[0].as<std::int64_t>(), row[1].as<std::string>(), row[2].as<int>()});
  });
  return tasks;
}

void GridUnderTest::execute(const std::string& sql) {
  store::Database database{conninfo_};
  auto transaction = database.begin();
  transaction.implementation().work.exec(sql);
  transaction.commit();
}

std::int64_t GridUnderTest::number(const std::string& sql) { return std::stoll(value(sql)); }

::testing::AssertionResult GridUnderTest::becomes(const std::string& sql, const std::string& wanted, process::Duration limit) {
  std::string last;
  const bool reached = await(
      [&] {
        try {
          last = value(sql);
        } catch (const store::Unavailable& error) {
          last = error.what();
        }
        return last == wanted;
      },
      limit);
  if (reached) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << sql << " is " << last << ", not " << wanted << ", after " << limit.count() << " ms";
}

::testing::AssertionResult GridUnderTest::terminates(grid::CampaignId campaign, process::Duration limit) {
  return becomes(fmt::format("SELECT state FROM campaigns WHERE id = {}", campaign.value()), "terminated", limit);
}

::testing::AssertionResult GridUnderTest::is_exactly_done(grid::CampaignId campaign, std::int64_t tasks, const Oracle::CutOff& cut_off) {
  const auto state = value(fmt::format("SELECT state || ' ' || done || '/' || total FROM campaigns WHERE id = {}", campaign.value()));
  if (const auto wanted = fmt::format("terminated {}/{}", tasks, tasks); state != wanted)
    return ::testing::AssertionFailure() << "campaign " << campaign.value() << " is " << state << ", not " << wanted;
  if (const auto wrong = oracle_.each_exactly_once(campaign, tasks, cut_off); !wrong.empty())
    return ::testing::AssertionFailure() << "campaign " << campaign.value() << ": " << wrong;
  return is_consistent();
}

::testing::AssertionResult GridUnderTest::is_consistent() {
  constexpr std::chrono::milliseconds kAsLongAsItTakes{0};
  auto result = ::testing::AssertionSuccess();
  store::Database database{conninfo_};
  for (const auto& law : store::laws()) {
    const auto checked = store::check_law(database, law, store::Reach::all, kAsLongAsItTakes);
    if (checked.result == store::Checked::Result::holds || law.weight == store::Weight::leftover) continue;
    result = ::testing::AssertionFailure() << law.sentence << ' ' << law.name << " is broken " << checked.breaches.count
                                           << " times: " << checked.breaches.rows.front().text << '\n';
  }
  return result;
}

void GridUnderTest::print_diagnosis() const {
  std::vector<fs::path> logs;
  for (const auto* service : {almighty_.get(), standby_.get(), api_.get()}) {
    if (service != nullptr) logs.push_back(service->log());
  }
  for (const auto& minioar : minioars_) logs.push_back(minioar->log());
  std::cerr << text_of_database(conninfo_) << ends_of(logs);
}

}  // namespace gleaner::tests
