#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/contract/raw_http.hpp"
#include "tests/contract/world.hpp"

/// Files of the users, through the API.
namespace gleaner::contract {
namespace {

class Media : public Contract {
 protected:
  static int refusal(const oar::Failure& failure) {
    const auto* const refused = std::get_if<oar::Refused>(&failure);
    return refused == nullptr ? -1 : refused->status;
  }
  static std::string folder() { return "~/" + world().token() + "/media"; }

  /// Three lines, one with bytes that are no UTF-8; one that
  /// nobody else may read.
  static void make_files() {
    const auto job =
        world().request(fmt::format("mkdir -p {0}/media; printf 'one\\\\ntw\\\\351\\\\nthree\\\\n' > {0}/media/a,b.txt; "
                                    "echo secret > {0}/media/own; chmod 600 {0}/media/own; pwd",
                                    world().token()));
    const auto ended = world().await_end(world().submit(job).ids).front();
    ASSERT_EQ(ended.exit_status, 0);
    home_ = read(world().user(), fmt::format("~/{}/{}.out", world().token(), ended.id.value())).value_or("");
    home_.resize(home_.find('\n'));
  }
  static oar::Result<std::string> read(const std::string& user, const std::string& path, std::optional<int> last = {}) {
    return until_answered([&] { return client().read_file(user, path, {.last_lines = last}); });
  }
  static inline std::string home_;
};
GLEANER_ON_EACH_BACKEND(Media);

TEST_P(Media, AFileIsReadByteForByte_WholeOrItsLastLines_ByAnyPath) {
  make_files();
  const auto user = world().user();
  EXPECT_EQ(read(user, folder() + "/a,b.txt").value_or("failed"), "one\ntw\xE9\nthree\n");
  EXPECT_EQ(read(user, folder() + "/a,b.txt", 2).value_or("failed"), "tw\xE9\nthree\n");
  EXPECT_EQ(read(user, home_ + "/" + world().token() + "/media/own").value_or("failed"), "secret\n");
}

TEST_P(Media, AFileOfAnotherUserThatTheyKeep_IsForbidden) {
  make_files();
  const auto file = read(world().other_user(), home_ + "/" + world().token() + "/media/own");
  ASSERT_FALSE(file);
  EXPECT_EQ(refusal(file.error()), 403) << oar::describe(file.error());
}

TEST_P(Media, AFileThatIsNotThere_IsNotFound) {
  const auto file = read(world().user(), folder() + "/nosuchfile");
  ASSERT_FALSE(file);
  EXPECT_EQ(refusal(file.error()), 404) << oar::describe(file.error());
}

/// The evidence of a launch is read so: a part of it would look like jobs that never began.
TEST_P(Media, AFolderOfAThousandFiles_IsListedWhole_WithNamesOfAnyBytes) {
  const auto place = fmt::format("{}/listed", world().token());
  const auto job = world().request(
      fmt::format("mkdir -p {0}; for i in \\$(seq 1000); do : > {0}/\\$i.0.7.\\$i.e0; done; : > {0}/\\$(printf 'odd\\351'); "
                  "ln {0}/1.0.7.1.e0 {0}/1.0.claim",
                  place));
  ASSERT_EQ(world().await_end(world().submit(job).ids).front().exit_status, 0);
  const auto names = until_answered([&] { return client().list_folder(world().user(), "~/" + place); });
  ASSERT_TRUE(names) << oar::describe(names.error());
  EXPECT_EQ(names->size(), 1002U);
  EXPECT_NE(std::ranges::find(*names, "1000.0.7.1000.e0"), names->end());
  EXPECT_NE(std::ranges::find(*names, "1.0.claim"), names->end());
}

TEST_P(Media, AFolderThatIsNotThere_IsNotFound) {
  const auto names = until_answered([&] { return client().list_folder(world().user(), folder() + "/nosuchfolder"); });
  ASSERT_FALSE(names);
  EXPECT_EQ(refusal(names.error()), 404) << oar::describe(names.error());
}

TEST_P(Media, AFolderIsDeletedWithAllThatIsInIt) {
  make_files();
  const auto deleted = until_answered([] { return client().delete_path(world().user(), folder()); });
  ASSERT_TRUE(deleted) << oar::describe(deleted.error());
  EXPECT_EQ(refusal(read(world().user(), folder() + "/own").error()), 404);
}

/// OAR would give it to a shell as it is.
TEST_P(Media, APathThatAShellWouldRead_IsNotSent) {
  for (const std::string path : {"~/a b", "~/a;id", "~/$HOME", "~/`id`", "~/a*", "~/a\nb"}) {
    EXPECT_EQ(refusal(client().read_file(world().user(), path).error()), 0) << path;
    EXPECT_EQ(refusal(client().delete_path(world().user(), path).error()), 0) << path;
  }
}

TEST_P(Media, APathThatIsNeitherAbsoluteNorInAHome_IsNotSent) {
  EXPECT_EQ(refusal(client().read_file(world().user(), "file").error()), 0);
  EXPECT_EQ(refusal(client().delete_path(world().user(), "../file").error()), 0);
}

}  // namespace
}  // namespace gleaner::contract
