// The scripts of a job are what bash and sbatch read as they were meant, whatever the paths
// contain.
#include "cluster/slurm_job.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/subprocess.h"

namespace airlot::cluster {
namespace {

namespace fs = std::filesystem;

SlurmJob SmallJob() {
  return {.name = "airlot-small",
          .working_folder = "/data/my study",
          .script_folder = "/data/my study/out/slurm",
          .command = {"/opt/airlot", "sweep", "it's.toml", "--vary=rounds=4,8"},
          .of_part = {"--part"},
          .of_all = {"--resume"},
          .tasks = 7,
          .cpus_per_task = 2,
          .options = {"--time=2:00:00"}};
}

std::string TextOf(const SlurmJob& job, std::string_view script) {
  const auto scripts = ScriptsOf(job);
  EXPECT_TRUE(scripts.ok());
  for (const base::FileText& file : *scripts) {
    if (fs::path(file.path).filename() == script) return file.text;
  }
  ADD_FAILURE() << script;
  return "";
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SlurmJobTest, TasksHaveParts) {
  const std::string cells = TextOf(SmallJob(), kCellsScript);
  EXPECT_TRUE(Has(cells, "\n#SBATCH --array=1-7\n")) << cells;
  EXPECT_TRUE(Has(cells, "\n#SBATCH --cpus-per-task=2\n")) << cells;
  EXPECT_TRUE(Has(cells, "\n#SBATCH --time=2:00:00\n")) << cells;
  EXPECT_TRUE(Has(cells, "\n#SBATCH --output=\"/data/my study/out/slurm/cells-%a.log\"\n"))
      << cells;
  EXPECT_TRUE(Has(cells,
                  "cd -- '/data/my study' || exit\nexec /opt/airlot sweep 'it'\\''s.toml' "
                  "--vary=rounds=4,8 --part \"$SLURM_ARRAY_TASK_ID/7\"\n"))
      << cells;
  const std::string collect = TextOf(SmallJob(), kCollectScript);
  EXPECT_TRUE(Has(collect, "--vary=rounds=4,8 --resume\n")) << collect;
  EXPECT_FALSE(Has(collect, "--array")) << collect;
}

TEST(SlurmJobTest, PatternsOfSlurmInAPathAreNotReplaced) {
  SlurmJob job = SmallJob();
  job.script_folder = "/data/50%j \"x\"";
  EXPECT_TRUE(Has(TextOf(job, kCellsScript), "--output=\"/data/50%%j \\\"x\\\"/cells-%a.log\"\n"));
}

TEST(SlurmJobTest, NamesAndValuesStandInQuotes) {
  SlurmJob job = SmallJob();
  job.name = "fifty 50%";
  job.tasks_at_a_time = 2;
  job.options = {"--comment=two \"words\"", "--time 2:00:00"};
  const std::string cells = TextOf(job, kCellsScript);
  EXPECT_TRUE(Has(cells, "\n#SBATCH --job-name=\"fifty 50%\"\n")) << cells;
  EXPECT_TRUE(Has(cells, "\n#SBATCH --comment=\"two \\\"words\\\"\"\n")) << cells;
  EXPECT_TRUE(Has(cells, "\n#SBATCH --time 2:00:00\n")) << cells;
  EXPECT_TRUE(Has(cells, "\n#SBATCH --array=1-7%2\n")) << cells;
}

TEST(SlurmJobTest, RefusesWhatTheScriptsSayThemselves) {
  for (const char* option : {"--array=1-3%1", "--array 1", "-a1", "--dependency=afterok:1", "-d 1",
                             "--output=x", "-ox", "--parsable"}) {
    SlurmJob job = SmallJob();
    job.options = {option};
    ASSERT_FALSE(ScriptsOf(job).ok()) << option;
    EXPECT_TRUE(Has(ScriptsOf(job).error().message, "--tasks-at-a-time")) << option;
  }
}

TEST(SlurmJobTest, RefusesWhatCannotStandInALine) {
  SlurmJob job = SmallJob();
  job.working_folder = "/data/a\nb";
  EXPECT_FALSE(ScriptsOf(job).ok());
  job = SmallJob();
  job.script_folder = "/data/a\\b";
  EXPECT_FALSE(ScriptsOf(job).ok());
  for (const char* option : {"-", "--", ""}) {
    job = SmallJob();
    job.options = {option};
    EXPECT_FALSE(ScriptsOf(job).ok()) << option;
  }
  job = SmallJob();
  job.options = {"time=2"};
  ASSERT_FALSE(ScriptsOf(job).ok());
  EXPECT_TRUE(Has(ScriptsOf(job).error().message, "--sbatch \"time=2\""))
      << ScriptsOf(job).error().message;
}

// A program named sbatch stands in for Slurm's: it writes down its words and gives numbers. The
// real one is tried by tests/slurm_test.py.
class SubmitTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("airlot slurm " + std::to_string(getpid()));
    fs::create_directories(folder_ / "bin");
    path_ = std::getenv("PATH");
    SlurmJob job = SmallJob();
    job.script_folder = folder_.string();
    const auto scripts = ScriptsOf(job);
    ASSERT_TRUE(scripts.ok());
    for (const base::FileText& file : *scripts) std::ofstream(file.path) << file.text;
  }
  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void MakeProgram(const std::string& name, const std::string& text) {
    const fs::path program = folder_ / "bin" / name;
    std::ofstream(program) << "#!/bin/bash\n" << text;
    fs::permissions(program, fs::perms::owner_all);
    ::setenv("PATH", ((folder_ / "bin").string() + ":" + path_).c_str(), 1);
  }
  void MakeSbatch(const std::string& text) { MakeProgram("sbatch", text); }
  std::string Log() const {
    std::ifstream file(folder_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(SubmitTest, CollectsAfterAllTasks) {
  MakeSbatch("echo \"$*\" >> '" + (folder_ / "log").string() +
             "'\n[[ $* == *dependency* ]] && echo 18 || echo '17;cluster'\n");
  const auto jobs = Submit(folder_.string());
  ASSERT_TRUE(jobs.ok()) << jobs.error().message;
  EXPECT_EQ(jobs->cells, "17");
  EXPECT_EQ(jobs->collect, "18");
  EXPECT_EQ(Log(), "--parsable " + (folder_ / kCellsScript).string() +
                       "\n--parsable --dependency=afterany:17 " +
                       (folder_ / kCollectScript).string() + "\n");
}

// The last option counts, so that the script's own dependency comes last.
TEST_F(SubmitTest, PassesItsOptionsOn) {
  MakeSbatch("echo \"$*\" >> '" + (folder_ / "log").string() + "'\necho 17\n");
  const auto exit_code = base::RunProgram(
      {"bash", (folder_ / kSubmitScript).string(), "--dependency=afterany:5"}, folder_ / "out");
  ASSERT_TRUE(exit_code.ok());
  EXPECT_EQ(*exit_code, 0);
  EXPECT_EQ(Log(), "--parsable --dependency=afterany:5 " + (folder_ / kCellsScript).string() +
                       "\n--parsable --dependency=afterany:5 --dependency=afterany:17 " +
                       (folder_ / kCollectScript).string() + "\n");
}

TEST_F(SubmitTest, LeavesNoTasksInTheQueueThatNobodyCollects) {
  const std::string log = (folder_ / "log").string();
  MakeSbatch("if [[ $* == *dependency* ]]; then echo 'no such account' >&2; exit 1; fi\necho 17\n");
  MakeProgram("scancel", "echo \"scancel $*\" >> '" + log + "'\n");
  const auto jobs = Submit(folder_.string());
  ASSERT_FALSE(jobs.ok());
  EXPECT_TRUE(Has(jobs.error().message, "no such account")) << jobs.error().message;
  EXPECT_EQ(Log(), "scancel 17\n");
}

TEST_F(SubmitTest, SaysWhatSbatchSaysAndHowToGoOn) {
  const std::string reason(100, 'x');
  MakeSbatch("echo 'first'; echo '" + reason + " invalid partition' >&2; exit 1\n");
  const auto jobs = Submit(folder_.string());
  ASSERT_FALSE(jobs.ok());
  EXPECT_TRUE(Has(jobs.error().message, reason + " invalid partition")) << jobs.error().message;
  EXPECT_TRUE(Has(jobs.error().message, "submit.sh")) << jobs.error().message;
}

}  // namespace
}  // namespace airlot::cluster
