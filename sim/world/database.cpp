#include "sim/world/database.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "lib/process/exit_code.hpp"
#include "lib/store/database.hpp"
#include "lib/store/migrations.hpp"
#include "sim/gridlocal/database.hpp"

namespace gleaner::world {
namespace {

constexpr std::chrono::seconds kLongestStart{60};
constexpr std::chrono::milliseconds kBetweenLooks{1};

}  // namespace

/// By libpq, which takes the parameters of a query as they are, outside a transaction too. Repeated statements are prepared.
class WorldDatabase::Connection {
 public:
  explicit Connection(const std::string& conninfo) : connection_{PQconnectdb(conninfo.c_str()), PQfinish} {
    if (PQstatus(connection_.get()) != CONNECTION_OK) throw std::runtime_error{PQerrorMessage(connection_.get())};
  }

  Texts run(const std::string& statement, sql::Parameters parameters) {
    std::vector<const char*> values;
    for (const auto* parameter : parameters) values.push_back(parameter->text() ? parameter->text()->c_str() : nullptr);
    const auto count = static_cast<int>(values.size());
    auto* const connection = connection_.get();
    const auto [known, is_new] = names_.try_emplace(statement, fmt::format("q{}", names_.size()));
    const auto& name = known->second;
    if (!is_new && prepared_.insert(name).second) checked(PQprepare(connection, name.c_str(), statement.c_str(), count, nullptr));
    const auto result = checked(is_new ? PQexecParams(connection, statement.c_str(), count, nullptr, values.data(), nullptr, nullptr, 0)
                                       : PQexecPrepared(connection, name.c_str(), count, values.data(), nullptr, nullptr, 0));
    Texts texts(static_cast<std::size_t>(PQntuples(result.get())));
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      for (int column = 0; column < PQnfields(result.get()); ++column)
        texts[static_cast<std::size_t>(row)].push_back(
            PQgetisnull(result.get(), row, column) != 0 ? std::nullopt : std::optional<std::string>{PQgetvalue(result.get(), row, column)});
    }
    return texts;
  }

 private:
  using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;
  /// Throws what the server says of a failure.
  Result checked(PGresult* raw) {
    Result result{raw, PQclear};
    if (const auto status = PQresultStatus(raw); status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
      throw std::runtime_error{PQerrorMessage(connection_.get())};
    return result;
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::map<std::string, std::string> names_;  ///< of statements
  std::set<std::string> prepared_;            ///< by their names
};

WorldDatabase::WorldDatabase(const std::filesystem::path& folder, const VirtualClock& clock, Statements statements)
    : folder_{folder}, clock_{clock} {
  gridlocal::make_database_files(folder);
  // A generic plan is made once. Production's may be made again for each value, which takes a seventh of a world's time.
  std::vector<std::string> settings{"fsync=off",
                                    "synchronous_commit=off",
                                    "full_page_writes=off",
                                    "wal_level=minimal",
                                    "max_wal_senders=0",
                                    "autovacuum=off",
                                    "plan_cache_mode=force_generic_plan",
                                    "max_parallel_workers_per_gather=0",
                                    "shared_buffers=64MB",
                                    "checkpoint_timeout=1d",
                                    "max_wal_size=4GB"};
  if (statements == Statements::counted)
    settings.insert(settings.end(), {"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on"});
  auto command = gridlocal::server_command(folder, settings);
  command.output = folder / "server.log";
  auto started = process::Child::start(command);
  if (!started) throw process::Error{process::ExitCode::failure, started.error()};
  server_ = std::move(*started);
  const auto server = gridlocal::server_conninfo(folder);
  for (const auto end = std::chrono::steady_clock::now() + kLongestStart;; std::this_thread::sleep_for(kBetweenLooks * 10)) {
    try {
      connection_ = std::make_unique<Connection>(server + " dbname=postgres");
      break;
    } catch (const std::exception& error) {
      if (std::chrono::steady_clock::now() > end)
        throw process::Error{process::ExitCode::failure, fmt::format("PostgreSQL does not start: {}", error.what())};
    }
  }
  query(sql::world_add_database{});
  conninfo_ = server + " dbname=gleaner options='-c search_path=public,world,pg_catalog'";
  connection_ = std::make_unique<Connection>(conninfo_of("world"));
  prepare(statements);
}

WorldDatabase::~WorldDatabase() {
  connection_.reset();
  server_->signal_group(SIGQUIT);  // nothing is kept
  static_cast<void>(server_->wait(kLongestStart));
}

void WorldDatabase::prepare(Statements statements) {
  query(sql::world_add_time{});
  query(sql::world_add_now{});
  query(sql::world_add_clock_timestamp{});
  set_time();
  {
    store::Database database{conninfo_of("migrations")};
    store::migrate(database);
  }
  query(sql::world_fix_token{});
  if (statements == Statements::counted) query(sql::world_count_statements{});
}

void WorldDatabase::set_time() {
  if (time_ == clock_.now()) return;
  time_ = clock_.now();
  query(sql::world_set_time{.micros = *time_});
}

void WorldDatabase::follow_time() {
  constexpr std::chrono::milliseconds kUnseen{10};
  if (!time_ || clock_.now() - *time_ >= kUnseen) set_time();
}

void WorldDatabase::vacuum() {
  if (tables_.empty()) tables_ = *query(sql::world_tables{}).one().names;
  run("VACUUM (ANALYZE) " + tables_);
}

WorldDatabase::Texts WorldDatabase::run(const std::string& statement, sql::Parameters parameters) {
  return connection_->run(statement, parameters);
}

std::string WorldDatabase::conninfo_of(std::string_view program) const { return fmt::format("{} application_name={}", conninfo_, program); }

bool WorldDatabase::has_open_transactions() { return query(sql::world_open_transactions{}).one().transactions.as<int>() > 0; }

bool WorldDatabase::has_written(std::string_view program) {
  return query(sql::world_writers{.program = program}).one().writers.as<int>() > 0;
}

void WorldDatabase::dump(const std::filesystem::path& file) {
  set_time();
  query(sql::world_fill_empty_tables{});
  gridlocal::dump(folder_, "gleaner",
                  {"--file=" + std::filesystem::absolute(file).string(), "--schema=public", "--no-owner", "--no-privileges",
                   "--column-inserts", "--rows-per-insert=50"});
}

void WorldDatabase::await_end_of(std::string_view program) {
  while (query(sql::world_connections{.program = program}).one().connections.as<int>() > 0) std::this_thread::sleep_for(kBetweenLooks);
}

}  // namespace gleaner::world
