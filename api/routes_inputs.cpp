// Routes of input files: what is in the spool, and uploads into it.
#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <rapidjson/document.h>

#include "api/input_spool.hpp"
#include "api/router.hpp"
#include "api/task_intake.hpp"
#include "lib/inputs/sha256.hpp"
#include "lib/inputs/spool.hpp"
#include "lib/process/failpoint.hpp"
#include "lib/process/log.hpp"
#include "lib/process/values.hpp"
#include "lib/store/inputs.hpp"
#include "lib/text/numbers.hpp"

namespace gleaner::api {
namespace {

constexpr std::size_t kPieceOfInput = 64 * 1024;

http::Response no_inputs() { return error(Code::bad_input, "this grid takes no input files: its administrator would set input_spool"); }

http::Response not_a_sum(std::string_view text) {
  return error(Code::bad_value, fmt::format("'{}' is not a SHA-256, 64 digits 0-9 and a-f", jdl::excerpt(text)));
}

http::Response full(const Call& call, std::string_view why) {
  process::log::warning("no room for an input file", {{"user", call.caller.user}, {"why", why}});
  auto response =
      error(Code::busy, fmt::format("the grid has no room for this input file now ({}): nothing was stored; what campaigns that "
                                    "are over do not need any more is removed after a time, so try again later",
                                    why));
  response.headers.add("Retry-After", "600");
  return response;
}

http::Response too_large_input(const Call& call) {
  return error(Code::too_large,
               fmt::format("an input file has {} at most (input_max): put a larger one where the clusters can reach it, and "
                           "fetch it in a prologue",
                           process::format_size(call.config.input_max)));
}

/// Bytes that the request announces; empty: they come in chunks.
std::optional<std::uint64_t> announced(const Call& call) {
  const auto header = call.request.headers.find("Content-Length");
  if (!header) return std::nullopt;
  const auto size = text::whole_number<std::uint64_t>(*header);
  return size ? std::optional{*size} : std::nullopt;
}

/// Receives the bytes of an upload, as far as they came. Error: the answer.
using TakePiece = std::function<Asked<void>(std::string_view piece, std::uint64_t so_far)>;

Asked<void> receive(const Call& call, const TakePiece& take) {
  std::vector<char> piece(kPieceOfInput);
  for (std::uint64_t so_far = 0;;) {
    const auto size = call.request.body->read(piece);
    if (!size) return tl::unexpected{broken_body(size.error())};
    if (*size == 0) return {};
    so_far += *size;
    if (so_far > call.config.input_max) return tl::unexpected{too_large_input(call)};
    if (auto taken = take({piece.data(), *size}, so_far); !taken) return taken;
  }
}

/// Receives a content into a file of the spool; its room is taken before its bytes.
Asked<void> receive(const Call& call, InputSpool::Part& room, inputs::Arrival& arrival) {
  const auto announced_bytes = announced(call);
  if (announced_bytes && *announced_bytes > call.config.input_max) return tl::unexpected{too_large_input(call)};
  const auto length = announced_bytes ? InputSpool::Part::Length::known : InputSpool::Part::Length::unknown;
  if (const auto held = room.hold(call, announced_bytes.value_or(1), length); !held) return tl::unexpected{full(call, held.error())};
  return receive(call, [&](std::string_view piece, std::uint64_t so_far) -> Asked<void> {
    if (const auto held = room.hold(call, so_far, length); !held) return tl::unexpected{full(call, held.error())};
    if (const auto added = arrival.add(piece); !added) return tl::unexpected{full(call, added.error())};
    return {};
  });
}

http::Response stored(std::string_view sha256, std::int64_t bytes) {
  text::JsonWriter json;
  json.object([&] {
    json.field("sha256", sha256);
    json.field("bytes", bytes);
  });
  return answer(json);
}

http::Response another_content(std::string_view found, std::string_view sha256) {
  return error(Code::bad_input,
               fmt::format("the content that came has the SHA-256 {}: it is not the file {}, or was changed while it was sent; "
                           "nothing was stored",
                           found, sha256));
}

/// A content that some user has: the caller shows that it is theirs too. Nothing is written to the disk.
http::Response show_known(const Call& call, const std::string& sha256) {
  inputs::Sha256 sum;
  std::int64_t bytes = 0;
  const auto received = receive(call, [&](std::string_view piece, std::uint64_t so_far) -> Asked<void> {
    sum.add(piece);
    bytes = static_cast<std::int64_t>(so_far);
    return {};
  });
  if (!received) return received.error();
  if (const auto found = sum.finish(); found != sha256) return another_content(found, sha256);
  return call.connections.write([&](store::Transaction& transaction) -> http::Response {
    store::lock_inputs(transaction);
    if (!store::has_input(transaction, sha256)) return full(call, "the content was removed just now");
    if (store::use_inputs(transaction, call.caller.user, {&sha256, 1}, call.now).empty()) {
      if (const auto why = call.input_spool.obstacle(call, transaction, bytes, InputSpool::Content::known)) return full(call, *why);
      store::add_input(transaction, {.user = call.caller.user, .sha256 = sha256, .bytes = bytes}, call.now);
    }
    return stored(sha256, bytes);
  });
}

bool is_there(const Call& call, const std::string& sha256) {
  std::error_code ignored;
  return std::filesystem::exists(call.input_spool.files().path_of(sha256), ignored) &&
         call.connections.read([&](store::Transaction& transaction) { return store::has_input(transaction, sha256); });
}

http::Response put_input(const Call& call) {
  const auto& sha256 = call.parts[0];
  if (call.config.input_spool.empty()) return no_inputs();
  if (!grid::is_sha256(sha256)) return not_a_sum(sha256);
  if (is_there(call, sha256)) return show_known(call, sha256);
  const auto& spool = call.input_spool.files();
  InputSpool::Part room{call.input_spool, call.caller.user};
  auto arrival = inputs::Arrival::begin(spool);
  if (!arrival) return full(call, arrival.error());
  if (const auto received = receive(call, room, *arrival); !received) return received.error();
  const auto found = arrival->finish();
  if (!found) return full(call, found.error());
  if (*found != sha256) return another_content(*found, sha256);
  process::failpoint("gridapi.before_place");
  auto answer = call.connections.write([&](store::Transaction& transaction) -> http::Response {
    store::lock_inputs(transaction);
    const auto content = store::has_input(transaction, sha256) ? InputSpool::Content::known : InputSpool::Content::another;
    if (store::use_inputs(transaction, call.caller.user, {&sha256, 1}, call.now).empty()) {
      if (const auto why = call.input_spool.obstacle(call, transaction, arrival->bytes(), content)) return full(call, *why);
    }
    // The file first: a row stands for a whole file.
    if (const auto placed = arrival->place(spool, sha256); !placed) return full(call, placed.error());
    process::failpoint("gridapi.after_place");
    store::add_input(transaction, {.user = call.caller.user, .sha256 = sha256, .bytes = arrival->bytes()}, call.now);
    return stored(sha256, arrival->bytes());
  });
  process::failpoint("gridapi.after_row");
  return answer;
}

/// The strings of a JSON array of SHA-256. Empty: it is none.
std::optional<std::vector<std::string>> sums_of(const std::string& body) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
  if (document.HasParseError() || !document.IsArray() || document.Size() > grid::kMostInputFiles + 1) return std::nullopt;
  std::vector<std::string> sums;
  for (const auto& one : document.GetArray()) {
    if (!one.IsString()) return std::nullopt;
    sums.emplace_back(one.GetString(), one.GetStringLength());
    if (!grid::is_sha256(sums.back())) return std::nullopt;
  }
  return sums;
}

http::Response post_missing(const Call& call) {
  if (call.config.input_spool.empty()) return no_inputs();
  constexpr std::size_t kLongest = 100 * (grid::kMostInputFiles + 1);
  const auto body = call.request.body->read_all(kLongest);
  if (!body) return broken_body(body.error());
  const auto sums = sums_of(*body);
  if (!sums)
    return error(Code::bad_input,
                 fmt::format("the body is not a JSON array of up to {} SHA-256, each 64 digits 0-9 and a-f", grid::kMostInputFiles + 1));
  const auto& spool = call.input_spool.files();
  const auto known = call.connections.write(
      [&](store::Transaction& transaction) { return store::use_inputs(transaction, call.caller.user, *sums, call.now); });
  call.input_spool.tidy(call);
  text::JsonWriter json;
  json.object([&] {
    json.key("missing").begin_array();
    for (const auto& sum : *sums) {
      std::error_code ignored;
      if (!known.contains(sum) || !std::filesystem::exists(spool.path_of(sum), ignored)) json.value(sum);
    }
    json.end_array();
  });
  return answer(json);
}

}  // namespace

std::span<const Route> input_routes() {
  static constexpr std::array kRoutes{Route{"PUT", "/v1/inputs/:sha256", Access::identified, put_input},
                                      Route{"POST", "/v1/inputs/missing", Access::identified, post_missing}};
  return kRoutes;
}

}  // namespace gleaner::api
