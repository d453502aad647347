#pragma once
// Inside lib/store only.
#include <string>
#include <tuple>

#include "lib/store/detail.hpp"

namespace gleaner::store::detail {

/// The rows of a query, part by part, in constant memory. One at a time in a transaction, which may run other statements between two parts.
template <class Query>
class Cursor {
 public:
  Cursor(Transaction& transaction, const Query& query) : transaction_{transaction} {
    auto& work = transaction.implementation().work;
    const auto declare = [&](const auto&... parameters) {
      work.exec_params("DECLARE gleaner_rows NO SCROLL CURSOR FOR " + std::string{Query::kText}, parameters.text()...);
    };
    guarded([&] { std::apply(declare, query.parameters()); });
  }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// The next rows; none: the query has no more.
  [[nodiscard]] Rows<Query> next() {
    pqxx::result rows;
    guarded([&] { rows = transaction_.implementation().work.exec("FETCH 500 FROM gleaner_rows"); });
    return Rows<Query>{std::move(rows)};
  }

 private:
  template <class Work>
  static void guarded(const Work& work) {
    try {
      work();
    } catch (...) {
      rethrow(Query::kName);
    }
  }

  Transaction& transaction_;
};

}  // namespace gleaner::store::detail
