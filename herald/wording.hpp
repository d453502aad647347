#pragma once
#include <string>
#include <string_view>

#include "herald/content.hpp"
#include "lib/grid/time.hpp"

/// The words of a message. Subjects, headers and chat texts have numbers, codes and names of a few safe letters, and no byte that a user
/// chose; what users, clusters and programs wrote is in the body of mail alone, as plain text.
namespace gleaner::herald {

/// A name with all but letters, digits, '.', '-' and '_' replaced, at most 64 bytes.
[[nodiscard]] std::string safe_name(std::string_view name);

/// One line of ASCII: `[gleaner] campaign 12 is over: 98 of 100 tasks done, 2 failed (and 1 more)`.
[[nodiscard]] std::string subject(const Content& content);

/// The events with what to do and the command: for people, plain text in UTF-8.
[[nodiscard]] std::string plain_text(const Content& content);

/// The same in short, as chat services take it: neither markup nor names of users.
[[nodiscard]] std::string chat_text(const Content& content);
/// The body of a webhook of chat services: `{"text": …}`.
[[nodiscard]] std::string chat_body(const Content& content);

/// A whole mail: headers and body, with CR LF at the end of each line. The same message is always the same mail.
[[nodiscard]] std::string mail(const Content& content, std::string_view from, std::string_view to, grid::Instant date);

}  // namespace gleaner::herald
