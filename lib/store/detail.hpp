#pragma once
// Inside lib/store only: the bridge to libpqxx, 6.4 to 7.10.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lib/store/database.hpp"
#include "sql/queries.hpp"

namespace gleaner::store {

/// The queries that a connection has prepared, by the address of their kText in sql/queries.hpp.
using Prepared = std::unordered_map<const std::string_view*, std::string>;

struct Transaction::Implementation {
  Implementation(pqxx::connection& connection, Prepared& known) : work{connection}, prepared{known} {}
  pqxx::work work;
  Prepared& prepared;
  std::optional<grid::Instant> now;  ///< the database's clock, as long as the statement that read it is the last one
  bool savepoints = true;            ///< attempt() makes savepoints; without them, a refused statement fails the transaction
  bool refused_part = false;         ///< a refused part would have been rolled back to a savepoint, had there been one
};

namespace detail {

/// Rethrows the current exception as one of database.hpp. `what`: the query's name, or a description of the work.
[[noreturn]] void rethrow(std::string_view what);

/// Listens to a channel while the result lives, and perhaps longer. pqxx::connection::get_notifs() sets it when somebody notified.
[[nodiscard]] std::shared_ptr<bool> listen_to(pqxx::connection& connection, const std::string& channel);

/// An array literal for a parameter of type bigint[], integer[], double precision[] or text[]; an empty optional becomes NULL.
template <class T>
std::string number_array(std::span<const T> values) {
  std::string text{"{"};
  for (const auto& value : values) {
    if (text.size() > 1) text += ',';
    text += pqxx::to_string(value);
  }
  return text + '}';
}
[[nodiscard]] std::string text_array(std::span<const std::string> values);

/// The numbers of a bigint[] in PostgreSQL's text form; std::logic_error where it is no such text.
[[nodiscard]] std::vector<std::int64_t> numbers_in(std::string_view array);

/// Builds an array literal element by element, with nulls.
class Array {
 public:
  void add(std::int64_t value) { put(std::to_string(value)); }
  void add(std::optional<std::int64_t> value) { put(value ? std::to_string(*value) : "NULL"); }
  void add(double value) { put(pqxx::to_string(value)); }
  void add(std::string_view value);
  void add(std::optional<grid::Instant> value);
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] std::string literal() const { return "{" + text_ + "}"; }

 private:
  void put(const std::string& element) {
    if (!text_.empty()) text_ += ',';
    text_ += element;
  }
  std::string text_;
};

/// The ids as an array literal.
template <class Ids>
std::string ids_of(const Ids& ids) {
  Array array;
  for (const auto id : ids) array.add(id.value());
  return array.literal();
}

[[nodiscard]] inline std::int64_t micros(grid::Instant instant) { return instant.time_since_epoch().count(); }
[[nodiscard]] inline std::optional<std::int64_t> micros(std::optional<grid::Instant> instant) {
  return instant ? std::optional{micros(*instant)} : std::nullopt;
}

/// The rows of a query's answer, each with a member for each column, as sql/embed.cmake generates them: `row.started_at`.
template <class Query>
class Rows {
 public:
  class Row : public Query::Row {
   public:
    explicit Row(const pqxx::row& row) : Row{row, row.begin(), std::make_index_sequence<Query::kColumns.size()>{}} {}

    using From = Query;
    /// The column at a place, for who finds it by its name (lib/store/fields.hpp).
    template <std::size_t kPlace>
    [[nodiscard]] sql::BasicField<Query::kColumnKinds[kPlace]> field() const {
      const auto value = row_[static_cast<pqxx::row::size_type>(kPlace)];
      return {Query::kColumns[kPlace], value.is_null() ? std::nullopt : std::optional{std::string_view{value.c_str(), value.size()}}};
    }

   private:
    template <std::size_t... Columns>
    Row(const pqxx::row& row, [[maybe_unused]] pqxx::row::const_iterator place, std::index_sequence<Columns...>)
        : Query::Row{take(place, Query::kColumns[Columns])...}, row_{row} {}
    static sql::Field take(pqxx::row::const_iterator& place, std::string_view column) {
      const auto text = place->is_null() ? std::nullopt : std::optional{std::string_view{place->c_str(), place->size()}};
      ++place;
      return {column, text};
    }
    pqxx::row row_;  ///< keeps the texts alive
  };

  class Iterator {
   public:
    Iterator(const Rows& rows, std::size_t place) : rows_{&rows}, place_{place} {}
    Row operator*() const { return (*rows_)[place_]; }
    Iterator& operator++() {
      ++place_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Rows* rows_;
    std::size_t place_;
  };

  explicit Rows(pqxx::result result) : result_{std::move(result)} {}
  [[nodiscard]] bool empty() const { return result_.empty(); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(result_.size()); }
  /// Rows changed by an INSERT, UPDATE or DELETE without RETURNING.
  [[nodiscard]] std::int64_t affected_rows() const { return static_cast<std::int64_t>(result_.affected_rows()); }
  [[nodiscard]] Row operator[](std::size_t place) const { return Row{result_[static_cast<pqxx::result::size_type>(place)]}; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  pqxx::result result_;
};

/// Runs a statement; `name`: what its errors call it.
[[nodiscard]] pqxx::result run(Transaction& transaction, std::string_view name, std::string_view text, sql::Parameters parameters);
/// The same for a statement of sql/queries.hpp that is prepared, once for each connection.
[[nodiscard]] pqxx::result run_prepared(Transaction& transaction, std::string_view name, const std::string_view& text,
                                        sql::Parameters parameters);
/// The same in a transaction of its own, which PostgreSQL begins and ends by itself: one round trip instead of three.
[[nodiscard]] pqxx::result run_alone(pqxx::connection& connection, Prepared& prepared, std::string_view name, const std::string_view& text,
                                     sql::Parameters parameters);

/// Runs a query of sql/queries.hpp, as `exec(transaction, sql::campaigns_owner{.campaign = campaign})`.
template <class Query>
Rows<Query> exec(Transaction& transaction, const Query& query) {
  return Rows<Query>{run(transaction, Query::kName, Query::kText, query.parameters())};
}

/// The column `id` of the rows.
template <class Id, class Query>
std::vector<Id> ids_in(const Rows<Query>& rows) {
  std::vector<Id> ids;
  for (const auto& row : rows) ids.push_back(*row.id);
  return ids;
}

/// Runs a statement that is not in sql/queries.
template <class... Values>
pqxx::result exec_text(Transaction& transaction, std::string_view statement, const Values&... values) {
  const std::array<sql::Parameter, sizeof...(Values)> given{sql::Parameter{values}...};
  std::array<const sql::Parameter*, sizeof...(Values)> parameters{};
  std::transform(given.begin(), given.end(), parameters.begin(), [](const auto& one) { return &one; });
  return run(transaction, statement, statement, parameters);
}

/// As exec(), for queries of every turn: the server plans the query once for each connection. Only for queries whose best plan does not
/// depend on their parameters.
template <class Query>
Rows<Query> exec_prepared(Transaction& transaction, const Query& query) {
  return Rows<Query>{run_prepared(transaction, Query::kName, Query::kText, query.parameters())};
}

/// As exec_prepared(), for a query that needs no transaction with others.
template <class Query>
Rows<Query> exec_alone(pqxx::connection& connection, Prepared& prepared, const Query& query) {
  return Rows<Query>{run_alone(connection, prepared, Query::kName, Query::kText, query.parameters())};
}

}  // namespace detail
}  // namespace gleaner::store
