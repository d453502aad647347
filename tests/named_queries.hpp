#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sql/catalogue.hpp"

namespace gleaner::tests {

/// Expects that a database takes each of these queries, and that it gives the columns of its struct. By libpq, as libpqxx does not say
/// which columns a prepared statement gives.
inline void expect_accepted(const std::string& conninfo, std::span<const sql::NamedQuery> queries) {
  using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection{PQconnectdb(conninfo.c_str()), PQfinish};
  ASSERT_FALSE(queries.empty());
  for (const auto& query : queries) {
    SCOPED_TRACE(query.name);
    const Result prepared{PQprepare(connection.get(), "", std::string{query.text}.c_str(), 0, nullptr), PQclear};
    if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) {
      ADD_FAILURE() << PQresultErrorMessage(prepared.get());
      continue;
    }
    const Result described{PQdescribePrepared(connection.get(), ""), PQclear};
    std::vector<std::string> columns;
    for (int column = 0; column < PQnfields(described.get()); ++column) columns.emplace_back(PQfname(described.get(), column));
    EXPECT_THAT(columns, testing::ElementsAreArray(query.columns.begin(), query.columns.end()));
  }
}

}  // namespace gleaner::tests
