#pragma once
// Inside lib/store only.
#include <string>

#include "lib/store/detail.hpp"

namespace gleaner::store::detail {

/// The rows of a query, part by part, in constant memory. One at a time in a transaction, which may run other statements between two parts.
template <class Query>
class Cursor {
 public:
  Cursor(Transaction& transaction, const Query& query) : transaction_{transaction} {
    static_cast<void>(
        run(transaction, Query::kName, "DECLARE gleaner_rows NO SCROLL CURSOR FOR " + std::string{Query::kText}, query.parameters()));
  }
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;

  /// The next rows; none: the query has no more.
  [[nodiscard]] Rows<Query> next() { return Rows<Query>{run(transaction_, Query::kName, "FETCH 500 FROM gleaner_rows", {})}; }

 private:
  Transaction& transaction_;
};

}  // namespace gleaner::store::detail
