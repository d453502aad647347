// The databases of the releases: each one is upgraded by the migrations since, and its grid goes on.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pqxx/pqxx>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "lib/process/child.hpp"
#include "lib/process/options.hpp"
#include "lib/store/checks.hpp"
#include "lib/store/clock.hpp"
#include "lib/store/database.hpp"
#include "lib/store/lease.hpp"
#include "lib/store/migrations.hpp"
#include "metascheduler/metascheduler.hpp"
#include "predictor/predictor.hpp"
#include "tests/db/postgres.hpp"
#include "tests/db/stored_sentences.hpp"

namespace gleaner {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using ::testing::Not;

fs::path source_folder() {
  const char* variable = std::getenv("GLEANER_SOURCE_DIR");
  return variable ? variable : ".";
}

fs::path releases_folder() { return source_folder() / "sql/releases"; }

std::string contents_of(const fs::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

/// The versions of the files NAME.sql or NAME.sha256 there.
std::vector<std::string> releases(const std::string& extension) {
  std::vector<std::string> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator{releases_folder(), missing}) {
    if (entry.path().extension() == extension) found.push_back(entry.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

/// The lines of a schema as tools/schema writes it, without their order: a database that was upgraded has a table's columns in another
/// order than a new one, and so their comments. Without brackets: PostgreSQL leaves some out of a condition that was dumped and read.
std::multiset<std::string> lines_of(const std::string& schema) {
  std::multiset<std::string> lines;
  std::istringstream text{schema};
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with(',')) line.pop_back();
    std::erase_if(line, [](char letter) { return letter == '(' || letter == ')'; });
    lines.insert(line);
  }
  return lines;
}

std::string schema_of(const std::string& conninfo) {
  const auto said =
      process::capture({.arguments = {(source_folder() / "tools/schema").string(), "--of", conninfo}}, std::chrono::minutes{1});
  if (!said || !said->end.succeeded()) throw std::runtime_error{said ? said->output : said.error()};
  return said->output;
}

std::vector<std::string> only_in(const std::multiset<std::string>& one, const std::multiset<std::string>& other) {
  std::vector<std::string> lines;
  std::ranges::set_difference(one, other, std::back_inserter(lines));
  return lines;
}

class Release : public testing::TestWithParam<std::string> {
 protected:
  Release() : conninfo{tests::PrivatePostgres::instance().empty_database()} {
    pqxx::connection connection{conninfo};
    pqxx::nontransaction{connection}.exec(contents_of(releases_folder() / (GetParam() + ".sql")));
  }

  std::string value(const std::string& query) {
    pqxx::connection connection{conninfo};
    return pqxx::work{connection}.exec(query).at(0).at(0).as<std::string>();
  }

  /// The laws that do not hold, the leftovers too.
  static std::vector<std::string> broken_laws(store::Database& database) {
    std::vector<std::string> broken;
    for (const auto& law : store::laws()) {
      const auto checked = store::check_law(database, law, store::Reach::all, std::chrono::milliseconds{0});
      for (const auto& breach : checked.breaches.rows) broken.push_back(fmt::format("{}: {}", law.name, breach.text));
    }
    return broken;
  }

  std::string conninfo;
};

TEST_P(Release, DatabaseOfIt_IsUpgraded_KeepsItsLaws_AndPlansAgain) {
  const auto campaigns = value("SELECT count(*) FROM campaigns");
  const auto sentences = [this] { return tests::stored_sentences([this](const std::string& query) { return value(query); }); };
  // Releases to 0.1.0 stored the sentences of decisions.
  const bool has_sentences =
      value("SELECT count(*) FROM information_schema.columns WHERE table_name = 'decisions' AND column_name = 'sentence'") == "1";
  const auto kept =
      has_sentences ? value("SELECT string_agg(sentence, '; ' ORDER BY campaign_id, cluster_id) FROM decisions") : sentences();
  {
    store::Database database{conninfo};
    store::migrate(database);
    EXPECT_NO_THROW(store::check_schema(database));
  }
  const auto written = contents_of(source_folder() / "sql/schema.sql");
  const auto expected = lines_of(written.substr(written.find("\n\n") + 2)), made = lines_of(schema_of(conninfo));
  EXPECT_THAT(only_in(expected, made), IsEmpty()) << "are not in the upgraded database";
  EXPECT_THAT(only_in(made, expected), IsEmpty()) << "are in the upgraded database alone";
  EXPECT_EQ(value("SELECT count(*) FROM campaigns"), campaigns);
  EXPECT_EQ(sentences(), kept) << "until the next cycle";

  store::Database database{conninfo};
  EXPECT_THAT(broken_laws(database), IsEmpty());
  // The paused campaign goes on. The clusters have just been seen, with room; and the database is where it was, while a restored one would
  // not plan at once.
  pqxx::connection connection{conninfo};
  pqxx::nontransaction statements{connection};
  statements.exec("UPDATE lease SET expires_at = '-infinity'; UPDATE grid SET database = database_identity()");
  statements.exec("UPDATE campaigns SET state = 'in_treatment' WHERE state = 'paused'");
  statements.exec("DELETE FROM gridstatus; DELETE FROM brakes; UPDATE clusters SET reachable = true, enabled = true, next_probe_at = NULL");
  statements.exec(
      "INSERT INTO gridstatus (cluster_id, time, max_resources, free, used, used_besteffort, our_running, our_waiting, reachable, "
      "api_latency_ms) SELECT id, now(), 16, 16, 0, 0, 0, 0, true, 5 FROM clusters");
  const auto config = process::build_config({}, {}).value();
  const auto term = store::acquire_lease(database, "test", std::chrono::minutes{10});
  ASSERT_TRUE(term);
  store::Database modules{conninfo};
  static_cast<void>(predictor::run_once(config, modules, *term, store::now(modules)));
  const auto planned = metascheduler::run_once(config, modules, *term, store::now(modules));
  EXPECT_GT(planned.launches, 0) << planned.summary() << "\n" << sentences();
  EXPECT_THAT(sentences(), Not(testing::HasSubstr("cannot be read")));
  EXPECT_EQ(value("SELECT count(*) FROM decisions WHERE figures ? 'sentence'"), "0") << "the cycle wrote all decisions anew";
  EXPECT_THAT(broken_laws(database), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, Release, testing::ValuesIn(releases(".sql")), [](const auto& version) {
  auto name = version.param;
  std::ranges::replace(name, '.', '_');
  return name;
});

/// Others have applied them.
TEST(Releases, TheirMigrations_AreNotChanged) {
  const auto versions = releases(".sha256");
  EXPECT_THAT(versions, Not(IsEmpty()));
  EXPECT_EQ(versions, releases(".sql"));
  for (const auto& version : versions) {
    const auto said = process::capture(
        {.arguments = {"sha256sum", "--strict", "--check", "--quiet", fs::absolute(releases_folder() / (version + ".sha256")).string()},
         .directory = (source_folder() / "sql/migrations").string()},
        std::chrono::minutes{1});
    ASSERT_TRUE(said) << said.error();
    EXPECT_TRUE(said->end.succeeded())
        << said->output << "The migrations of release " << version
        << " are as they are for good: a change goes into a new one (before the release: tools/release-dump)";
  }
}

}  // namespace
}  // namespace gleaner
