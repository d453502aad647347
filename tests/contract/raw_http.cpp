#include "tests/contract/raw_http.hpp"

#include <curl/curl.h>

#include <memory>
#include <stdexcept>

namespace gleaner::contract {
namespace {

std::size_t take(char* data, std::size_t /*one*/, std::size_t size, void* body) {
  static_cast<std::string*>(body)->append(data, size);
  return size;
}

RawAnswer ask(const oar::Access& access, const std::string& method, const std::string& path, const std::vector<std::string>& headers,
              const std::string& body) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy{curl_easy_init(), curl_easy_cleanup};
  curl_slist* list = nullptr;
  for (const auto& header : headers) {
    list = curl_slist_append(list, header.c_str());
  }
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> owner{list, curl_slist_free_all};
  RawAnswer answer;
  const std::string url = access.url + path;
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_CUSTOMREQUEST, method.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, list);
  if (access.authentication == oar::Authentication::basic) {
    curl_easy_setopt(easy.get(), CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(easy.get(), CURLOPT_USERNAME, access.login.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_PASSWORD, access.secret.c_str());
  }
  if (!body.empty()) {
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  }
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT, 30L);
  if (const CURLcode code = curl_easy_perform(easy.get()); code != CURLE_OK) {
    throw std::runtime_error(method + " " + path + ": " + curl_easy_strerror(code));
  }
  long status = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
  char* type = nullptr;
  curl_easy_getinfo(easy.get(), CURLINFO_CONTENT_TYPE, &type);
  answer.status = static_cast<int>(status);
  answer.content_type = type == nullptr ? "" : type;
  return answer;
}

}  // namespace

/// A process of the real API ends after an error of its own, and Apache may give it one request more: asked again. A job that is
/// submitted twice by that harms no test.
RawAnswer raw(const oar::Access& access, const std::string& method, const std::string& path, const std::vector<std::string>& headers,
              const std::string& body) {
  constexpr int kServerError = 500;
  constexpr int kTries = 5;
  auto answer = ask(access, method, path, headers, body);
  for (int tries = 1; answer.status == kServerError && answer.content_type.starts_with("text/html") && tries < kTries; ++tries) {
    answer = ask(access, method, path, headers, body);
  }
  return answer;
}

std::string identity(const oar::Access& access, std::string_view user) { return access.identity_header + ": " + std::string{user}; }

}  // namespace gleaner::contract
