// Submissions to CiGri's routes that name a parameter file. tests/unit/param_files_test.cpp has the program that reads it.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "api/param_file/read_file.hpp"
#include "tests/db/api_fixture.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

/// A campaign whose parameters are in a file of this machine, as CiGri's gridsub leaves it to the server.
class CigriParamFiles : public ApiTest {
 protected:
  [[nodiscard]] process::Config configuration() const override {
    auto config = ApiTest::configuration();
    config.api_cigri_param_files = {folder_.string()};
    config.api_cigri_param_reader = folder_ / "reader";
    return config;
  }
  void SetUp() override {
    ApiTest::SetUp();
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    (folder_ / "reader").string().copy(address.sun_path, sizeof address.sun_path - 1);
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listening_, 4), 0);
    reader_ = std::thread{[this] { serve(); }};
  }
  void TearDown() override {
    stopped_ = true;
    reader_.join();
    ApiTest::TearDown();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] static ApiRequest submission(const std::string& file, const std::string& target = "/cigri/campaigns") {
    ApiRequest request{.method = "POST", .target = target, .body = {}, .headers = {{"Content-Type", "application/json"}}};
    request.body = R"({"name": "t", "param_file": ")" + file + R"(", "clusters": {"alpha": {"exec_file": "run", "type": "best-effort"}}})";
    return request;
  }
  [[nodiscard]] ApiAnswer submit(const std::string& file) const { return ask(socket(), submission(file)); }

  std::string answer_;
  std::string question_;
  std::filesystem::path folder_ = [] {
    std::string pattern = "/tmp/gleaner-named-XXXXXX";
    return std::filesystem::path{::mkdtemp(pattern.data())};
  }();

 private:
  /// The reader's part of the conversation.
  void serve() {
    while (!stopped_) {
      pollfd waiting{.fd = listening_, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int connection = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      std::array<char, 4096> buffer{};
      question_.clear();
      for (ssize_t count = 0; (count = ::read(connection, buffer.data(), buffer.size())) > 0;)
        question_.append(buffer.data(), static_cast<std::size_t>(count));
      EXPECT_EQ(::write(connection, answer_.data(), answer_.size()), static_cast<ssize_t>(answer_.size()));
      ::close(connection);
    }
    ::close(listening_);
  }
  int listening_ = -1;
  std::thread reader_;
  std::atomic<bool> stopped_ = false;
};

TEST_F(CigriParamFiles, AreAskedForAsThePeer_AndTheirLinesAreTheTasks) {
  answer_ = param_file::head_of(10) + "# c\n1 a\n2\n";
  const auto submitted = submit("/data/list");
  ASSERT_EQ(submitted.status, 201) << submitted.body;
  EXPECT_EQ(sql("SELECT string_agg(parameter, ',' ORDER BY number) FROM tasks"), "1 a,2");
  EXPECT_EQ(question_, fmt::format("{}\n/data/list\n", ::geteuid()));
}

TEST_F(CigriParamFiles, ThatCannotBeRead_OrHaveWrongLines_AreErrorsOfTheSubmission) {
  answer_ = "/data/list: you may not read it\n";
  EXPECT_EQ(submit("/data/list").status, 400);
  EXPECT_THAT(submit("/data/list").message(), HasSubstr("Error submitting campaign: param_file: /data/list: you may not read it"));
  const std::string wrong = "1\nit's\n";
  answer_ = param_file::head_of(wrong.size()) + wrong;
  EXPECT_THAT(submit("/data/list").message(), HasSubstr("param_file /data/list, line 2: "));
  answer_ = param_file::head_of(100) + wrong;
  EXPECT_EQ(submit("/data/list").status, 503) << "the answer is cut";
  EXPECT_EQ(sql("SELECT count(*) FROM campaigns"), "0");
}

TEST_F(CigriParamFiles, AreOfCigrisRoutesAndThisMachineAlone) {
  EXPECT_THAT(ask(socket(), submission("/data/list", "/v1/campaigns")).message(),
              HasSubstr("param_file is read by gridsub, not by the server"));
  EXPECT_THAT(as("bob", submission("/data/list")).message(), HasSubstr("over TCP nobody is known to this machine"));
  EXPECT_EQ(question_, "");
}

}  // namespace
}  // namespace gleaner::tests
