#include "clients/api_client.hpp"
#include "clients/gridclean/gridclean.hpp"
#include "lib/process/run.hpp"

int main(int argc, char** argv) {
  using namespace gleaner;
  const process::Program program{
      .name = "gridclean",
      .purpose = "Lists OAR's ids of the jobs whose tasks are over, by cluster, for scripts that remove their files. It deletes nothing.",
      .keys = clients::api_keys(),
      .options = {{"json", "", "print JSON"},
                  {"csv", "", "print CSV"},
                  {"quiet,q", "", "print the ids alone"},
                  {"verbose,v", "", "say of each campaign how many jobs are listed, on how many clusters"}},
      .positional = "ID...",
      .interruption = process::Interruption::ends_program,
      .notes = "The last job of each task is listed. The grid removes its own files from the clusters by itself."};
  return process::run(program, argc, argv, gridclean::gridclean);
}
