#include "lib/oar/messenger.hpp"

#include <fmt/format.h>

#include <atomic>

namespace gleaner::oar {
namespace {

constexpr std::string_view kTooLong{"the answer is longer than"};

std::atomic<Messenger*> messenger_of_all{nullptr};

}  // namespace

void send_by(Messenger* messenger) { messenger_of_all = messenger; }
Messenger* current_messenger() { return messenger_of_all; }

Failure too_long(std::size_t limit) { return NoAnswer{fmt::format("{} {} bytes", kTooLong, limit)}; }

bool is_too_long(const Failure& failure) {
  const auto* const no_answer = std::get_if<NoAnswer>(&failure);
  return no_answer != nullptr && no_answer->what.starts_with(kTooLong);
}

Result<Answer> delivered(Messenger& messenger, const Access& access, const Limits& limits, const Request& request) {
  auto answer = messenger.deliver(access, request);
  if (!answer) return answer;
  if (request.enough && answer->body.size() > *request.enough) answer->body.resize(*request.enough);
  if (answer->body.size() > limits.answer_bytes) return tl::unexpected(too_long(limits.answer_bytes));
  return answer;
}

}  // namespace gleaner::oar
