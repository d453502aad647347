#include "tests/db/transitions.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <pqxx/pqxx>

#include "lib/grid/states.hpp"

namespace gleaner::tests {
namespace {

// By groups: a test that forbids PostgreSQL to hash and to merge would make a join compare each old row with each new one.
constexpr auto kRecorder = R"(
CREATE TABLE seen_transitions (kind text, before text, after text);
CREATE FUNCTION note_transitions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF position('$1' IN current_query()) = 0 AND current_query() NOT ILIKE 'WITH %' THEN RETURN NULL; END IF;
  IF TG_TABLE_NAME = 'tasks' THEN
    INSERT INTO seen_transitions
    SELECT DISTINCT 'tasks', x.before, x.after FROM (
      SELECT max(before) AS before, max(after) AS after FROM (
        SELECT campaign_id, number, state::text AS before, NULL AS after FROM o
        UNION ALL SELECT campaign_id, number, NULL, state::text FROM n) both_sides
      GROUP BY campaign_id, number) x WHERE x.before <> x.after;
  ELSE
    INSERT INTO seen_transitions
    SELECT DISTINCT TG_TABLE_NAME, x.before, x.after FROM (
      SELECT max(before) AS before, max(after) AS after FROM (
        SELECT id, state::text AS before, NULL AS after FROM o
        UNION ALL SELECT id, NULL, state::text FROM n) both_sides
      GROUP BY id) x WHERE x.before <> x.after;
  END IF;
  RETURN NULL;
END $$;
)";

std::string trigger_on(const std::string& table) {
  return "CREATE TRIGGER note_transitions AFTER UPDATE ON " + table +
         " REFERENCING OLD TABLE AS o NEW TABLE AS n FOR EACH STATEMENT EXECUTE FUNCTION note_transitions();\n";
}

template <class State>
void add(Transitions& known, const std::string& kind, std::span<const grid::Transition<State>> transitions) {
  for (const auto& one : transitions) known.emplace(kind, name_of(one.from), name_of(one.to));
}

Transitions seen_in(const std::string& conninfo) {
  pqxx::connection connection{conninfo};
  pqxx::nontransaction work{connection};
  Transitions seen;
  for (const auto& row : work.exec("SELECT DISTINCT kind, before, after FROM seen_transitions"))
    seen.emplace(row[0].as<std::string>(), row[1].as<std::string>(), row[2].as<std::string>());
  return seen;
}

}  // namespace

Transitions known_transitions() {
  Transitions known;
  add(known, "campaigns", grid::campaign_transitions());
  add(known, "tasks", grid::task_transitions());
  add(known, "jobs", grid::job_transitions());
  add(known, "launches", grid::launch_transitions());
  return known;
}

std::string transitions_recorder() {
  std::string statements{kRecorder};
  for (const auto* table : {"campaigns", "tasks", "jobs", "launches"}) statements += trigger_on(table);
  return statements;
}

const char* transitions_file() { return std::getenv("GLEANER_TEST_TRANSITIONS"); }

void expect_known_transitions(std::span<const std::string> conninfos) {
  const auto known = known_transitions();
  Transitions all;
  for (const auto& conninfo : conninfos) all.merge(seen_in(conninfo));
  std::ofstream file{transitions_file(), std::ios::app};
  for (const auto& [kind, before, after] : all) {
    EXPECT_TRUE(known.contains({kind, before, after}))
        << "lib/grid/states.cpp has no transition of " << kind << " from " << before << " to " << after;
    file << kind + ' ' + before + ' ' + after + '\n';
  }
}

}  // namespace gleaner::tests
