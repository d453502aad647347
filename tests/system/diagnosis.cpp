#include "tests/system/diagnosis.hpp"

#include <fmt/format.h>

#include <array>
#include <pqxx/pqxx>

#include "tests/system/service.hpp"

/// libpqxx 6.4 leaks the error that libpq made when a connection broke in the middle of a query.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:PQmakeEmptyPGresult"; }

namespace gleaner::tests {
namespace {

struct Question {
  const char* title;
  const char* sql;
};

constexpr std::array kQuestions{
    Question{
        "clusters",
        "SELECT name, enabled, reachable, failed_polls, last_error, max_resources, healthy_since, unreachable_since FROM clusters ORDER BY id"},
    Question{
        "campaigns",
        "SELECT id, state, total, next_task, waiting, launching, submitted, running, done, failed, cancelled FROM campaigns ORDER BY id"},
    Question{
        "launches, the last",
        "SELECT id, campaign_id, cluster_id, state, jobs, looks, error, launching_at, settled_at FROM launches ORDER BY id DESC LIMIT 15"},
    Question{
        "jobs",
        "SELECT campaign_id, cluster_id, state, ending, count(*), min(task), max(task) FROM jobs GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3"},
    Question{"bag", "SELECT campaign_id, cluster_id, count(*) FROM returned_tasks GROUP BY 1, 2"},
    Question{
        "events",
        "SELECT code, state, campaign_id, cluster_id, occurrences, opened_at, closed_at, left(message, 300) FROM events ORDER BY id DESC LIMIT 15"},
    Question{"brakes", "SELECT campaign_id, cluster_id, reason, created_at, expires_at FROM brakes"},
    Question{"decisions", "SELECT campaign_id, cluster_id, stage, reason, figures, jobs FROM decisions ORDER BY 1, 2"},
    Question{"cycles, the last", "SELECT started_at, ended_at - started_at, modules FROM cycles ORDER BY id DESC LIMIT 4"},
};

std::string answer(pqxx::work& work, const Question& question) {
  auto text = fmt::format("-- {}\n", question.title);
  for (const auto& row : work.exec(question.sql)) {
    for (const auto& field : row) text += fmt::format("  {}={}", field.name(), field.is_null() ? "-" : field.c_str());
    text += '\n';
  }
  return text;
}

}  // namespace

std::string text_of_database(const std::string& conninfo) {
  std::string text;
  try {
    pqxx::connection connection{conninfo};
    pqxx::work work{connection};
    for (const auto& question : kQuestions) text += answer(work, question);
  } catch (const std::exception& error) {
    text += fmt::format("the database cannot be asked: {}\n", error.what());
  }
  return text;
}

std::string ends_of(const std::vector<std::filesystem::path>& logs) {
  constexpr std::size_t kLines = 40;
  std::string text;
  for (const auto& log : logs) text += fmt::format("-- the end of {}\n{}", log.string(), tail_of(log, kLines));
  return text;
}

}  // namespace gleaner::tests
