#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "lib/oar/oarsub_refusal.hpp"
#include "lib/oar/parse.hpp"

/// Failed submissions: those that made no job, and those whose outcome is unknown. The messages are answers of real clusters.
namespace gleaner::oar {
namespace {

enum class Fate { refused, unknown };
struct Recorded {
  std::string request;
  int status;
  std::string message;
  Fate fate;
};

const std::string kRules{
    "[ADMISSION RULE] Set default walltime to 7200.\n[ADMISSION RULE] Modify resource description with type constraints\n"};

/// An answer of OAR 2.5.9: its API names oarsub's exit status, and repeats the command.
std::string in_25(int exit_status, const std::string& printed) {
  return "Oarsub command exited with status " + std::to_string(exit_status) + ": " + printed +
         "\nCmd:\noarsub  --stdout=\\\"/dev/null\\\" --stderr=\\\"/dev/null\\\" \\\"true\\\"";
}

std::vector<Recorded> of_25() {
  return {
      {"resource core=;;", 500, in_25(255, "/!\\ Cannot recognize the resource description : core=;;\n"), Fate::refused},
      {"walltime abc", 500, in_25(255, "/!\\ Cannot recognize -- ,walltime=abc -- resource\n"), Fate::refused},
      {"unknown type", 500, in_25(254, kRules + "[ADMISSION RULE] Error: unknown job type: nosuchtype\n\n"), Fate::refused},
      {"unknown queue", 500, in_25(248, kRules + "ERROR : The queue nosuchqueue does not exist\n"), Fate::refused},
      {"a queue of others", 500, in_25(254, "[ADMISSION RULE] Only member of the group admin can submit jobs in the admin queue\n\n"),
       Fate::refused},
      {"unknown option", 500, in_25(1, "Unknown option: nosuchoption\n"), Fate::refused},
      {"checkpoint abc", 500, in_25(1, "Value \"abc\" invalid for option checkpoint (number expected)\n"), Fate::refused},
      {"stdout a+b", 500, in_25(244, "/!\\ Invalid stdout file name (bad character)\n"), Fate::refused},
      {"notify foo", 500, in_25(250, "/!\\Bad syntax for the notify option\n"), Fate::refused},
      {"project x\\", 500, in_25(2, "bash: -c: line 1: unexpected EOF while looking for matching `\"'\n"), Fate::refused},
      {"workdir /no/such", 500, in_25(1, "bash: line 1: cd: /no/such: No such file or directory\n"), Fate::refused},
      {"too much", 400,
       in_25(8, kRules +
                    "There are not enough resources for your request\nOAR_JOB_ID=-5\n[ERROR] Oarsub failed, please verify your request "
                    "syntax.\n"),
       Fate::refused},
      {"reservation in the past", 400,
       in_25(10, kRules + "OAR_JOB_ID=4\nReservation mode: waiting validation...\nReservation not valid --> KO (Reservation too old)\n"),
       Fate::unknown},
      {"its server is dead", 500, in_25(9, kRules + "OAR_JOB_ID=1180\n[ERROR] Cannot connect to executor alpha:17681. Job is killed.\n"),
       Fate::unknown},
  };
}

std::vector<Recorded> of_26() {
  return {
      {"directory /no/such/dir", 500, "bash: line 1: cd: /no/such/dir: No such file or directory\n", Fate::refused},
      {"directory, two words", 500, "bash: line 1: cd: too many arguments\n", Fate::refused},
      {"directory of another", 500, "bash: line 1: cd: /root: Permission denied\n", Fate::refused},
      {"directory (x) & y", 500,
       "bash: -c: line 1: syntax error near unexpected token `('\nbash: -c: line 1: `cd /home/u/(x) & y && oarsub  \"true\"'\n",
       Fate::refused},
      {"resource core=;;", 400, "# Error: cannot recognize the resource description: core=;;\n", Fate::refused},
      {"walltime abc", 400, "# Error: cannot recognize -- ,walltime=abc -- resource\n", Fate::refused},
      {"unknown type", 400, kRules + "[ADMISSION RULE] Error: unknown job type: nosuchtype\n\n", Fate::refused},
      {"unknown queue", 500, kRules + "# Error: queue 'nosuchqueue' does not exist\n", Fate::refused},
      {"unknown option", 500, "Unknown option: nosuchoption\n", Fate::refused},
      {"checkpoint abc", 500, "Value \"abc\" invalid for option checkpoint (number expected)\n", Fate::refused},
      {"stdout a+b", 500, "# Error: invalid stdout file name (bad character)\n", Fate::refused},
      {"notify foo", 500, "# Error: bad syntax for the notify option\n", Fate::refused},
      {"project x\\", 500, "bash: -c: line 1: unexpected EOF while looking for matching `\"'\n", Fate::refused},
      {"too much", 400, kRules + "# There are not enough resources for your request\n# Error: please verify your job submission syntax.\n",
       Fate::refused},
      {"reservation in the past", 400,
       kRules + "OAR_JOB_ID=1\n# Advance reservation request: waiting for validation...\n# Reservation not valid --> KO (Reservation too "
                "old)\n",
       Fate::unknown},
      {"its server is dead", 500, kRules + "OAR_JOB_ID=5\n# Error: cannot connect to executor alpha:18681. Job is killed.\n",
       Fate::unknown},
      {"an array, its server is dead", 500,
       kRules + "OAR_JOB_ID=5\nOAR_JOB_ID=6\nOAR_ARRAY_ID=5\n# Error: cannot connect to executor alpha:18681. Job is killed.\n",
       Fate::unknown},
  };
}

std::vector<Recorded> of_both() {
  auto all = of_25();
  for (auto& each : of_26()) all.push_back(std::move(each));
  return all;
}

Fate fate_of(int status, const std::string& message) {
  return std::holds_alternative<Refused>(submission_failure(status, message)) ? Fate::refused : Fate::unknown;
}

TEST(OarsubRefusal, EachRecordedAnswer_IsARefusalOrUnknown) {
  for (const auto& each : of_25()) EXPECT_EQ(fate_of(each.status, each.message), each.fate) << "OAR 2.5, " << each.request;
  for (const auto& each : of_26()) EXPECT_EQ(fate_of(each.status, each.message), each.fate) << "OAR 2.6, " << each.request;
}

TEST(OarsubRefusal, AnAnswerThatNamesAJob_IsUnknown_WhateverElseItHolds) {
  for (const auto& each : of_both()) {
    for (const std::string job : {"OAR_JOB_ID=7\n", "OAR_JOB_ID=-5\nOAR_JOB_ID=7\n"}) {
      EXPECT_EQ(fate_of(each.status, job + each.message), Fate::unknown) << each.request;
      EXPECT_FALSE(proves_no_job(job + each.message)) << each.request;
    }
  }
}

TEST(OarsubRefusal, NumbersBelowOne_NameNoJob) {
  EXPECT_EQ(fate_of(500, "OAR_JOB_ID=-5\n# Error: please verify your job submission syntax.\n"), Fate::refused);
  EXPECT_EQ(fate_of(500, "OAR_JOB_ID=0\n# Error: please verify your job submission syntax.\n"), Fate::refused);
}

TEST(OarsubRefusal, AServerThatCannotBeReached_IsUnknown_EvenWithoutANumber) {
  EXPECT_EQ(fate_of(500, "# Error: cannot connect to executor alpha:6666. Job is killed.\n"), Fate::unknown);
  EXPECT_EQ(fate_of(500, in_25(9, "[ERROR] Cannot connect to executor alpha:6666. Job is killed.\n")), Fate::unknown);
}

TEST(OarsubRefusal, OtherErrorsOfAServer_AreUnknown) {
  for (const std::string message :
       {"Cannot connect to the database", "DBD::Pg::db do failed: server closed the connection unexpectedly\n", "", "Internal Server Error",
        "bash: line 1: 4711 Killed                  oarsub\n", "bash: line 1: nosuch: command not found\n",
        "bash: fork: Cannot allocate memory\n", "Oarsub command exited with status 9: \nCmd:\noarsub",
        "Oarsub command exited with status 255: \nCmd:\noarsub", "Job submitted but its id could not be parsed"})
    EXPECT_EQ(fate_of(500, message), Fate::unknown) << message;
  EXPECT_EQ(fate_of(502, "Bad gateway"), Fate::unknown);
}

/// A project, a property or a command may hold any words: they stand in the middle of lines, or behind `Cmd:`.
TEST(OarsubRefusal, WordsOfTheUser_ProveNothing) {
  for (const std::string words : {"# Error: x", "Unknown option: x", "bash: line 1: cd: /x", "[ERROR] x", "bash: -c: line 1: x"}) {
    EXPECT_EQ(fate_of(500, "oarsub --project=\"" + words + "\" failed\n"), Fate::unknown) << words;
    EXPECT_EQ(fate_of(500, in_25(9, "no answer\n") + "\n" + words + "\nCmd:\n" + words), Fate::unknown) << words;
  }
}

}  // namespace
}  // namespace gleaner::oar
