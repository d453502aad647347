#include "lib/secrets/key_ring.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace gleaner::secrets {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

const std::string kOne(64, '1');
const std::string kTwo(64, '2');
constexpr Owner kAda{.user = "ada", .cluster = grid::ClusterId{3}};

KeyRing ring_of(const std::string& text) { return KeyRing::parse(text).value(); }

RC_GTEST_PROP(KeyRing, WhatIsSealed_IsOpenedForItsOwnerAlone, (const std::string& secret)) {
  const auto ring = ring_of(kOne);
  const auto sealed = ring.seal(secret, kAda);
  RC_ASSERT(ring.open(sealed, kAda) == secret);
  RC_ASSERT(!ring.open(sealed, {.user = "bob", .cluster = kAda.cluster}));
  RC_ASSERT(!ring.open(sealed, {.user = "ada", .cluster = grid::ClusterId{4}}));
  RC_ASSERT(secret.size() < 4 || sealed.text.find(secret) == std::string::npos);
}

RC_GTEST_PROP(KeyRing, AnyChangedDigit_IsNoticed, (const std::string& secret)) {
  const auto ring = ring_of(kOne);
  auto sealed = ring.seal(secret, kAda);
  auto& digit = sealed.text[*rc::gen::inRange<std::size_t>(0, sealed.text.size())];
  digit = digit == '0' ? '1' : '0';
  RC_ASSERT(!ring.open(sealed, kAda));
}

RC_GTEST_PROP(KeyRing, WhateverIsStored_IsOpenedOrRefused, (const std::string& text)) {
  const auto opened = ring_of(kOne).open({.text = text, .key_name = ring_of(kOne).key_names().front()}, kAda);
  RC_ASSERT(!opened);
}

TEST(KeyRing, TheSameToken_IsSealedOtherwiseEachTime) {
  const auto ring = ring_of(kOne);
  EXPECT_NE(ring.seal("t", kAda).text, ring.seal("t", kAda).text);
}

TEST(KeyRing, ANewKeySeals_AndTheOldOneStillOpens) {
  const auto before = ring_of(kOne);
  const auto sealed = before.seal("token", kAda);
  const auto after = before.with_new_key();
  EXPECT_THAT(after.key_names(), SizeIs(2));
  EXPECT_EQ(after.open(sealed, kAda), "token");
  const auto again = after.seal("token", kAda);
  EXPECT_NE(again.key_name, sealed.key_name);
  const auto alone = after.only({again.key_name});
  EXPECT_EQ(alone.open(again, kAda), "token");
  EXPECT_THAT(alone.open(sealed, kAda).error(), HasSubstr("sealed by the key " + sealed.key_name));
  EXPECT_EQ(ring_of(after.text()).key_names(), after.key_names());
}

TEST(KeyRing, AWrongKey_OpensNothing_AndTheErrorHasNoSecret) {
  const auto sealed = ring_of(kOne).seal("topsecret", kAda);
  const auto wrong = ring_of(kTwo).open({.text = sealed.text, .key_name = ring_of(kTwo).key_names().front()}, kAda);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error(), Not(HasSubstr("topsecret")));
}

TEST(KeyRing, AFileThatIsNoFileOfKeys_IsRefusedInWords) {
  EXPECT_THAT(KeyRing::parse("").error(), HasSubstr("has no key"));
  EXPECT_THAT(KeyRing::parse("# none\n\n").error(), HasSubstr("has no key"));
  EXPECT_THAT(KeyRing::parse(kOne + "\nhello\n").error(), HasSubstr("line 2"));
  EXPECT_THAT(KeyRing::parse(std::string(63, 'a')).error(), HasSubstr("64 hexadecimal digits"));
}

class KeyFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() / ("gleaner-key-" + std::to_string(::getpid()));
    std::ofstream{path_} << kOne << "\n";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  void mode(unsigned bits) { std::filesystem::permissions(path_, static_cast<std::filesystem::perms>(bits)); }
  std::filesystem::path path_;
};

TEST_F(KeyFile, ItsGroupMayRead_AndNobodyElse) {
  for (const auto bits : {0600U, 0640U, 0440U}) {
    mode(bits);
    EXPECT_TRUE(KeyRing::read(path_)) << bits;
  }
  for (const auto bits : {0644U, 0660U, 0604U}) {
    mode(bits);
    const auto read = KeyRing::read(path_);
    ASSERT_FALSE(read) << bits;
    EXPECT_THAT(read.error(), HasSubstr("chmod 640"));
  }
}

TEST_F(KeyFile, ThatIsMissing_IsReportedWithTheCommandThatMakesOne) {
  std::filesystem::remove(path_);
  EXPECT_THAT(KeyRing::read(path_).error(), HasSubstr("gridctl token new-key"));
  EXPECT_THAT(KeyRing::read("/tmp").error(), HasSubstr("is not a file"));
}

}  // namespace
}  // namespace gleaner::secrets
