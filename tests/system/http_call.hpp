#pragma once
#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace gleaner::tests {

/// One HTTP request of a test, apart from the code under test.
struct HttpCall {
  std::string method = "GET";
  std::string url;
  std::string body{};
  std::string login{};  ///< basic authentication, when not empty
  std::string password{};
  std::vector<std::string> headers{};
  std::chrono::seconds limit{600};  ///< against hangs alone, unless the answer may never come
};
struct HttpAnswer {
  long status = 0;
  std::string body{};
};
/// Throws std::runtime_error when no answer comes.
HttpAnswer call(const HttpCall& what);

}  // namespace gleaner::tests
