#pragma once
#include <string>
#include <string_view>
#include <vector>

/// The differences between the versions of OAR, as the grid sees them: one row each, with what each version does. A test takes the column
/// of the cluster that it talks to (World::here), which says its version itself. tests/oar-testbed/README.md has them for people.
namespace gleaner::contract {

enum class Version { oar_2_5, oar_2_6 };

template <class T>
struct Row {
  T in_2_5;
  T in_2_6;
  [[nodiscard]] constexpr const T& of(Version version) const { return version == Version::oar_2_5 ? in_2_5 : in_2_6; }
};

/// A refused submission: the status of its answer, and words of its message.
struct Refusal {
  int status;
  std::string_view words;
};

namespace difference {

inline constexpr Row<std::string_view> kVersion{"2.5.9 (Canicule)", "2.6.1 (Liberty hope)"};

/// The message of a refusal: with oarsub's exit status before, and its command line behind; or only what oarsub printed.
inline constexpr Row<bool> kRefusalIsFramed{true, false};
/// The output of oarsub for an array that it accepts.
inline constexpr Row<bool> kArrayIsRemarked{true, false};
/// Its output for a job that is submitted again.
inline constexpr Row<bool> kResubmissionIsRemarked{true, false};
/// A script of the site that runs before each command (PASSIVE_JOB_HOOK_EXEC_FILE).
inline constexpr Row<bool> kHasJobHook{false, true};

// Texts of events; {JOB} is the job's id.
inline constexpr Row<std::string_view> kOverWalltime{"[sarko] Job [{JOB}] from ", "Job [{JOB}] reached its walltime (start: "};
inline constexpr Row<std::string_view> kKillSent{"[Leon] Send the kill signal to oarexec on ",
                                                 "[Leon] Send the kill TERM signal to oarexec on "};

}  // namespace difference

/// A request, as JSON members beside a command, that both versions refuse.
struct RefusedRequest {
  std::string_view members;
  Row<Refusal> refusal;
};
inline const std::vector<RefusedRequest>& refused_requests() {
  static const std::vector<RefusedRequest> kAll{
      {R"("resource":"core=;;")",
       {{500, "/!\\ Cannot recognize the resource description : core=;;"},
        {400, "# Error: cannot recognize the resource description: core=;;"}}},
      {R"("resource":"/core=1,walltime=abc")",
       {{500, "/!\\ Cannot recognize -- ,walltime=abc -- resource"}, {400, "# Error: cannot recognize -- ,walltime=abc -- resource"}}},
      {R"("type":["nosuchtype"])",
       {{500, "[ADMISSION RULE] Error: unknown job type: nosuchtype"}, {400, "[ADMISSION RULE] Error: unknown job type: nosuchtype"}}},
      {R"("queue":"nosuchqueue")",
       {{500, "ERROR : The queue nosuchqueue does not exist"}, {500, "# Error: queue 'nosuchqueue' does not exist"}}},
      {R"("nosuchoption":"1")", {{500, "Unknown option: nosuchoption"}, {500, "Unknown option: nosuchoption"}}},
      {R"("checkpoint":"abc")",
       {{500, "Value \"abc\" invalid for option checkpoint (number expected)"},
        {500, "Value \"abc\" invalid for option checkpoint (number expected)"}}},
      {R"("stdout":"/tmp/a+b")",
       {{500, "/!\\ Invalid stdout file name (bad character)"}, {500, "# Error: invalid stdout file name (bad character)"}}},
      {R"("project":"x\\")", {{500, "bash: -c: line 1: unexpected EOF"}, {500, "bash: -c: line 1: unexpected EOF"}}},
      {R"("resource":"/core=100000")",
       {{400, "\nThere are not enough resources for your request"}, {400, "\n# There are not enough resources for your request"}}},
      {R"("resource":"/nosuch=1")", {{400, "\nBad resource request (ERROR: "}, {400, "\n# Bad resource request (ERROR: "}}},
  };
  return kAll;
}

/// The fate of a job with a `directory`. HOME and PLACE stand for the user's home and a folder in it.
struct FolderFate {
  enum class Kind {
    runs,          ///< its command runs; `words` is the job's launching_directory
    fails_there,   ///< accepted, and ends in Error with the event WORKING_DIRECTORY
    refused_here,  ///< 500; `words` begins the message
  };
  Kind kind;
  std::string_view words;
};
/// (A quote is not tried: on 2.5 it ends the oarexec of the node, which is Suspected then.) PLACE has the folders `real`, `d ir` and
/// `p(;&)x`, the link `link` to `real`, and the file `file`.
struct Folder {
  std::string_view directory;  ///< in JSON
  Row<FolderFate> fate;
};
inline const std::vector<Folder>& folders() {
  using enum FolderFate::Kind;
  static const std::vector<Folder> kAll{
      {"HOME/PLACE/real", {{runs, "HOME/PLACE/real"}, {runs, "HOME/PLACE/real"}}},
      {"$HOME/PLACE/real", {{runs, "HOME/PLACE/real"}, {runs, "HOME/PLACE/real"}}},
      {"HOME/PLACE/link", {{runs, "HOME/PLACE/link"}, {runs, "HOME/PLACE/real"}}},
      {"/no/such/dir", {{fails_there, ""}, {refused_here, "bash: line 1: cd: /no/such/dir: No such file or directory\n"}}},
      {"HOME/PLACE/file", {{fails_there, ""}, {refused_here, "bash: line 1: cd: "}}},
      {"PLACE/real", {{fails_there, ""}, {refused_here, "bash: line 1: cd: PLACE/real: No such file or directory\n"}}},
      {"~/PLACE/real", {{fails_there, ""}, {runs, "HOME/PLACE/real"}}},
      {"HOME/PLACE/d ir", {{runs, "HOME/PLACE/d ir"}, {refused_here, "bash: line 1: cd: too many arguments\n"}}},
      {"HOME/PLACE/d\\\\ ir", {{fails_there, ""}, {runs, "HOME/PLACE/d ir"}}},
      {"HOME/PLACE/p(;&)x", {{runs, "HOME/PLACE/p(;&)x"}, {refused_here, "bash: -c: line 1: syntax error near unexpected token `('"}}},
      {"/tmp; true", {{fails_there, ""}, {runs, "/tmp"}}},
  };
  return kAll;
}

}  // namespace gleaner::contract
