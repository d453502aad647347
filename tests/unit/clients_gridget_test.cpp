#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>

#include "clients/gridget/fetch.hpp"
#include "clients/gridget/local_tree.hpp"
#include "lib/http/server.hpp"
#include "lib/process/exit_code.hpp"
#include "lib/text/percent.hpp"

/// The behaviour of gridget on this machine, and when transfers break.
namespace gleaner::clients::gridget {
namespace {

namespace fs = std::filesystem;
using grid::OutputKind;
using grid::TaskOutput;
using process::Error;

TaskOutput out(std::int64_t task, int attempt = 0) { return {.task = task, .attempt = attempt, .kind = OutputKind::standard_output}; }
TaskOutput file(std::int64_t task, std::string name) { return {.task = task, .kind = OutputKind::file, .name = std::move(name)}; }

TEST(GridgetPath, IsThatOfTheTask) {
  EXPECT_EQ(local_path(out(7)), "7.out");
  EXPECT_EQ(local_path(out(5123, 2)), "5000/5123.2.out");
  EXPECT_EQ(local_path(file(7, "results/a b.dat")), "7/results/a b.dat");
}

TEST(GridgetPath, ReadBack_NamesTheTask_AndTheFolderOfItsThousandMayBeLeftOut) {
  const auto named = [](std::string_view path) {
    const auto output = named_output(path);
    return output ? fmt::format("{}: {}", output->task, output->path) : std::string{"none"};
  };
  EXPECT_EQ(named("7.out"), "7: 7.out");
  EXPECT_EQ(named("7/a b/c"), "7: 7/a b/c");
  EXPECT_EQ(named("7.2/a"), "7: 7.2/a");
  EXPECT_EQ(named("5123.out"), "5123: 5000/5123.out");
  EXPECT_EQ(named("5000/5123.2.out"), "5123: 5000/5123.2.out");
  EXPECT_EQ(named("1000.err"), "1000: 1000/1000.err");
  // A file of task 1000 that looks like a task of another thousand, or like no task.
  EXPECT_EQ(named("1000/2000/a"), "1000: 1000/1000/2000/a");
  EXPECT_EQ(named("1000/result.dat"), "1000: 1000/1000/result.dat");
  EXPECT_EQ(named("1000/1234/a"), "1234: 1000/1234/a");
  for (const auto* other : {"", "7", "result.dat", "/7.out", "-7.out", "07.out", "7a/b", "99999999999999999999/a"})
    EXPECT_EQ(named(other), "none") << other;
}

TEST(GridgetPath, NeverLeadsOutOfTheTree) {
  EXPECT_EQ(local_path(file(7, "../../.ssh/authorized_keys")), "7/%2E%2E/%2E%2E/.ssh/authorized_keys");
  EXPECT_EQ(local_path(file(7, "/etc/passwd")), "7/etc/passwd");
  EXPECT_EQ(local_path(file(7, "a//./b")), "7/a/%2E/b");
  EXPECT_EQ(local_path(file(7, "..")), "7/%2E%2E");
  EXPECT_EQ(local_path(file(7, std::string{"a\0b", 3})), "7/a%00b");
}

TEST(GridgetPath, HasNoLettersThatATerminalObeys) {
  EXPECT_EQ(local_path(file(7, "a\x1b[31m\u202Egnp.exe\n\u0085\u2066")), "7/a%1B[31m%E2%80%AEgnp.exe%0A%C2%85%E2%81%A6");
  EXPECT_EQ(local_path(file(7, "für 3 €")), "7/für 3 €");
}

TEST(GridgetPath, HasNoPartThatTheSystemRefuses_AndTwoStayTwo) {
  std::string reversed;
  for (int i = 0; i < 66; ++i) reversed += "\u202E";
  const auto one = local_path(file(7, reversed + "a")).filename().string();
  EXPECT_LE(one.size(), 255U);
  EXPECT_THAT(one, ::testing::StartsWith("%E2%80%AE%E2%80%AE"));
  EXPECT_NE(local_path(file(7, reversed + "b")).filename().string(), one);
  EXPECT_EQ(local_path(file(7, std::string(255, 'x'))).filename().string(), std::string(255, 'x'));
}

/// A folder, and an API that has files and breaks transfers as the test wants.
class Gridget : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pattern = (fs::temp_directory_path() / "gleaner-gridget-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    http::ServerOptions options;
    options.unix_socket = http::UnixEndpoint{(folder_ / "api.socket").string(), 0600};
    server_ = std::move(http::Server::start(std::move(options), [this](const http::Request& request) { return answer(request); }).value());
  }
  void TearDown() override {
    server_->stop();
    fs::remove_all(folder_);
  }

