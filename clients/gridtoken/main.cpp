#include "clients/api_client.hpp"
#include "clients/gridtoken/gridtoken.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridtoken",
      .purpose = "Gives the grid my token for a cluster that wants one of each user, lists mine, and deletes them.",
      .keys = clients::styled_keys(),
      .options = {{"list,l", "", "show my tokens, without what is in them: as the command list"},
                  {"cluster-id,i", "CLUSTER", "with -t or -r: the cluster's id or name, as CiGri's gridtoken has it"},
                  {"token,t", "FILE", "give the token in this file, or on stdin (-): as the command add"},
                  {"remove,r", "", "delete my token: as the command delete"},
                  {"verbose,v", "", "say what was done, which is only left out with the style cigri"},
                  {"json", "", "print JSON"},
                  {"csv", "", "print CSV"}},
      .positional = "[list | add CLUSTER [FILE] | delete CLUSTER]",
      .interruption = process::Interruption::ends_program,
      .notes =
          "'oarsub -T' prints a token on the front end of a cluster of OAR 3. 'gridtoken add CLUSTER' reads it on stdin, without showing\n"
          "it, or in a file; never from the command line, which everybody on this machine can read. The grid keeps it encrypted, shows it\n"
          "to nobody, renews it before its end where the cluster can, and says so otherwise (gridnotify)."};
  return process::run(program, argc, argv, gridtoken::gridtoken);
}
