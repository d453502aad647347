#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "lib/store/detail.hpp"
#include "sql/composite.hpp"
#include "tests/db/postgres.hpp"
#include "tests/seed.hpp"

// Arrays of a composite type, as PostgreSQL reads and writes them.
namespace gleaner::tests {
namespace {

/// As sql/embed.cmake makes it.
struct odd {
  static constexpr std::string_view kType = "odd";
  static constexpr std::array<std::string_view, 4> kColumns{"words", "number", "words_too", "numbers"};
  static constexpr std::array<sql::Kind, 4> kColumnKinds{sql::Kind::text, sql::Kind::integer, sql::Kind::text, sql::Kind::array};
  struct Row {
    sql::TextField words;
    sql::IntegerField number;
    sql::TextField words_too;
    sql::ArrayField numbers;
  };
  sql::TextParameter words;
  sql::IntegerParameter number;
  sql::TextParameter words_too;
  sql::ArrayParameter numbers;
  [[nodiscard]] std::array<const sql::Parameter*, 4> members() const { return {&words, &number, &words_too, &numbers}; }
};

using Words = std::optional<std::string>;
using Values = std::tuple<Words, std::optional<int>, Words, Words>;

odd row_of(const Values& values) {
  const auto& [words, number, words_too, numbers] = values;
  return {.words = words, .number = number, .words_too = words_too, .numbers = numbers};
}

class CompositeTypes : public ::testing::Test {
 protected:
  CompositeTypes() {
    auto transaction = database_.begin();
    store::detail::exec_text(transaction, "CREATE TYPE odd AS (words text, number integer, words_too text, numbers bigint[])");
    transaction.commit();
  }
  /// The values as PostgreSQL takes them out of a parameter.
  std::vector<Values> unpacked(const sql::RowsParameter<odd>& rows) {
    const auto text = [](const auto& field) { return field.is_null() ? Words{} : Words{field.template as<std::string>()}; };
    auto transaction = database_.begin();
    std::vector<Values> all;
    for (const auto& row :
         store::detail::exec_text(transaction, "SELECT words, number, words_too, numbers FROM unnest($1::odd[])", rows.text()))
      all.emplace_back(text(row[0]), row[1].is_null() ? std::nullopt : std::optional{row[1].template as<int>()}, text(row[2]),
                       text(row[3]));
    return all;
  }
  /// The values as C++ takes them out of PostgreSQL's text of them.
  std::vector<Values> read(const sql::RowsParameter<odd>& given) {
    auto transaction = database_.begin();
    const auto answer = store::detail::exec_text(transaction, "SELECT $1::odd[]::text", given.text());
    const auto text = answer[0][0].as<std::string>();
    sql::CompositeRows<odd> rows{text};
    std::vector<Values> all;
    while (const auto row = rows.next()) all.emplace_back(row->words, row->number, row->words_too, row->numbers);
    return all;
  }

 private:
  store::Database database_{PrivatePostgres::instance().empty_database()};
};

TEST_F(CompositeTypes, AnyTextsAndNulls_ArriveUnchanged_BothWays) {
  Dice dice{test_seed()};
  // All bytes that a text may hold, and above all those that mean something in a row or in an array.
  const std::vector<std::string> marks{"\"", "\\", ",",  "(",    ")",    "{",    "}", "'", " ",
                                       "\n", "\t", "\r", "NULL", "\"\"", "\\\"", "ä", "€", "😀"};
  const auto words = [&]() -> Words {
    if (dice.roll(0, 5) == 0) return std::nullopt;
    std::string text;
    for (int rest = dice.roll(0, 8); rest > 0; --rest)
      text += dice.roll(0, 2) > 0 ? dice.pick(marks) : std::string(1, static_cast<char>(dice.roll(1, 127)));
    return text;
  };
  const auto number = [&] { return dice.roll(0, 2) == 0 ? std::nullopt : std::optional{dice.roll(-9, 9)}; };
  const std::vector<Words> arrays{std::nullopt, "{}", "{1,-2,3}", "{NULL}"};
  for (int round = 0; round < 100; ++round) {
    std::vector<Values> given;
    std::vector<odd> rows;
    for (int rest = dice.roll(0, 12); rest > 0; --rest) {
      given.emplace_back(words(), number(), words(), dice.pick(arrays));
      rows.push_back(row_of(given.back()));
    }
    EXPECT_EQ(unpacked(rows), given);
    EXPECT_EQ(read(rows), given);
  }
}

TEST_F(CompositeTypes, EachByteOfAText_ArrivesAlone_AndInItsRow) {
  std::vector<Values> given;
  std::vector<odd> rows;
  for (int byte = 1; byte < 128; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    given.emplace_back(text, byte, text + text, std::nullopt);
    rows.push_back(row_of(given.back()));
  }
  EXPECT_EQ(unpacked(rows), given);
  EXPECT_EQ(read(rows), given);
}

TEST_F(CompositeTypes, NoRows_AreAnEmptyArray) {
  const std::vector<odd> none;
  EXPECT_EQ(sql::RowsParameter<odd>{none}.text(), "{}");
  EXPECT_TRUE(unpacked(none).empty());
  EXPECT_TRUE(read(none).empty());
}

TEST_F(CompositeTypes, AnEmptyText_IsNoNull) {
  const std::vector<odd> rows{row_of({"", std::nullopt, std::nullopt, "{}"})};
  EXPECT_EQ(sql::RowsParameter<odd>{rows}.text(), R"x({"(\"\",,,\"{}\")"})x");
  EXPECT_EQ(unpacked(rows), (std::vector<Values>{{"", std::nullopt, std::nullopt, "{}"}}));
}

TEST(CompositeText, OfAnotherForm_IsRefused_WithTheText) {
  const auto refusal_of = [](std::string_view text) {
    sql::CompositeRows<odd> rows{text};
    while (rows.next()) {
    }
  };
  for (const auto* text : {"", "x", "{", "}", "{1}", "{NULL}", "{\"(1,2,3,4)\"", R"x({"(1,2,3)"})x", R"x({"(1,2,3,4,5)"})x",
                           R"x({"(1,2,3,4)",})x", R"x({"(1,2,3,4)"x"(1,2,3,4)"})x", R"x({"(1,2,3,4"})x", R"x({"1,2,3,4)"})x",
                           R"x({"(\"1,2,3,4)"})x", R"x({"(1,2,3,4\\)"})x", R"x({"(1,2,3,4)})x", R"x({"(1,2,3,4)\"})x"}) {
    try {
      refusal_of(text);
      ADD_FAILURE() << text << " was read";
    } catch (const std::logic_error& refused) {
      EXPECT_THAT(refused.what(), testing::StartsWith("'" + std::string{text} + "' is no array of rows")) << text;
    }
  }
}

}  // namespace
}  // namespace gleaner::tests
