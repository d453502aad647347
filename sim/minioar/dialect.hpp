#pragma once
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace gleaner::minioar {

/// How a posted `directory` reaches oarsub: as its option, which is tried on the job's node; or as the folder to which the front end's
/// shell goes before it starts oarsub, unquoted.
enum class FolderIs { option, where_oarsub_starts };

/// The message of a refused submission: with oarsub's exit status before what it printed and the command line behind it; or only what it
/// printed.
enum class RefusalIs { framed, as_printed };

/// The differences between the versions of OAR that minioar plays, measured on both: tests/oar-testbed/README.md. All else is alike. The
/// texts have places, `{name}`, for words() to fill.
struct Dialect {
  std::string_view version;  ///< as GET /version has it
  FolderIs folder;
  RefusalIs refusal;
  std::span<const int> user_faults;  ///< exit statuses of oarsub that the API answers with 400; others with 500
  int unrecognized;                  ///< exit status of oarsub for a resource request that it cannot read

  // Strings that oarsub and its companions print.
  std::string_view remark;                    ///< before a remark
  std::string_view unrecognized_description;  ///< {text}
  std::string_view unrecognized_part;         ///< {text}
  std::string_view no_queue;                  ///< {queue}
  std::string_view no_sub_jobs;
  std::string_view wrong_date;  ///< {date}
  std::string_view wrong_file;  ///< {file}
  std::string_view not_submitted;
  std::string_view array_begins;
  std::string_view reservation_waits;
  std::string_view server_is_dead;  ///< {host} {port}
  std::string_view resubmitted;     ///< {job}
  std::string_view cannot;          ///< oarhold, oarresume: {verb} {job} {reason}

  // Descriptions of events.
  std::string_view over_walltime;         ///< {job} {start} {walltime} {now}
  std::string_view kill_sent;             ///< {node} {job}
  std::string_view exterminated;          ///< {job}
  std::string_view nodes_suspected;       ///< {job} {node}
  std::string_view resubmitted_for_node;  ///< {job} {again} {type}
  std::string_view resubmitted_for_code;  ///< {job} {again}
  std::string_view oarexec_failed;        ///< {job} {value} {node}
};

/// OAR 2.5.9, of which the tests are that name no version.
[[nodiscard]] const Dialect& oar_2_5();
/// `2.5` (OAR 2.5.9), `2.6` (2.6.1); null: another.
[[nodiscard]] const Dialect* dialect_of(std::string_view version);

/// A text of a dialect, its places filled: `words(dialect.no_queue, fmt::arg("queue", name))`.
template <class... Arguments>
[[nodiscard]] std::string words(std::string_view text, const Arguments&... arguments) {
  return fmt::format(fmt::runtime(text), arguments...);
}

}  // namespace gleaner::minioar
