// The spool of input files, when one user fills it and others use it.
#include <gmock/gmock.h>

#include <sys/socket.h>

#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <pqxx/pqxx>

#include "lib/inputs/sha256.hpp"
#include "tests/db/answer_times.hpp"
#include "tests/db/api_fixture.hpp"
#include "tests/db/await.hpp"

namespace gleaner::tests {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMegabyte = std::size_t{1} << 20U;

/// A spool of 4 MB, of which a user has half.
class SharedSpool : public ApiTest {
 protected:
  void configure(api::ApiOptions& options) override {
    options.config.input_spool = spool();
    options.config.input_max = kMegabyte;
    options.config.input_spool_max = 4 * kMegabyte;
    options.config.input_spool_share = 0.5;
  }
  [[nodiscard]] std::filesystem::path spool() const { return folder() / "inputs"; }
  [[nodiscard]] ApiAnswer put(const std::string& user, const std::string& content) const {
    return as(user, {.method = "PUT", .target = "/v1/inputs/" + inputs::sha256_of_text(content), .body = content});
  }
  [[nodiscard]] ApiAnswer missing(const std::string& user, const std::string& sum) const {
    return as(user, {.method = "POST", .target = "/v1/inputs/missing", .body = fmt::format("[\"{}\"]", sum)});
  }
  /// An upload of which half a megabyte is sent.
  [[nodiscard]] http::FileDescriptor half_an_upload(const std::string& user, int number, bool in_chunks) const {
    const auto half = std::string(kMegabyte / 2, 'x');
    const auto head = fmt::format("PUT /v1/inputs/{} HTTP/1.1\r\nHost: grid\r\n{}: {}\r\n", inputs::sha256_of_text(std::to_string(number)),
                                  token_header(user).first, token_header(user).second);
    const auto text = in_chunks ? fmt::format("{}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n", head, half.size(), half)
                                : fmt::format("{}Content-Length: {}\r\n\r\n{}", head, kMegabyte, half);
    auto socket = connect_to(port());
    for (std::string_view rest{text}; !rest.empty();) {
      const auto sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;  // it was refused
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return socket;
  }
  [[nodiscard]] static bool is_refused(const http::FileDescriptor& socket) {
    std::string got(12, '\0');
    return ::recv(socket.get(), got.data(), got.size(), MSG_PEEK | MSG_DONTWAIT) == 12 && got == "HTTP/1.1 503";
  }
  [[nodiscard]] std::uintmax_t bytes_on_disk() const {
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator{spool()}) bytes += entry.file_size();
    return bytes;
  }
  void attack() {
    std::vector<http::FileDescriptor> uploads;
    for (int i = 0; i < 12; ++i) uploads.push_back(half_an_upload("alice", i, false));
    EXPECT_TRUE(await([&] { return std::ranges::count_if(uploads, is_refused) >= 10; })) << "two of a megabyte each are hers";
    EXPECT_LE(bytes_on_disk(), 2 * kMegabyte);
    EXPECT_EQ(put("bob", std::string(kMegabyte, 'b')).status, 200) << "bob's half is free";
    const auto refused = put("alice", std::string(kMegabyte, 'a'));
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.message(), HasSubstr("alice may have 2M of it, input_spool_share"));
    uploads.clear();
    EXPECT_TRUE(await([&] { return put("alice", std::string(kMegabyte, 'a')).status == 200; })) << "what broke off is given back";
  }
};

TEST_F(SharedSpool, Attack_UploadsThatDoNotEnd_CountFromTheirFirstByteOn_AndBobsIsStored) { attack(); }

TEST_F(SharedSpool, AUserWithTheirHalf_IsRefused_AndOthersAreNot) {
  EXPECT_EQ(put("alice", std::string(kMegabyte, 'a')).status, 200);
  EXPECT_EQ(put("alice", std::string(kMegabyte, 'b')).status, 200);
  EXPECT_EQ(put("alice", "one byte more").status, 503);
  EXPECT_EQ(put("alice", std::string(kMegabyte, 'a')).status, 200) << "it is there";
  EXPECT_EQ(put("alice", std::string(kMegabyte, 'b') + "x").status, 413);
  EXPECT_EQ(put("bob", std::string(kMegabyte, 'c')).status, 200);
  EXPECT_EQ(sql("SELECT string_agg(user_name || ' ' || bytes || ' ' || contents, ', ' ORDER BY user_name) FROM input_totals"),
            fmt::format(" {} 3, alice {} 2, bob {} 1", 3 * kMegabyte, 2 * kMegabyte, kMegabyte));
}

