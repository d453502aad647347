#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "api/tokens.hpp"

namespace gleaner::api {
namespace {

constexpr auto kAlice = "alice-token-0123456789";
constexpr auto kBoss = "boss-token-0123456789";

class TokensTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "gleaner-tokens-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// Replaced as an editor replaces it: another file under the same name.
  void write(const std::string& text, mode_t mode = 0600) {
    const auto next = folder_ / "next";
    std::ofstream{next} << text;
    ::chmod(next.c_str(), mode);
    std::filesystem::rename(next, file());
  }
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "tokens"; }

 private:
  std::filesystem::path folder_;
};

TEST_F(TokensTest, KnownToken_StandsForItsUser) {
  write(std::string{"# who may call\n\n"} + kAlice + " alice\n" + kBoss + " boss admin\n");
  Tokens tokens{file()};
  ASSERT_TRUE(tokens.find(kAlice));
  EXPECT_EQ(tokens.find(kAlice)->user, "alice");
  EXPECT_EQ(tokens.find(kAlice)->role, Role::user);
  EXPECT_EQ(tokens.find(kBoss)->role, Role::administrator);
}

TEST_F(TokensTest, TokenOfAProxy_IsNoAdministrators) {
  write(std::string{kAlice} + " apache proxy\n");
  Tokens tokens{file()};
  ASSERT_TRUE(tokens.find(kAlice));
  EXPECT_EQ(tokens.find(kAlice)->user, "apache");
  EXPECT_EQ(tokens.find(kAlice)->role, Role::proxy);
}

TEST_F(TokensTest, OtherToken_StandsForNobody) {
  write(std::string{kAlice} + " alice\n");
  Tokens tokens{file()};
  for (const std::string other : {"", "alice", "alice-token-012345678", "alice-token-01234567890"})
    EXPECT_FALSE(tokens.find(other)) << other;
}

TEST_F(TokensTest, ChangedFile_IsReadAgain) {
  write(std::string{kAlice} + " alice\n");
  Tokens tokens{file()};
  ASSERT_TRUE(tokens.find(kAlice));
  write(std::string{kBoss} + " boss\n");
  EXPECT_FALSE(tokens.find(kAlice));
  EXPECT_TRUE(tokens.find(kBoss));
}

TEST_F(TokensTest, FileThatOthersCanRead_IsRefused) {
  write(std::string{kAlice} + " alice\n", 0644);
  Tokens tokens{file()};
  EXPECT_FALSE(tokens.find(kAlice));
  EXPECT_TRUE(tokens.problem());
  write(std::string{kAlice} + " alice\n");
  EXPECT_TRUE(tokens.find(kAlice));
  EXPECT_FALSE(tokens.problem());
}

TEST_F(TokensTest, FileThatComesLater_IsFound) {
  Tokens tokens{file()};
  EXPECT_FALSE(tokens.find(kAlice));
  write(std::string{kAlice} + " alice\n");
  EXPECT_TRUE(tokens.find(kAlice));
}

TEST_F(TokensTest, LinesThatEndInACarriageReturnAlone_AreNotOneComment) {
  write(std::string{"# who may call\r"} + kBoss + " boss\r");
  Tokens tokens{file()};
  EXPECT_FALSE(tokens.find(kBoss));
  ASSERT_TRUE(tokens.problem());
  EXPECT_NE(tokens.problem()->find(":1: a carriage return is alone here"), std::string::npos) << *tokens.problem();
}

TEST_F(TokensTest, WrongLine_IsNamedWithItsNumber_AndNoTokenIsGood) {
  for (const std::string wrong : {"alice-token-0123456789", "alice-token-0123456789 alice boss", "short alice"}) {
    write(std::string{kBoss} + " boss\n" + wrong + "\n");
    Tokens tokens{file()};
    EXPECT_FALSE(tokens.find(kBoss)) << wrong;
    ASSERT_TRUE(tokens.problem());
    EXPECT_NE(tokens.problem()->find(":2:"), std::string::npos) << *tokens.problem();
  }
}

}  // namespace
}  // namespace gleaner::api
