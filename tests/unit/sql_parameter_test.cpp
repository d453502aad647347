#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "lib/grid/id.hpp"
#include "lib/grid/time.hpp"
#include "sql/composite.hpp"
#include "sql/parameter.hpp"

namespace gleaner::sql {
namespace {

/// As sql/embed.cmake makes them.
struct jobs_end {
  Parameter job;
  Parameter now;
};

// Code that leaves a parameter out, or passes an unknown one, does not compile.
static_assert(!std::is_default_constructible_v<Parameter>);
static_assert(!std::is_constructible_v<Parameter, std::chrono::seconds>, "the unit is the query's");
static_assert(!std::is_constructible_v<Parameter, void*>);

// Nor does code that passes what the type of the query's parameter cannot be.
static_assert(std::is_constructible_v<IntegerParameter, grid::CampaignId> && std::is_constructible_v<IntegerParameter, std::optional<int>>);
static_assert(std::is_constructible_v<IntegerParameter, grid::Instant> && std::is_constructible_v<IntegerParameter, std::nullopt_t>);
static_assert(std::is_constructible_v<TextParameter, const char*> && std::is_constructible_v<TextParameter, std::optional<std::string>>);
static_assert(std::is_constructible_v<RealParameter, double> && std::is_constructible_v<BooleanParameter, bool>);
static_assert(!std::is_constructible_v<IntegerParameter, bool> && !std::is_constructible_v<IntegerParameter, double>);
static_assert(!std::is_constructible_v<IntegerParameter, std::string> && !std::is_constructible_v<TextParameter, int>);
static_assert(!std::is_constructible_v<BooleanParameter, int> && !std::is_constructible_v<BooleanParameter, const char*>);
static_assert(!std::is_constructible_v<TextParameter, std::optional<int>> && !std::is_constructible_v<ArrayParameter, int>);

/// Composite types.
template <int kNumber>
struct of_jobs {
  static constexpr std::string_view kType = "of_jobs";
  static constexpr std::array<std::string_view, 1> kColumns{"id"};
  struct Row {
    IntegerField id;
  };
  IntegerParameter id;
  [[nodiscard]] std::array<const Parameter*, 1> members() const { return {&id}; }
};

// Nor does code that passes rows of another type, or an array's literal for them.
static_assert(std::is_constructible_v<RowsParameter<of_jobs<1>>, std::vector<of_jobs<1>>>);
static_assert(!std::is_constructible_v<RowsParameter<of_jobs<1>>, std::vector<of_jobs<2>>>);
static_assert(!std::is_constructible_v<RowsParameter<of_jobs<1>>, std::string>);
static_assert(!std::is_default_constructible_v<of_jobs<1>>, "a row without one of its members");

std::string text_of(const Parameter& parameter) { return parameter.text().value_or("NULL"); }

TEST(Parameter, HasPostgresTextOfWhatItIsMadeFrom) {
  EXPECT_EQ(text_of(-7), "-7");
  EXPECT_EQ(text_of(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(text_of(true), "true");
  EXPECT_EQ(text_of(false), "false");
  EXPECT_EQ(text_of("word"), "word");
  EXPECT_EQ(text_of(std::string_view{"words"}.substr(0, 4)), "word");
  EXPECT_EQ(text_of(std::string{}), "");
  EXPECT_EQ(text_of(grid::CampaignId{3}), "3");
  EXPECT_EQ(text_of(grid::from_unix(2)), "2000000") << "an instant is in microseconds";
}

TEST(Parameter, OfNoValue_IsNull) {
  EXPECT_EQ(text_of(std::nullopt), "NULL");
  EXPECT_EQ(text_of(std::optional<grid::ClusterId>{}), "NULL");
  EXPECT_EQ(text_of(std::optional<grid::Instant>{}), "NULL");
  EXPECT_EQ(text_of(std::optional{grid::ClusterId{5}}), "5");
  EXPECT_EQ(text_of(std::optional<std::string>{"x"}), "x");
}

TEST(Parameter, OfANumber_LosesNothing) {
  for (const double number : {0.1, 1.0 / 3, 1e300, -2.3e-308, 3.0}) EXPECT_EQ(std::stod(text_of(number)), number);
  EXPECT_EQ(text_of(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Parameter, OfAQuery_AreGivenByTheirNames) {
  const jobs_end query{.job = grid::JobId{4}, .now = grid::from_unix(1)};
  EXPECT_EQ(text_of(query.job), "4");
  EXPECT_EQ(text_of(query.now), "1000000");
}

}  // namespace
}  // namespace gleaner::sql
