#pragma once
#include <map>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

/// Numbers that a task gives to the tasks that come after it (the JDL's keys `gives` and `given`): the task writes words `name=number` into
/// the file $CIGRI_GIVES, and the wrapper notes them in the name of the job's end, without blanks: `size=100,hours=2.5`.
namespace gleaner::grid {

/// The most names of one campaign, and the most bytes of what one task notes.
inline constexpr std::size_t kMostGiven = 8;
inline constexpr std::size_t kLongestGiven = 150;
/// The note of the wrapper in place of more bytes than that, and what stands for a note that cannot be read.
inline constexpr std::string_view kGivenTooLong{"%long"};
inline constexpr std::string_view kGivenUnreadable{"%unreadable"};

/// A note as it is stored: itself, or what stands for one that no wrapper writes. A job's files are in a home where its user may write.
[[nodiscard]] std::string stored_given(std::string_view noted);

using Given = std::map<std::string, double, std::less<>>;
/// The numbers of a note; the last of one name counts. The error says what is wrong, and what would be right.
[[nodiscard]] tl::expected<Given, std::string> read_given(std::string_view noted);

}  // namespace gleaner::grid
