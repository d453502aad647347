#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "lib/oar/outputs.hpp"
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

/// The guard that keeps a cancelled task of a pool from starting: a claim that a carrier made first stays its own.
TEST_P(Media, AFileIsCreated_WithItsFolder_AndOneThatIsThereStays) {
  const auto claim = fmt::format("~/{}/created/7.0.claim", world().token());
  const auto create = [&](const std::string& content) {
    const oar::FileOf file{{world().user(), claim}, content};
    return until_answered([&] { return client().create_files({&file, 1}).front(); });
  };
  const auto first = create("one\n");
  EXPECT_TRUE(first) << oar::describe(first.error());
  const auto second = create("another\n");
  EXPECT_TRUE(second) << oar::describe(second.error());
  EXPECT_EQ(read(world().user(), claim).value_or("failed"), "one\n");
}

/// How input files reach a cluster.
TEST_P(Media, AFileOfSomeMegabytes_IsWrittenByteForByte_AndReplacedByAShorterOne) {
  const auto path = fmt::format("~/{}/written/in/0", world().token());
  std::string content(5'000'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 / 3);
  for (const auto& bytes : {content, content.substr(1000, 100)}) {
    const oar::FileOf file{{world().user(), path}, bytes};
    const auto written = until_answered([&] { return client().write_files({&file, 1}).front(); });
    ASSERT_TRUE(written) << oar::describe(written.error());
    EXPECT_TRUE(read(world().user(), path).value_or("failed") == bytes);
  }
}

/// So whoever writes a file compares its size afterwards.
TEST_P(Media, AFileForWhichTheDiskHasNoRoom_IsAnsweredAsASuccess) {
  const auto place = fmt::format("{}/full", world().token());
  const auto job = world().request(fmt::format("mkdir -p {0}; ln -s /dev/full {0}/file", place));
  ASSERT_EQ(world().await_end(world().submit(job).ids).front().exit_status, 0);
  const oar::FileOf file{{world().user(), "~/" + place + "/file"}, std::string(100'000, 'x')};
  const auto written = until_answered([&] { return client().write_files({&file, 1}).front(); });
  EXPECT_TRUE(written) << oar::describe(written.error());
}

TEST_P(Media, AFileWithoutContent_OrWithAZeroAlone_IsCreatedEmpty_AndDoesNotReplaceAnother) {
  const auto path = fmt::format("~/{}/zero/file", world().token());
  const auto write = [&](const std::string& content) {
    const oar::FileOf file{{world().user(), path}, content};
    return until_answered([&] { return client().write_files({&file, 1}).front(); });
  };
  EXPECT_TRUE(write("0"));
  EXPECT_EQ(read(world().user(), path).value_or("failed"), "");
  EXPECT_TRUE(write("00"));
  EXPECT_EQ(read(world().user(), path).value_or("failed"), "00");
  for (const auto* content : {"0", ""}) {
    EXPECT_TRUE(write(content));
    EXPECT_EQ(read(world().user(), path).value_or("failed"), "00");
  }
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

/// Sizes that gridget receives: OAR lists a link's own size, and no names of other folders.
TEST_P(Media, AFolderIsListedWithTheSizesOfItsFiles) {
  const auto place = fmt::format("{}/sized", world().token());
  const auto job = world().request(fmt::format(
      "mkdir -p {0}/sub; printf 12345 > {0}/five; : > {0}/empty; printf 123 > '{0}/a b'; ln -s five {0}/link; head -c 3000000 /dev/zero > {0}/big",
      place));
  ASSERT_EQ(world().await_end(world().submit(job).ids).front().exit_status, 0);
  const auto files = until_answered([&] { return oar::list_files(world().access(), {}, world().user(), "~/" + place); });
  ASSERT_TRUE(files) << oar::describe(files.error());
  std::map<std::string, std::optional<std::int64_t>> sizes;
  for (const auto& file : *files) sizes.emplace(file.name, file.size);
  const std::map<std::string, std::optional<std::int64_t>> expected{
      {"five", 5}, {"empty", 0}, {"a b", 3}, {"link", std::nullopt}, {"big", 3'000'000}};
  EXPECT_EQ(sizes, expected);
}

std::string streamed(const oar::Access& access, const std::string& user, const std::string& path) {
  return until_answered([&]() -> oar::Result<std::string> {
           auto file = oar::FileStream::open(access, {}, user, path);
           if (!file) return tl::unexpected(file.error());
           std::string all;
           while (true) {
             auto bytes = file->next();
             if (!bytes || bytes->empty()) return bytes ? oar::Result<std::string>{all} : bytes;
             all += *bytes;
           }
         })
      .value_or("failed");
}

TEST_P(Media, AFileIsStreamedByteForByte_AlsoThroughALink_AndAnEmptyOne) {
  const auto place = fmt::format("{}/streamed", world().token());
  const auto job = world().request(fmt::format(
      "mkdir -p {0}; printf 'a\\000b\\351\\n' > {0}/odd; : > {0}/empty; ln -s odd {0}/link; head -c 3000000 /dev/zero > {0}/big", place));
  ASSERT_EQ(world().await_end(world().submit(job).ids).front().exit_status, 0);
  const auto read_whole = [&](const std::string& name) { return streamed(world().access(), world().user(), "~/" + place + "/" + name); };
  EXPECT_EQ(read_whole("odd"), (std::string{"a\0b\xE9\n", 5}));
  EXPECT_EQ(read_whole("link"), (std::string{"a\0b\xE9\n", 5}));
  EXPECT_EQ(read_whole("empty"), "");
  EXPECT_EQ(read_whole("big"), std::string(3'000'000, '\0'));
  EXPECT_EQ(refusal(oar::FileStream::open(world().access(), {}, world().user(), "~/" + place + "/none").error()), 404);
  EXPECT_EQ(refusal(oar::FileStream::open(world().access(), {}, world().user(), "~/" + place).error()), 404);  // a folder
}

/// All jobs of a campaign with an output directory have one file of OAR's in common.
TEST_P(Media, OarAppendsToAFileOfStderr_ThatSeveralJobsShare) {
  const auto file = world().token() + ".shared";
  auto job = world().request("echo line >&2; :");
  job.stdout_file = file;
  job.stderr_file = file;
  job.lines = {"1", "2", "3"};
  world().await_end(world().submit(job).ids);
  const auto text = read(world().user(), "~/" + file);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::ranges::count(*text, '\n'), 3) << *text;
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
