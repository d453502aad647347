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

using testing::HasSubstr;
namespace fs = std::filesystem;

struct Embedded {
  int status = 0;
  std::string output;  ///< of CMake
  std::string header;  ///< queries.hpp
};

/// As if sql/queries/jobs.sql were this text.
Embedded embed(const std::string& queries) {
  const char* root = std::getenv("GLEANER_SOURCE_DIR");
  const auto folder = fs::temp_directory_path() / fmt::format("gleaner_embed_{}", ::getpid());
  fs::create_directories(folder / "queries");
  fs::create_directories(folder / "migrations");
  std::ofstream{folder / "queries/jobs.sql"} << queries;
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
  const auto embedded = embed(fmt::format("-- name: jobs.odd\n{}FROM t WHERE z @> ARRAY[@job] AND w = '\\;'\n", kKept));
  EXPECT_EQ(embedded.status, 0) << embedded.output;
  EXPECT_THAT(embedded.header, HasSubstr(kKept));
  EXPECT_THAT(embedded.header, HasSubstr("z @> ARRAY[$1] AND w = '\\;'"));
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

}  // namespace
}  // namespace gleaner
