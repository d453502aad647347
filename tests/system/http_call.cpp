#include "tests/system/http_call.hpp"

#include <curl/curl.h>

#include <memory>
#include <stdexcept>

namespace gleaner::tests {
namespace {

std::size_t append(char* data, std::size_t size, std::size_t count, void* into) {
  static_cast<std::string*>(into)->append(data, size * count);
  return size * count;
}

}  // namespace

HttpAnswer call(const HttpCall& what) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl{curl_easy_init(), &curl_easy_cleanup};
  curl_slist* list = nullptr;
  for (const auto& header : what.headers) list = curl_slist_append(list, header.c_str());
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> headers{list, &curl_slist_free_all};
  HttpAnswer answer;
  curl_easy_setopt(curl.get(), CURLOPT_URL, what.url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_CUSTOMREQUEST, what.method.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT, static_cast<long>(what.limit.count()));
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &append);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEDATA, &answer.body);
  if (what.method == "POST") {
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(what.body.size()));
    curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, what.body.c_str());
  }
  const auto credentials = what.login + ":" + what.password;
  if (!what.login.empty()) curl_easy_setopt(curl.get(), CURLOPT_USERPWD, credentials.c_str());
  if (const auto result = curl_easy_perform(curl.get()); result != CURLE_OK)
    throw std::runtime_error{what.method + " " + what.url + ": " + curl_easy_strerror(result)};
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

}  // namespace gleaner::tests
