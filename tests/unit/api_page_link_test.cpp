#include <gtest/gtest.h>

#include <span>

#include "api/web_assets.hpp"

namespace gleaner::api {
namespace {

TEST(PageLink, WhereGridapiWasBuiltWithoutThePage_IsRefused) {
  const auto refused = refuse_without_page({});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 409U);
  EXPECT_NE(refused->body.find("built without the page"), std::string::npos) << refused->body;
  const WebAsset page{.name = "index.html", .type = "text/html", .gzip = {}, .content = {}};
  EXPECT_FALSE(refuse_without_page(std::span{&page, 1}));
}

}  // namespace
}  // namespace gleaner::api
