#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "lib/grid/id.hpp"
#include "lib/grid/states.hpp"
#include "lib/grid/time.hpp"
#include "sql/field.hpp"

namespace gleaner::sql {
namespace {

/// As sql/embed.cmake makes them.
struct Row {
  Field id;
  Field name;
  Field ended_at;
};

Field field(std::string_view text) { return {"column", text}; }
Field null() { return {"column", std::nullopt}; }

// Code that forgets the asterisk of a value that must be there does not compile.
static_assert(!std::is_convertible_v<Field, int>);
static_assert(!std::is_convertible_v<Field, std::string>);
static_assert(!std::is_assignable_v<std::string&, Field>);
static_assert(std::is_convertible_v<Field, std::optional<int>>);
static_assert(std::is_convertible_v<Field::Value, grid::JobId>);
static_assert(!std::is_convertible_v<Field::Value, std::chrono::minutes>, "a column is in microseconds or seconds");

// Nor does code that reads a column as what its type cannot be.
template <class Into, class Column>
constexpr bool kReads = std::is_convertible_v<typename Column::Value, Into>&& std::is_convertible_v<Column, std::optional<Into>>;
static_assert(kReads<grid::JobId, IntegerField> && kReads<int, IntegerField> && kReads<grid::Instant, IntegerField>);
static_assert(kReads<double, IntegerField> && kReads<double, RealField> && kReads<double, NumericField> && kReads<int, NumericField>);
static_assert(kReads<bool, BooleanField> && kReads<std::string, TextField> && kReads<std::string, ArrayField>);
static_assert(!kReads<std::string, IntegerField> && !kReads<bool, IntegerField> && !kReads<int, RealField>);
static_assert(!kReads<int, TextField> && !kReads<bool, TextField> && !kReads<int, BooleanField> && !kReads<std::string, BooleanField>);
template <class Column>
concept IsAName = requires(const Column& column) {
  column.template as<grid::JobState>(grid::job_state);
};
static_assert(IsAName<TextField> && IsAName<Field> && !IsAName<IntegerField>);

template <class T>
T value_of(std::string_view text) {
  return *field(text);
}

TEST(Field, BecomesWhatItIsAssignedTo) {
  struct Job {
    grid::JobId id;
    std::string name;
    std::optional<grid::Instant> ended_at;
  };
  const Row row{.id = field("7"), .name = field("seven"), .ended_at = null()};
  const Job job{.id = *row.id, .name = *row.name, .ended_at = row.ended_at};
  EXPECT_EQ(job.id, grid::JobId{7});
  EXPECT_EQ(job.name, "seven");
  EXPECT_EQ(job.ended_at, std::nullopt);
}

TEST(Field, IsReadFromPostgresText) {
  EXPECT_EQ(value_of<int>("-7"), -7);
  EXPECT_EQ(value_of<std::int64_t>("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_TRUE(value_of<bool>("t"));
  EXPECT_FALSE(value_of<bool>("f"));
  EXPECT_EQ(value_of<std::string>(""), "");
  EXPECT_EQ(value_of<grid::Instant>("2000000"), grid::from_unix(2)) << "an instant is in microseconds";
  EXPECT_EQ(value_of<grid::Seconds>("90"), grid::Seconds{90});
  EXPECT_EQ(value_of<double>("3"), 3.0);
  EXPECT_EQ(value_of<double>("1.5e-07"), 1.5e-7);
  EXPECT_EQ(value_of<double>("Infinity"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(field("running").as(grid::job_state), grid::JobState::running);
}

TEST(Field, OfAnOptional_IsThereOrNot) {
  std::optional<double> value = field("0.5");
  EXPECT_EQ(value, 0.5);
  value = null();
  EXPECT_EQ(value, std::nullopt);
  value = field("1");
  EXPECT_EQ(value, 1.0);
  EXPECT_EQ(null().value_or(""), "");
  EXPECT_EQ(field("x").value_or(""), "x");
  EXPECT_EQ(null().value_or(3), 3);
  EXPECT_FALSE(null().has_value());
}

TEST(Field, ThatCannotBeRead_IsNamed) {
  const auto complaint_of = [](const auto& read) -> std::string {
    try {
      static_cast<void>(read());
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(complaint_of([] { return null().as<int>(); }), "the column 'column' is null");
  EXPECT_EQ(complaint_of([] { return field("7 dwarfs").as<int>(); }), "the column 'column' has the unreadable value '7 dwarfs'");
  EXPECT_EQ(complaint_of([] { return field("3000000000").as<int>(); }), "the column 'column' has the unreadable value '3000000000'");
  EXPECT_EQ(complaint_of([] { return field("asleep").as(grid::job_state); }), "the column 'column' has the unreadable value 'asleep'");
  EXPECT_EQ(complaint_of([] { return field("").as<double>(); }), "the column 'column' has the unreadable value ''");
}

}  // namespace
}  // namespace gleaner::sql
