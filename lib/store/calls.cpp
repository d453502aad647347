#include "lib/store/calls.hpp"

#include "lib/store/detail.hpp"

namespace gleaner::store {

using detail::exec;
using detail::exec_prepared;

void call_again(Transaction& transaction) { exec(transaction, sql::calls_notify{}); }

void note_call(Transaction& transaction, grid::ClusterId cluster, grid::Instant now) {
  exec(transaction, sql::calls_note{.cluster = cluster, .now = now});
  call_again(transaction);
}

std::vector<CallsOfCluster> calls(Transaction& transaction) {
  std::vector<CallsOfCluster> all;
  for (const auto& row : exec_prepared(transaction, sql::calls_all{}))
    all.push_back({.cluster = row.cluster_id.as<grid::ClusterId>(), .called = row.called_at, .waits = *row.waits, .polled = row.polled_at});
  return all;
}

void answer_calls(Transaction& transaction, grid::ClusterId cluster, grid::Instant began) {
  if (!exec(transaction, sql::calls_answer{.began = began, .cluster = cluster}).empty()) call_again(transaction);
}

}  // namespace gleaner::store
