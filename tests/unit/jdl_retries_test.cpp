#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lib/jdl/parse.hpp"

namespace gleaner::jdl {
namespace {

TEST(JdlRetries, AreANumberWithinTheGridsBound_AndStatusesGoWithIt) {
  const auto lines = [](std::string_view keys) {
    const auto file =
        parse(fmt::format("{{\"name\": \"n\", \"exec_file\": \"a\", \"clusters\": {{\"alpha\": {{}}}},\n{}}}", keys), {.most_retries = 10});
    return file ? std::string{} : render(file.error(), "c");
  };
  EXPECT_EQ(lines(R"("retries": 10, "retry_on": [1, "137", 1])"), "");
  EXPECT_EQ(lines(R"("retries": 3, "retry_on": 137)"), "");
  EXPECT_EQ(lines(R"("retries": 11)"), "c:2:12: retries: '11' is more than this grid allows; write 10 at most, or leave it out\n");
  EXPECT_EQ(lines(R"("retries": -1)"), "c:2:12: retries: '-1' is too small; write a whole number from 0 to 100000\n");
  EXPECT_EQ(lines(R"("retry_on": [1])"), "c:2:1: retry_on: it has no effect alone: write how often, too, e.g. \"retries\": 3\n");
  EXPECT_EQ(lines(R"("retries": 1, "retry_on": [0, 300])"),
            "c:2:28: retry_on: '0' is too small; write a whole number from 1 to 255\n"
            "c:2:31: retry_on: '300' is too large; write a whole number from 1 to 255\n");
  EXPECT_EQ(lines(R"("retries": 1, "retry_on": [])"),
            "c:2:27: retry_on: it is empty: write exit statuses, such as [1, 137], or leave it out\n");
}

}  // namespace
}  // namespace gleaner::jdl