TEST_F(SharedSpool, AQuestionForMissingFiles_WaitsForNobodysChangeOfTheSpool) {
  ASSERT_EQ(put("bob", "there").status, 200);
  pqxx::connection connection{database()};
  pqxx::work other{connection};
  other.exec("SELECT pg_advisory_xact_lock(hashtext('gleaner.inputs'))");
  const auto answer = missing("bob", inputs::sha256_of_text("there"));
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.body, R"({"missing":[]})");
}

TEST_F(SharedSpool, OldContentsThatCampaignsNeed_DoNotStayBeforeThoseThatNobodyNeeds) {
  ASSERT_EQ(put("bob", "not needed").status, 200);
  const auto campaign = a_campaign_of(1);
  sql("UPDATE inputs SET used_at = now() - interval '8 days' RETURNING 1");
  sql("INSERT INTO inputs SELECT 'alice', encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 1, now() - interval '9 days' "
      "FROM generate_series(1, 1000) n");
  sql(fmt::format(
      "INSERT INTO campaign_inputs SELECT {}, row_number() OVER () - 1, sha256, sha256, 1, 0 FROM inputs WHERE user_name = 'alice'",
      campaign));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(missing("alice", std::string(64, 'a')).status, 200);
  EXPECT_EQ(sql("SELECT count(*) FROM inputs WHERE user_name = 'bob'"), "0");
  EXPECT_EQ(sql("SELECT count(*) FROM inputs WHERE user_name = 'alice'"), "1000");
  EXPECT_FALSE(std::filesystem::exists(spool() / inputs::sha256_of_text("not needed")));
  EXPECT_EQ(sql("SELECT bytes || ' ' || contents FROM input_totals WHERE user_name = ''"), "1000 1000");
}

/// Each question scanned all contents, under one lock.
TEST_F(SharedSpool, Attack_QuestionsForMissingFilesBesideManyContents_AndUploadsThatDoNotEnd_DelayNobodyMuch) {
  constexpr int kContents = 100'000;
  sql(
      fmt::format("INSERT INTO inputs SELECT 'alice', encode(sha256(convert_to(n::text, 'UTF8')), 'hex'), 1, now() "
                  "FROM generate_series(1, {}) n",
                  kContents));
  const auto sum = inputs::sha256_of_text("of bob's");
  const auto answers_bob = [&] {
    const auto answer = missing("bob", sum);
    ASSERT_EQ(answer.body, fmt::format(R"({{"missing":["{}"]}})", sum));
  };
  const auto alone = answer_times(answers_bob);
  std::vector<http::FileDescriptor> uploads;
  for (int i = 0; i < 12; ++i) uploads.push_back(half_an_upload("alice", i, false));
  const Attackers questions{8, [&] { EXPECT_EQ(missing("alice", std::string(64, 'a')).status, 200); }};
  ASSERT_TRUE(await([&] { return questions.acts() >= 8; }));
  show_beside(fmt::format("8 askers for missing files, {} contents", kContents), alone, answer_times(answers_bob));
}

/// The same with room for one upload of unknown length at a time, which takes it in steps of 4 MB.
class SpoolOfChunks : public SharedSpool {
 protected:
  void configure(api::ApiOptions& options) override {
    SharedSpool::configure(options);
    options.config.input_spool_max = 16 * kMegabyte;
  }
};

TEST_F(SpoolOfChunks, Attack_UploadsOfUnknownLength_CountToo) {
  std::vector<http::FileDescriptor> uploads;
  for (int i = 0; i < 12; ++i) uploads.push_back(half_an_upload("alice", i, true));
  EXPECT_TRUE(await([&] { return std::ranges::count_if(uploads, is_refused) >= 10; }));
  EXPECT_EQ(put("bob", std::string(kMegabyte, 'b')).status, 200);
}

}  // namespace
}  // namespace gleaner::tests
