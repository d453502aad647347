#pragma once
#include <string>

#include "lib/decisions/stored.hpp"

namespace gleaner::tests {

/// The sentences of stored decisions, as users read them, in the order of campaigns and clusters, with "; " between them.
/// @param value  reads the one value of a query
/// @param where  a condition on `decisions d`
template <class Value>
[[nodiscard]] std::string stored_sentences(Value&& value, const std::string& where = "true") {
  const std::string from = " FROM decisions d LEFT JOIN clusters k ON k.id = d.cluster_id WHERE " + where;
  const auto count = std::stoi(value("SELECT count(*)" + from));
  std::string sentences;
  for (int i = 0; i < count; ++i) {
    const auto read = [&](const std::string& column) {
      return value("SELECT " + column + from + " ORDER BY d.campaign_id, d.cluster_id OFFSET " + std::to_string(i) + " LIMIT 1");
    };
    const auto rendered = decisions::rendered({.stage = read("d.stage"),
                                               .reason = read("d.reason"),
                                               .figures = read("d.figures"),
                                               .jobs = std::stoi(read("d.jobs")),
                                               .cluster = read("coalesce(k.name, '')")});
    sentences += (sentences.empty() ? "" : "; ") + rendered.sentence;
  }
  return sentences;
}

}  // namespace gleaner::tests
