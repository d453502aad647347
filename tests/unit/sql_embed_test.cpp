#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

// sql/embed.cmake, which makes a struct of each query.
namespace gleaner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct Embedded {
  int status = 0;
  std::string output;  ///< of CMake
  std::string header;  ///< queries.hpp
  std::string world_header;
};

/// As if sql/queries/jobs.sql were this text, and sql/world/judge.sql the other one.
Embedded embed(const std::string& queries, const std::string& schema = {}, const std::string& of_world = {},
               const std::string& types = {}) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  const auto folder = fs::temp_directory_path() / fmt::format("gleaner_embed_{}", ::getpid());
  fs::create_directories(folder / "queries");
  fs::create_directories(folder / "migrations");
  if (!of_world.empty()) {
    fs::create_directories(folder / "world");
    std::ofstream{folder / "world/judge.sql"} << of_world;
  }
  std::ofstream{folder / "queries/jobs.sql"} << queries;
  std::ofstream{folder / "schema.sql"} << schema;
  if (!types.empty()) std::ofstream{folder / "types.txt"} << types;
  const auto command =
      fmt::format("cmake -DOUT={0} -DSQL={0} -P {1}/sql/embed.cmake > {0}/output 2>&1", folder.string(), root ? root : ".");
  const auto contents = [&](const char* name) {
    std::ifstream file{folder / name};
    return std::string{std::istreambuf_iterator<char>{file}, {}};
  };
  Embedded embedded;
  embedded.status = WEXITSTATUS(std::system(command.c_str()));  // NOLINT(concurrency-mt-unsafe): one thread
  embedded.output = contents("output");
  embedded.header = contents("queries.hpp");
  embedded.world_header = contents("world_queries.hpp");
  fs::remove_all(folder);
  return embedded;
}

TEST(Embed, Parameters_AreNumberedAsTheyFirstAppear_AndBecomeMembers) {
  const auto embedded = embed("-- name: jobs.end\n-- Ends @job.\nUPDATE jobs SET ended_at = @now WHERE id = @job AND started_at < @now\n");
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.header, HasSubstr("UPDATE jobs SET ended_at = $1 WHERE id = $2 AND started_at < $1\n"));
  EXPECT_THAT(embedded.header, HasSubstr("  Parameter now;\n  Parameter job;\n"));
}

TEST(Embed, CommentsStringsAndOperators_AreLeftAsTheyAre) {
  const auto* const kKept = "SELECT '@a', \"@b\", x @> y, x <@ y, x @@ y, ARRAY[1, 2] -- it's @job\n";
  const auto embedded = embed(fmt::format("-- name: jobs.odd\nINSERT INTO t\n{}FROM t WHERE z @> ARRAY[@job] AND w = '\\;'\n", kKept));
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.header, HasSubstr(kKept));
  EXPECT_THAT(embedded.header, HasSubstr("z @> ARRAY[$1] AND w = '\\;'"));
}

TEST(Embed, QueriesOfTheWorld_AreInAHeaderOfTheirOwn_WithTheirList) {
  const auto embedded =
      embed("-- name: jobs.all\nSELECT id FROM jobs\n", {}, "-- name: judge.jobs\nSELECT id FROM jobs WHERE id > @least\n");
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.world_header, HasSubstr("struct judge_jobs {"));
  EXPECT_THAT(
      embedded.world_header,
      HasSubstr(
          "    {judge_jobs::kName, judge_jobs::kText, judge_jobs::kColumns, judge_jobs::kColumnTypes, judge_jobs::kParameterTypes},\n"));
  EXPECT_THAT(embedded.header, AllOf(HasSubstr("struct jobs_all {"), Not(HasSubstr("judge"))));
}

TEST(Embed, ANumberInsteadOfAName_IsRefused) {
  const auto embedded = embed("-- name: jobs.end\nUPDATE jobs SET ended_at = @now WHERE id = $2\n");
  EXPECT_NE(embedded.status, 0);
  EXPECT_THAT(embedded.output, HasSubstr("jobs.end has a parameter $2"));
}

TEST(Embed, ACommentThatMentionsAParameterThatIsNone_IsRefused) {
  const auto embedded = embed("-- name: jobs.end\n-- @cluster: null: any.\nUPDATE jobs SET ended_at = @now\n");
  EXPECT_NE(embedded.status, 0);
  EXPECT_THAT(embedded.output, HasSubstr("mentions @cluster"));
}

TEST(Embed, AQueryInTheFileOfAnotherPrefix_IsRefused) {
  const auto embedded = embed("-- name: tasks.end\nSELECT 1\n");
  EXPECT_NE(embedded.status, 0);
  EXPECT_THAT(embedded.output, HasSubstr("the query tasks.end belongs into the file"));
}

/// The columns of a query of this text.
std::string columns_of(const std::string& text, const std::string& schema = {}) {
  const auto embedded = embed("-- name: jobs.any\n" + text + '\n', schema);
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  const auto start = embedded.header.find("kColumns{") + 9;
  return embedded.header.substr(start, embedded.header.find('}', start) - start);
}

TEST(Embed, Columns_BecomeMembersOfTheRow) {
  const auto embedded = embed("-- name: jobs.of\nSELECT j.id, micros(started_at) AS started_at FROM jobs j\n");
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.header, HasSubstr("  struct Row { Field id; Field started_at; };\n"));
  EXPECT_THAT(embedded.header, HasSubstr("std::array<std::string_view, 2> kColumns{\"id\", \"started_at\"};"));
}

