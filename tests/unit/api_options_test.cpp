#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "api/options.hpp"
#include "lib/jdl/parse.hpp"
#include "lib/process/run.hpp"

namespace gleaner::api {
namespace {

process::Config on_a_socket() {
  auto config = process::default_config();
  config.api_socket = "/tmp/api.socket";
  return config;
}

TEST(ApiOptions, WhatACampaignLeavesOut_AndMayAskFor_IsTheConfigurations) {
  auto config = on_a_socket();
  config.max_attempts = 7;
  config.default_resources = "/core=2";
  config.default_walltime = std::chrono::minutes{5};
  const auto defaults = options_of(config).defaults;
  const auto asking = [&](int attempts) {
    return jdl::parse(fmt::format(R"({{"name": "t", "exec_file": "x", "clusters": {{"alpha": {{}}}}, "max_attempts": {}}})", attempts),
                      defaults);
  };
  ASSERT_TRUE(asking(7));
  EXPECT_EQ(asking(7)->clusters.at(0).resources.text(), "/core=2");
  EXPECT_EQ(asking(7)->clusters.at(0).walltime, grid::Seconds{300});
  EXPECT_EQ(asking(7)->scheduling.grouping, grid::Grouping::advise);
  config.temporal_grouping = grid::Grouping::auto_;
  EXPECT_EQ(options_of(config).defaults.grouping, grid::Grouping::auto_);
  EXPECT_EQ(options_of(config).defaults.most_retries, config.max_retries);
  EXPECT_FALSE(asking(7)->params_shell);
  config.params_shell = true;
  EXPECT_TRUE(options_of(config).defaults.params_shell);
  ASSERT_FALSE(asking(8));
  EXPECT_EQ(asking(8).error().at(0).message, "'8' is more than this grid allows; write 7 at most, or leave it out");
}

TEST(ApiOptions, AnAddressThatOthersCanReach_NeedsTls) {
  auto config = on_a_socket();
  EXPECT_NO_THROW((void)options_of(config));
  config.api_listen = {"0.0.0.0:8443"};
  config.api_tokens_file = "/dev/null";
  EXPECT_THROW((void)options_of(config), process::Error);
}

TEST(ApiOptions, TheTokenOfMetrics_IsOneLongWordThatOthersCannotRead) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("gleaner-metrics-token-{}", ::getpid());
  auto config = on_a_socket();
  config.api_metrics_token = file;
  const auto accepts = [&](const std::string& content, mode_t mode) {
    std::ofstream{file} << content;
    ::chmod(file.c_str(), mode);
    try {
      static_cast<void>(options_of(config));
      return true;
    } catch (const process::Error& error) {
      EXPECT_NE(std::string{error.what()}.find(file.string()), std::string::npos) << error.what();
      return false;
    }
  };
  EXPECT_TRUE(accepts("0123456789abcdef\n", 0600));
  EXPECT_FALSE(accepts("0123456789abcdef\n", 0644));
  EXPECT_FALSE(accepts("0123456789abcde\n", 0600)) << "too short";
  EXPECT_FALSE(accepts("0123456789abcdef alice\n", 0600)) << "a line of the file of tokens";
  std::filesystem::remove(file);
  EXPECT_THROW((void)options_of(config), process::Error) << "there is no such file";
}

TEST(ApiOptions, CiGrisPath_MustNotHideOurRoutes) {
  auto config = on_a_socket();
  for (const auto* path : {"/v1", "/v1/campaigns", "/openapi.json"}) {
    config.api_cigri_path = path;
    EXPECT_THROW((void)options_of(config), process::Error) << path;
  }
  for (const auto* path : {"", "/cigri", "/campaigns"}) {
    config.api_cigri_path = path;
    EXPECT_NO_THROW((void)options_of(config)) << path;
  }
}

}  // namespace
}  // namespace gleaner::api
