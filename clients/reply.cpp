#include "clients/reply.hpp"

#include <fmt/format.h>

#include "lib/process/exit_code.hpp"

namespace gleaner::clients {
namespace {

using process::Error;
using process::ExitCode;

/// Whether the API has no such path at all, rather than no such campaign or task.
bool is_other_api(const Reply& reply) {
  const auto code = reply.json["code"].text();
  return code.empty() || code == "no_such_path";
}

}  // namespace

std::string message_of(const Reply& reply) {
  auto message = reply.json["message"].text();
  return message.empty() ? fmt::format("the API answered {}", reply.status) : message;
}

void refuse_errors(const Reply& reply, std::string_view identity) {
  if (reply.status >= 200 && reply.status < 300) return;
  const auto message = message_of(reply);
  switch (reply.status) {
    case 400: throw Error{ExitCode::usage, message};
    case 401: throw Error{ExitCode::refused, message + std::string{identity}};
    case 404:
      if (is_other_api(reply))
        throw Error{ExitCode::failure,
                    fmt::format("the API is not of this program's version, " GLEANER_VERSION ": it does not know what was asked of it ({})",
                                message)};
      throw Error{ExitCode::not_found, message};
    case 403:
    case 409:
    case 413: throw Error{ExitCode::refused, message};
    case 502:
    case 503:
    case 504: throw Error{ExitCode::unavailable, message};
    default: throw Error{ExitCode::failure, message};
  }
}

bool has_problems(const Reply& reply) { return reply.status == 400 && !reply.json["problems"].is_null(); }

bool may_be_repeated(const Reply& reply) { return reply.status >= 500 && reply.json["code"].text() != "rule_broken"; }

}  // namespace gleaner::clients
