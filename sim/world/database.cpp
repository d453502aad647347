#include "sim/world/database.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <pqxx/pqxx>
#include <thread>

#include "lib/process/exit_code.hpp"
#include "lib/store/database.hpp"
#include "lib/store/migrations.hpp"
#include "sim/gridlocal/database.hpp"

namespace gleaner::world {
namespace {

constexpr std::chrono::seconds kLongestStart{60};
constexpr std::chrono::milliseconds kBetweenLooks{1};

/// PostgreSQL's own functions are inlined into the statements that call these, at 0.4 us a call.
constexpr std::string_view kTime{R"sql(
CREATE SCHEMA world;
CREATE SEQUENCE world.microseconds;
SELECT setval('world.microseconds', 1);
CREATE FUNCTION world.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$SELECT pg_catalog.to_timestamp(pg_catalog.pg_sequence_last_value('world.microseconds') / 1000000.0::float8)$$;
CREATE FUNCTION world.now() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$SELECT pg_catalog.to_timestamp(pg_catalog.pg_sequence_last_value('world.microseconds') / 1000000.0::float8)$$;
)sql"};

/// What production leaves to chance, and what PostgreSQL does at moments of its own.
constexpr std::string_view kFixed{"UPDATE grid SET token = 'world000'"};

}  // namespace

struct WorldDatabase::Connection {
  explicit Connection(const std::string& conninfo) : connection{conninfo} {}
  pqxx::connection connection;
};

WorldDatabase::WorldDatabase(const std::filesystem::path& folder, const VirtualClock& clock, Statements statements) : clock_{clock} {
  gridlocal::make_database_files(folder);
  std::vector<std::string> settings{"fsync=off",
                                    "synchronous_commit=off",
                                    "full_page_writes=off",
                                    "wal_level=minimal",
                                    "max_wal_senders=0",
                                    "autovacuum=off",
                                    "max_parallel_workers_per_gather=0",
                                    "shared_buffers=64MB",
                                    "checkpoint_timeout=1d",
                                    "max_wal_size=4GB"};
  if (statements == Statements::counted)
    settings.insert(settings.end(), {"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on"});
  auto command = gridlocal::server_command(folder, settings);
  command.output = folder / "server.log";
  auto started = process::Child::start(std::move(command));
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
  pqxx::nontransaction{connection_->connection}.exec("CREATE DATABASE gleaner");
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
  query(std::string{kTime});
  set_time();
  {
    store::Database database{conninfo_of("migrations")};
    store::migrate(database);
  }
  query(std::string{kFixed});
  if (statements == Statements::counted) query("CREATE EXTENSION pg_stat_statements SCHEMA world");
}

void WorldDatabase::set_time() {
  if (time_ == clock_.now()) return;
  time_ = clock_.now();
  query(fmt::format("SELECT setval('world.microseconds', {})", time_->time_since_epoch().count()));
}

void WorldDatabase::follow_time() {
  constexpr std::chrono::milliseconds kUnseen{10};
  if (!time_ || clock_.now() - *time_ >= kUnseen) set_time();
}

void WorldDatabase::vacuum() {
  if (tables_.empty())
    tables_ = value(
        "SELECT string_agg(quote_ident(relname), ', ' ORDER BY relname) FROM pg_class"
        " WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'");
  query("VACUUM (ANALYZE) " + tables_);
}

std::vector<WorldDatabase::Row> WorldDatabase::query(const std::string& statement) {
  pqxx::nontransaction work{connection_->connection};
  const auto result = work.exec(statement);
  std::vector<Row> rows;
  for (const auto& row : result) {
    auto& fields = rows.emplace_back();
    for (const auto& field : row) fields.push_back(field.is_null() ? std::nullopt : std::optional<std::string>{field.c_str()});
  }
  return rows;
}

std::string WorldDatabase::value(const std::string& statement) {
  const auto rows = query(statement);
  return rows.empty() || rows[0].empty() ? std::string{} : rows[0][0].value_or("");
}

std::int64_t WorldDatabase::number(const std::string& statement) {
  const auto text = value(statement);
  return text.empty() ? 0 : std::stoll(text);
}

std::string WorldDatabase::conninfo_of(std::string_view program) const { return fmt::format("{} application_name={}", conninfo_, program); }

void WorldDatabase::await_end_of(std::string_view program) {
  while (number(fmt::format("SELECT count(*) FROM pg_stat_activity WHERE application_name = '{}'", program)) > 0)
    std::this_thread::sleep_for(kBetweenLooks);
}

}  // namespace gleaner::world
