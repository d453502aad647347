#include <gmock/gmock.h>

#include <sstream>

#include "clients/gridsub/edit.hpp"
#include "clients/gridsub/parameters.hpp"
#include "lib/process/exit_code.hpp"

namespace gleaner::gridsub {
namespace {

using Words = std::vector<std::string>;
using ::testing::HasSubstr;

TEST(GridsubEdit, Words_BecomeAnObjectOfTheChanges) {
  EXPECT_EQ(changes_of({"walltime=2:0:0", "clusters.alpha.max_jobs=50", "campaign_priority=high", "clusters.beta=off", "name=a=\"b\""}),
            R"({"walltime":"2:0:0","campaign_priority":"high","name":"a=\"b\"","clusters":{"alpha":{"max_jobs":"50"},"beta":"off"}})");
  EXPECT_EQ(changes_of({"clusters.alpha.max_jobs="}), R"({"clusters":{"alpha":{"max_jobs":null}}})");
  EXPECT_EQ(changes_of({R"(clusters.gamma={"exec_file":"run"})"}), R"({"clusters":{"gamma":{"exec_file":"run"}}})");
}

TEST(GridsubEdit, AClustersName_MayHaveDots) {
  EXPECT_EQ(changes_of({"clusters.luke.example.org.walltime=1:0:0", "clusters.a.b=on"}),
            R"({"clusters":{"a.b":"on","luke.example.org":{"walltime":"1:0:0"}}})");
  EXPECT_EQ(changes_of({"clusters.alpha.waltime=1:0:0"}), R"({"clusters":{"alpha":{"waltime":"1:0:0"}}})");
}

TEST(GridsubEdit, WrongWords_AreReportedWithAnExample) {
  const auto message = [](const Words& words) -> std::string {
    try {
      static_cast<void>(changes_of(words));
    } catch (const process::Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_THAT(message({"walltime"}), HasSubstr("write KEY=VALUE"));
  EXPECT_THAT(message({"=2"}), HasSubstr("write KEY=VALUE"));
  EXPECT_THAT(message({"name=a", "name=b"}), HasSubstr("'name' is changed twice"));
  EXPECT_THAT(message({"clusters.alpha=off", "clusters.alpha.max_jobs=3"}), HasSubstr("is changed twice"));
  EXPECT_THAT(message({"clusters.alpha={oops"}), HasSubstr("begins as JSON"));
}

TEST(GridsubArray, IsSentAsLines_AndMayBeSentAgain) {
  std::istringstream text{R"(["1 a", ["2", "b"], 3])"};
  auto array = ParameterArray::read(text);
  ASSERT_TRUE(array);
  for (int i = 0; i < 2; ++i) {
    array->rewind();
    std::string sent(100, ' ');
    sent.resize(array->read(sent));
    EXPECT_EQ(sent, "\"1 a\"\n[\"2\",\"b\"]\n\"3\"\n");
  }
  std::istringstream empty{"[]"}, wrong{"[{}]"};
  EXPECT_THAT(ParameterArray::read(empty).error().message, HasSubstr("it is empty"));
  EXPECT_THAT(ParameterArray::read(wrong).error().message, HasSubstr("an object"));
}

}  // namespace
}  // namespace gleaner::gridsub
