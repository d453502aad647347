#pragma once
#include <rapidjson/document.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gleaner::oar {

struct Exchange {
  std::string section, title, method, path, body;
  int status;
};

/// The answers of a real OAR, from the testbed's transcripts.
inline const std::vector<Exchange>& transcripts() {
  static const std::vector<Exchange> kAll = [] {
    const char* const root = std::getenv("GLEANER_SOURCE_DIR");
    std::ifstream file{std::string{root == nullptr ? "." : root} + "/tests/oar-testbed/transcripts/all.jsonl"};
    std::vector<Exchange> all;
    for (std::string line; std::getline(file, line);) {
      rapidjson::Document one;
      one.Parse(line.c_str());
      all.push_back({one["section"].GetString(), one["title"].GetString(), one["method"].GetString(), one["path"].GetString(),
                     one["body"].IsString() ? one["body"].GetString() : "", one["status"].GetInt()});
    }
    return all;
  }();
  return kAll;
}

inline const Exchange& answer(std::string_view section, std::string_view title) {
  for (const auto& exchange : transcripts()) {
    if (exchange.section.starts_with(section) && exchange.title.starts_with(title)) {
      return exchange;
    }
  }
  throw std::runtime_error{"no such exchange: " + std::string{title}};
}

}  // namespace gleaner::oar