  http::Response answer(const http::Request& request) {
    http::Response response;
    const std::lock_guard lock{mutex_};
    const auto name = text::percent_decoded(request.path.substr(request.path.rfind('/') + 1)).value_or("");
    const auto found = files_.find(name);
    if (found == files_.end()) {
      response.status = request.path == "/" ? 200 : status_of_others_;
      response.body = R"({"code": "no_such_output", "message": "it is not there"})";
      return response;
    }
    ++transfers_;
    const auto offset = std::stoul(std::string{request.parameter("offset").value_or("0")});
    offsets_.push_back(offset);
    const bool breaks = breaks_ > 0 && breaks_-- > 0;
    response.stream = [rest = found->second.substr(std::min(offset, found->second.size())), breaks](http::Sink& sink) {
      return breaks ? sink.write(std::string_view{rest}.substr(0, rest.size() / 2)) && false : sink.write(rest);
    };
    return response;
  }

  Tally fetch(std::vector<RemoteOutput> outputs) {
    const LocalTree tree{folder_ / "to", "12 of ada"};
    Progress progress{Progress::Show::nothing, 1, 80};
    process::Config config;
    config.api = "unix:" + (folder_ / "api.socket").string();
    config.connect_timeout = std::chrono::seconds{5};
    config.api_timeout = std::chrono::seconds{30};
    Fetcher fetcher{config, 12, tree, progress, most_};
    fetcher.fetch(outputs);
    has_given_up_ = fetcher.has_given_up();
    return fetcher.tally();
  }
  RemoteOutput remote(const TaskOutput& output) {
    const auto found = files_.find(grid::output_name(output));
    return {.output = output,
            .cluster = "alpha",
            .state = "done",
            .size = found == files_.end() ? std::nullopt : std::optional{std::ssize(found->second)}};
  }
  [[nodiscard]] std::string content(const std::string& path) const {
    std::ifstream stream{folder_ / "to" / path, std::ios::binary};
    return {std::istreambuf_iterator<char>{stream}, {}};
  }

  fs::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::string> files_;
  std::vector<std::size_t> offsets_;
  int breaks_ = 0;
  int transfers_ = 0;
  unsigned status_of_others_ = 404;
  bool has_given_up_ = false;
  std::int64_t most_ = 1 << 20;
  std::unique_ptr<http::Server> server_;
};

TEST_F(Gridget, ASparseTerabyte_IsRefusedBeforeAByteComes_UnlessItsSizeIsSaid_AndTheDiskHasRoom) {
  files_ = {{"7.out", "seven"}};
  auto sparse = remote(out(7));
  sparse.size = std::int64_t{1} << 60;
  EXPECT_THROW(
      try { fetch({sparse}); } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("--max-size"));
        throw;
      },
      Error);
  most_ = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(
      try { fetch({sparse}); } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("has room for"));
        throw;
      },
      Error);
  EXPECT_EQ(transfers_, 0);
}

TEST_F(Gridget, AFileOfUnknownSize_IsCutOffAtWhatMayCome) {
  files_ = {{"7.out", std::string(1 << 20, 'x')}};
  auto unknown = remote(out(7));
  unknown.size.reset();
  most_ = 1000;
  EXPECT_THROW(fetch({unknown}), Error);
}

TEST_F(Gridget, FetchesEachFileOnce_AndSkipsItTheNextTime) {
  files_ = {{"7.out", "seven"}, {"7.err", ""}, {"7.file.a%2Fb", "data"}};
  const std::vector wanted{remote(out(7)), remote({.task = 7, .kind = OutputKind::standard_error}), remote(file(7, "a/b"))};
  auto tally = fetch(wanted);
  EXPECT_EQ(tally.fetched, 3);
  EXPECT_EQ(tally.bytes, 9);
  EXPECT_EQ(content("7.out"), "seven");
  EXPECT_EQ(content("7/a/b"), "data");
  EXPECT_TRUE(fs::exists(folder_ / "to/7.err"));
  EXPECT_EQ(transfers_, 2);  // an empty file needs none
  tally = fetch(wanted);
  EXPECT_EQ(tally.present, 3);
  EXPECT_EQ(transfers_, 2);
}