TEST(Embed, ParametersAndColumns_HaveTheClassesOfTheirTypes_WhereTheseAreKnown) {
  const auto embedded = embed(
      "-- name: jobs.end\nUPDATE jobs SET a = @a, b = @b, c = @c WHERE id = ANY (@ids) RETURNING id, share, form, made\n"
      "-- name: jobs.others\nSELECT id FROM jobs WHERE id = @id\n",
      {}, {},
      "# A comment.\njobs.end: a boolean, b double precision, c text, ids bigint[] -> id bigint, share numeric, form \"char\", made timestamp with "
      "time zone\n");
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.header, HasSubstr("struct Row { IntegerField id; NumericField share; TextField form; TextField made; };\n"));
  EXPECT_THAT(embedded.header, HasSubstr("  BooleanParameter a;\n  RealParameter b;\n  TextParameter c;\n  ArrayParameter ids;\n"));
  EXPECT_THAT(embedded.header, HasSubstr(R"(kColumnTypes{"bigint", "numeric", "\"char\"", "timestamp with time zone"};)"));
  EXPECT_THAT(embedded.header, HasSubstr(R"(kParameterTypes{"boolean", "double precision", "text", "bigint[]"};)"));
  EXPECT_THAT(embedded.header, HasSubstr("struct Row { Field id; };\n  Parameter id;\n")) << "a query that tools/schema has not seen yet";
}

TEST(Embed, AnArrayOfACompositeType_TakesRowsOfItsStruct) {
  const auto embedded =
      embed("-- name: jobs.end\nUPDATE jobs SET a = g.a FROM unnest(@ends::job_finish[]) AS g WHERE g.id = ANY (@ids)\n", {}, {},
            "type job_finish: id bigint, a text, days integer[]\njobs.end: ends job_finish[], ids bigint[] -> \n");
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.header, HasSubstr("  RowsParameter<job_finish> ends;\n  ArrayParameter ids;\n"));
  EXPECT_THAT(embedded.header, HasSubstr("struct job_finish {\n  static constexpr std::string_view kType = \"job_finish\";\n"
                                         "  static constexpr std::array<std::string_view, 3> kColumns{\"id\", \"a\", \"days\"};\n"));
  EXPECT_THAT(embedded.header, HasSubstr("  struct Row { IntegerField id; TextField a; ArrayField days; };\n"
                                         "  IntegerParameter id;\n  TextParameter a;\n  ArrayParameter days;\n"));
  EXPECT_THAT(embedded.header, HasSubstr("members() const { return {&id, &a, &days}; }"));
}

TEST(Embed, Columns_AreThoseOfReturning_ElseOfTheOutermostSelect) {
  EXPECT_EQ(columns_of("UPDATE t SET a = 1"), "");
  EXPECT_EQ(columns_of("INSERT INTO t SELECT a, b FROM s"), "");
  EXPECT_EQ(columns_of("INSERT INTO t SELECT a, b FROM s ON CONFLICT (a) DO UPDATE SET b = 1 RETURNING c"), R"("c")");
  EXPECT_EQ(columns_of("WITH x AS (DELETE FROM t RETURNING a, b),\ny AS (SELECT a FROM x)\nSELECT y.a, (SELECT b FROM x) AS b FROM y"),
            R"("a", "b")");
  EXPECT_EQ(columns_of("WITH x AS (SELECT a FROM t) UPDATE t SET b = x.a FROM x"), "");
  EXPECT_EQ(columns_of("SELECT FROM t FOR UPDATE"), "");
  EXPECT_EQ(columns_of("SELECT a FROM t UNION ALL SELECT b FROM s"), R"("a")");
  EXPECT_EQ(columns_of("SELECT DISTINCT ON (a, b) c, d FROM t"), R"("c", "d")");
  EXPECT_EQ(columns_of("SELECT count(*) FILTER (WHERE a < 2) AS few\nWHERE true"), R"("few")");
}

TEST(Embed, CommasAndWordsInStringsCommentsAndBrackets_EndNoColumn) {
  EXPECT_EQ(columns_of("SELECT coalesce(a, ' FROM, ') AS a, -- not b, FROM t\n  CASE WHEN b IN (1, 2) THEN 'x, y' END AS c FROM t"),
            R"("a", "c")");
}

TEST(Embed, AllColumns_AreThoseOfAView) {
  const auto* const kSchema = "CREATE TABLE t (\n    a text\n);\n\nCREATE VIEW short AS\n SELECT t.a,\n    micros(t.b) AS b\n   FROM t;\n";
  EXPECT_EQ(columns_of("SELECT * FROM short s WHERE a = 1", kSchema), R"("a", "b")");
  const auto embedded = embed("-- name: jobs.any\nSELECT * FROM t\n", kSchema);
  EXPECT_NE(embedded.status, 0);
  EXPECT_THAT(embedded.output, HasSubstr("jobs.any selects * from t"));
}

TEST(Embed, AColumnWithoutAName_IsRefused) {
  for (const auto* const column : {"count(*)", "a + 1", "a IS NULL", "a::text", "1"}) {
    const auto embedded = embed(fmt::format("-- name: jobs.any\nSELECT b, {} FROM t\n", column));
    EXPECT_NE(embedded.status, 0) << column;
    EXPECT_THAT(embedded.output, HasSubstr("jobs.any has a column without a name")) << column;
  }
}

}  // namespace
}  // namespace gleaner
