#include "sim/minioar/job_environment.hpp"

#include <fmt/format.h>

namespace gleaner::minioar {

std::vector<std::string> login_environment(const std::string& user, const std::string& home) {
  return {"HOME=" + home,    "USER=" + user, "LOGNAME=" + user,
          "SHELL=/bin/bash", "TERM=unknown", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"};
}

std::vector<std::string> job_environment(const Job& job, const std::string& home, const Execution& execution) {
  const auto& submission = *job.submission;
  auto environment = login_environment(submission.user, home);
  const auto put = [&](std::string_view name, const std::string& value) { environment.push_back(fmt::format("{}={}", name, value)); };
  for (const auto* name : {"OAR_JOB_ID", "OAR_JOBID"}) put(name, std::to_string(job.id));
  for (const auto* name : {"OAR_ARRAY_ID", "OAR_ARRAYID"}) put(name, std::to_string(job.array_id));
  for (const auto* name : {"OAR_ARRAY_INDEX", "OAR_ARRAYINDEX"}) put(name, std::to_string(job.array_index));
  for (const auto* name : {"OAR_NODEFILE", "OAR_NODE_FILE", "OAR_FILE_NODES", "OAR_RESOURCE_FILE"}) put(name, execution.files.nodes);
  put("OAR_RESOURCE_PROPERTIES_FILE", execution.files.resources);
  for (const auto* name : {"OAR_WORKDIR", "OAR_WORKING_DIRECTORY", "OAR_O_WORKDIR"}) put(name, execution.directory);
  put("OAR_USER", submission.user);
  put("OAR_JOB_NAME", submission.name.value_or(""));
  put("OAR_PROJECT_NAME", submission.project);
  put("OAR_STDOUT", execution.stdout_file);
  put("OAR_STDERR", execution.stderr_file);
  const auto walltime = job.walltime().value_or(0);
  put("OAR_JOB_WALLTIME", walltime_text(walltime));
  put("OAR_JOB_WALLTIME_SECONDS", std::to_string(walltime));
  put("BASH_ENV", home + "/.bashrc");  // OAR's is a file that reads this one: the shell of each job does, and `exit` there ends the job
  put("SUDO_COMMAND", "OAR");
  put("SHLVL", "0");
  return environment;
}

void fill_node_files(const Job& job, const std::vector<Resource>& resources, Execution& execution) {
  for (const int place : job.resources) {
    const auto& resource = resources[static_cast<std::size_t>(place)];
    execution.nodes += resource.host + '\n';
    execution.properties += fmt::format(
        "cluster = '{}' , core = '{}' , cpu = '{}' , cpuset = '{}' , host = '{}' , mem = '{}' , network_address = '{}' , resource_id = '{}' , "
        "state = '{}' , type = 'default'\n",
        resource.cluster, resource.core, resource.cpu, resource.cpuset, resource.host, resource.mem, resource.host, resource.id,
        name_of(resource.state));
  }
}

}  // namespace gleaner::minioar