TEST_F(Gridget, ATransferThatBreaksOff_IsContinued) {
  files_ = {{"7.out", std::string(100'000, 'a') + std::string(100'000, 'b')}};
  breaks_ = 2;
  EXPECT_EQ(fetch({remote(out(7))}).fetched, 1);
  EXPECT_EQ(content("7.out"), files_["7.out"]);
  ASSERT_EQ(offsets_.size(), 3U);
  EXPECT_EQ(offsets_[0], 0U);
  EXPECT_GT(offsets_[1], 0U);
  EXPECT_GT(offsets_[2], offsets_[1]);
}

TEST_F(Gridget, WhatCameBeforeAnInterruption_IsContinuedByTheNextRun) {
  files_ = {{"7.out", "0123456789"}};
  fs::create_directories(folder_ / "to/.gridget");
  std::ofstream{folder_ / "to/.gridget/7.out"} << "0123";
  EXPECT_EQ(fetch({remote(out(7))}).bytes, 6);
  EXPECT_EQ(content("7.out"), "0123456789");
  EXPECT_THAT(offsets_, testing::ElementsAre(4U));
}

TEST_F(Gridget, AFileWithALongPath_IsFetchedByItsNumber_IntoItsFolders) {
  std::string path;
  for (int i = 0; i < 9; ++i) path += fmt::format("folder {} of 30 bytes ---------/", i);
  path += "a.dat";
  files_ = {{"7.long.3", "deep"}};
  auto wanted = file(7, path);
  wanted.number = 3;
  EXPECT_EQ(fetch({remote(wanted)}).fetched, 1);
  EXPECT_EQ(content("7/" + path), "deep");
  EXPECT_EQ(fetch({remote(wanted)}).present, 1);
}

TEST_F(Gridget, APartThatIsLongerThanItsFile_IsFetchedAnew) {
  files_ = {{"7.out", "0123"}};
  fs::create_directories(folder_ / "to/.gridget");
  std::ofstream{folder_ / "to/.gridget/7.out"} << "something else";
  EXPECT_EQ(fetch({remote(out(7))}).fetched, 1);
  EXPECT_EQ(content("7.out"), "0123");
}

TEST_F(Gridget, AFileOfAnotherSize_IsFetchedAgain) {
  files_ = {{"7.out", "new content"}};
  fs::create_directories(folder_ / "to");
  std::ofstream{folder_ / "to/7.out"} << "old";
  EXPECT_EQ(fetch({remote(out(7))}).fetched, 1);
  EXPECT_EQ(content("7.out"), "new content");
}

TEST_F(Gridget, AFileThatTheClusterSendsShorterThanItListsIt_IsNoOutput) {
  files_ = {{"7.out", "short"}, {"8.out", "whole"}};
  auto wanted = remote(out(7));
  wanted.size = 50;
  const auto tally = fetch({wanted, remote(out(8))});
  EXPECT_EQ(tally.failed, 1);
  EXPECT_EQ(tally.fetched, 1);
  EXPECT_FALSE(fs::exists(folder_ / "to/7.out"));
  EXPECT_EQ(content("8.out"), "whole");
}

TEST_F(Gridget, AFileThatIsGone_IsMissing_AndStopsNoOther) {
  files_ = {{"8.out", "whole"}};
  const auto tally = fetch({remote(out(7)), remote(out(8))});
  EXPECT_EQ(tally.missing, 1);
  EXPECT_EQ(tally.fetched, 1);
}

TEST_F(Gridget, AClusterThatDoesNotAnswer_IsGivenUp) {
  status_of_others_ = 502;
  std::vector<RemoteOutput> wanted;
  for (int task = 0; task < 20; ++task) wanted.push_back(remote(out(task)));
  const auto tally = fetch(wanted);
  EXPECT_EQ(tally.failed, 20);
  EXPECT_TRUE(has_given_up_);
}

TEST_F(Gridget, AFolder_HoldsOneCampaign_AndServesOneGridgetAtATime) {
  const LocalTree tree{folder_ / "to", "12 of ada"};
  const auto code_of = [&](const std::string& campaign) {
    try {
      const LocalTree other{folder_ / "to", campaign};
    } catch (const Error& error) {
      return error.code();
    }
    return process::ExitCode::ok;
  };
  EXPECT_EQ(code_of("12 of ada"), process::ExitCode::try_again);
  { const LocalTree done{folder_ / "done", "12 of ada"}; }
  EXPECT_THROW((LocalTree{folder_ / "done", "13 of ada"}), Error);
  EXPECT_NO_THROW((LocalTree{folder_ / "done", "12 of ada"}));
}

TEST(GridgetSizes, AreForPeople) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(12'345'678), "12.3 MB");
  EXPECT_EQ(size_text(999'999), "1.0 MB");
}

}  // namespace
}  // namespace gleaner::clients::gridget
