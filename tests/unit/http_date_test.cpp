#include "lib/http/date.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <thread>

#include "tests/unit/http_raw_client.hpp"

namespace gleaner::http {
namespace {

TEST(Date, HasTheFormOfHttp) {
  EXPECT_EQ(http_date(std::chrono::sys_seconds{std::chrono::seconds{784'111'777}}), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(std::chrono::sys_seconds{}), "Thu, 01 Jan 1970 00:00:00 GMT");
}

/// The value of the header Date.
std::string date_of(const std::string& answer) {
  const auto begin = answer.find("\r\nDate: ");
  return begin == std::string::npos ? std::string{} : answer.substr(begin + 8, answer.find('\r', begin + 8) - begin - 8);
}

TEST(Date, IsInEachAnswer_AlsoInOneToWhatIsNoRequest_AndOnce) {
  const auto server = serve([](const Request&) { return text("x"); });
  const auto before = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  for (const std::string_view request :
       {kGet, std::string_view{"HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n"}, std::string_view{"no request\r\n\r\n"}}) {
    const auto answer = ask(*server, request);
    const auto after = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    bool is_present = false;
    for (auto second = before; second <= after; second += std::chrono::seconds{1})
      is_present = is_present || date_of(answer) == http_date(second);
    EXPECT_TRUE(is_present) << answer;
    EXPECT_EQ(answer.find("\r\nDate: "), answer.rfind("\r\nDate: ")) << answer;
  }
}

TEST(Date, ThatAHandlerGives_Stays) {
  const auto server = serve([](const Request&) {
    auto answer = text("x");
    answer.headers.add("date", http_date({}));
    return answer;
  });
  EXPECT_EQ(ask(*server, kGet).find("Date: "), std::string::npos);
}

TEST(Date, OfALaterSecond_IsAnotherOne) {
  const std::string first = current_date();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{10};
  while (current_date() == first && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_NE(current_date(), first);
}

}  // namespace
}  // namespace gleaner::http
