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

/// The name that a database gives to a type.
inline std::string name_of_type(PGconn* connection, Oid type) {
  const auto question = "SELECT format_type(" + std::to_string(type) + ", NULL)";
  const std::unique_ptr<PGresult, decltype(&PQclear)> answer{PQexec(connection, question.c_str()), PQclear};
  return PQgetvalue(answer.get(), 0, 0);
}

/// Expects that a database takes each of these queries, and that it gives the columns of its struct; where sql/types.txt has the types of
/// parameters and columns, these. By libpq, as libpqxx does not say which columns a prepared statement gives.
inline void expect_accepted(const std::string& conninfo, std::span<const sql::NamedQuery> queries, bool typed = false) {
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
    std::vector<std::string> types;
    for (int column = 0; column < PQnfields(described.get()); ++column) {
      columns.emplace_back(PQfname(described.get(), column));
      types.push_back(name_of_type(connection.get(), PQftype(described.get(), column)));
    }
    for (int parameter = 0; parameter < PQnparams(described.get()); ++parameter)
      types.push_back(name_of_type(connection.get(), PQparamtype(described.get(), parameter)));
    EXPECT_THAT(columns, testing::ElementsAreArray(query.columns.begin(), query.columns.end()));
    if (!typed) continue;
    std::vector<std::string> known{query.column_types.begin(), query.column_types.end()};
    known.insert(known.end(), query.parameter_types.begin(), query.parameter_types.end());
    EXPECT_EQ(types, known) << "of its columns, then of its parameters: run tools/schema";
  }
}

}  // namespace gleaner::tests
