// Where results go, and what happens when they cannot go there.

#include <filesystem>
#include <gmock/gmock.h>
#include <string>

#include "cli/shell.hpp"

namespace mirab {
namespace {

using test::Ran;
using test::shell;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kAllocate = "mirab allocate examples/textbook.yaml -m drf ";

TEST(Output, AFullDiskIsStatusOneWithAMessage) {
  const Ran ran = shell(kAllocate + "> /dev/full");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "mirab: standard output: No space left on device\n");
}

TEST(Output, AFullDeviceAsFileIsStatusOneWithAMessage) {
  const Ran ran = shell(kAllocate + "-o /dev/full");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err, "mirab: /dev/full: No space left on device\n");
}

TEST(Output, AClosedStandardOutputIsAnErrorAndHarmsNoFile) {
  const TemporaryFolder folder;
  const Ran ran = shell(kAllocate + "--report " + folder.path("page.html") + " >&-");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("mirab: standard output: "));
  EXPECT_THAT(read_text(folder.path("page.html")), Not(HasSubstr("\nuser ")));
}

TEST(Output, AReaderThatLeavesEndsTheProgramQuietly) {
  const Ran ran = shell("(sleep 0.2; " + kAllocate + ") | true; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(ran.out, "141\n");  // 128 + SIGPIPE
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST(Output, AFileGetsWhatStandardOutputWouldGet) {
  const TemporaryFolder folder;
  const std::string file = folder.path("shares.csv");
  const Ran ran = shell(kAllocate + "--format csv -o " + file);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(read_text(file), shell(kAllocate + "--format csv").out);
}

TEST(Output, AFileThatCannotBeWrittenIsNamedAndNothingIsPrinted) {
  const Ran ran = shell(kAllocate + "--report no/such/folder/page.html");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err,
            "mirab: --report: 'no/such/folder/page.html' cannot be written: No such file or directory\n");
}

TEST(Output, AnErrorLeavesAnOlderFileAsItWas) {
  const TemporaryFolder folder;
  const std::string file = folder.write("shares.txt", "older");
  EXPECT_EQ(shell("mirab allocate no-such.yaml -m drf -o " + file).status, 2);
  EXPECT_EQ(read_text(file), "older");
}

TEST(Output, ReplacingAFileLeavesNothingBesideIt) {
  const TemporaryFolder folder;
  const std::string file = folder.write("shares.txt", "older");
  EXPECT_EQ(shell(kAllocate + "-o " + file).status, 0);
  EXPECT_THAT(read_text(file), HasSubstr("66.67%"));
  EXPECT_EQ(shell("ls -A $(dirname " + file + ")").out, "shares.txt\n");
}

TEST(Output, AReplacedFileKeepsItsPermissionsAndANewOneFollowsTheUmask) {
  const TemporaryFolder folder;
  const std::string older = folder.write("older.txt", "older");
  const std::string newer = folder.path("newer.txt");
  const Ran ran = shell("umask 027; chmod 604 " + older + "; " + kAllocate + "-o " + older + "; " +
                        kAllocate + "-o " + newer + "; stat -c %a " + older + " " + newer);
  EXPECT_EQ(ran.out, "604\n640\n");
}

TEST(Output, ThePageAndTheResultCannotReplaceEachOther) {
  const TemporaryFolder folder;
  const std::string file = folder.write("both", "older");
  const std::string around = folder.path("./both");
  const Ran ran = shell(kAllocate + "-o " + file + " --report " + around);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("mirab: --report: "));
  EXPECT_EQ(read_text(file), "older");
  EXPECT_EQ(shell(kAllocate + "--report -").status, 2);
  EXPECT_EQ(shell(kAllocate + "-o /dev/null --report /dev/null").status, 0);
}

TEST(Output, WhatCannotBeWrittenIsRefusedBeforeTheWorkByEveryCommand) {
  const std::string slides = "examples/textbook.yaml ";
  for (const std::string& command :
       {"allocate " + slides + "-m drf", "fill " + slides + "-d drf", "explain " + slides + "A -m drf",
        "audit " + slides + "-m drf", "diff " + slides + "-m drf -m pf",
        "plan " + slides + "--user A --tasks 4", "explain " + slides + "-m drf", std::string("mechanisms"),
        std::string("limits examples/pods/two-pods.yaml --capacity cpu=2"), std::string("reproduce --list"),
        std::string("import openb no-nodes no-pods")}) {
    const Ran ran = shell("mirab " + command + " -o /nonexistent/x");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_EQ(ran.err, "mirab: -o: '/nonexistent/x' cannot be written: No such file or directory\n")
        << command;
  }
}

TEST(Output, TheFolderOfWitnessesIsMadeForAWitnessOnly) {
  const TemporaryFolder folder;
  const std::string made = folder.path("new");
  EXPECT_EQ(shell("mirab audit no-such.yaml -m drf --witness-dir " + made).status, 2);
  EXPECT_EQ(
      shell("mirab audit examples/textbook.yaml -m drf --properties feasible --witness-dir " + made).status,
      0);
  EXPECT_FALSE(std::filesystem::exists(made));
  const Ran ran = shell("mirab audit examples/textbook.yaml -m drf --witness-dir /dev/null/new");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("mirab: --witness-dir: '/dev/null/new' cannot be made: "));
}

TEST(Output, TheInputIsNeverReplaced) {
  const TemporaryFolder folder;
  const std::string slides = read_text(MIRAB_SOURCE_DIR "/examples/textbook.yaml");
  const std::string cluster = folder.write("cluster.yaml", slides);
  const std::string link = folder.path("link.yaml");
  const std::string hard_link = folder.path("hard-link.yaml");
  std::filesystem::create_symlink(cluster, link);
  std::filesystem::create_hard_link(cluster, hard_link);
  for (const std::string command : {"allocate -m drf ", "fill -d drf "}) {
    for (const std::string option : {"-o ", "--report "}) {
      for (const std::string& file : {cluster, folder.path("./cluster.yaml"), link, hard_link}) {
        const Ran ran = shell("mirab " + command + cluster + " " + option + file);
        EXPECT_EQ(ran.status, 2) << command << option << file;
        EXPECT_THAT(ran.out, IsEmpty());
        EXPECT_EQ(ran.err, "mirab: " + option.substr(0, option.size() - 1) + ": output '" + file +
                               "' would overwrite an input file\n");
        EXPECT_EQ(read_text(cluster), slides);
      }
    }
  }
}

TEST(Output, AnImportDoesNotReplaceWhatItReads) {
  const TemporaryFolder folder;
  const std::string machines = folder.write("machine_events.csv", "0,1,0,a,1,1\n");
  const Ran ran = shell("mirab import google2011 " + machines + " tests/traces/data -o " + machines);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("would overwrite an input file"));
  EXPECT_EQ(read_text(machines), "0,1,0,a,1,1\n");
}

/// The line with a terminal of this many columns for its standard output and error.
std::string in_terminal(int columns, const std::string& line) {
  return "script -qec \"stty cols " + std::to_string(columns) + "; " + line + "\" /dev/null";
}

TEST(Output, ATerminalGetsATableOfItsWidthAndAFileTheWholeTable) {
  const TemporaryFolder folder;
  const std::string five = kAllocate + "-m max-min -m asset -m pf -m alpha-fair:alpha=2 ";
  const std::string count_tables = " | grep -c ^Jain";
  EXPECT_EQ(shell(in_terminal(120, five) + count_tables).out, "1\n");
  EXPECT_EQ(shell(in_terminal(60, five) + count_tables).out, "2\n");
  EXPECT_EQ(shell("COLUMNS=60 " + in_terminal(120, five) + count_tables).out, "2\n");
  EXPECT_EQ(shell("COLUMNS=60 " + five + count_tables).out, "2\n") << "a pipe, too";
  EXPECT_EQ(shell(five + count_tables).out, "1\n");
  const std::string file = folder.path("table");
  EXPECT_EQ(shell(in_terminal(60, five + "-o " + file) + "; cat " + file + count_tables).out, "1\n");
}

TEST(Output, OnlyATerminalGetsBoldWordsAndNoneWithNoColor) {
  const TemporaryFolder folder;
  const std::string two = kAllocate + "-m asset -m pf ";
  const std::string count_bold = " | grep -c '\x1b\\[1m'";
  EXPECT_NE(shell("TERM=xterm " + in_terminal(80, two) + count_bold).out, "0\n");
  EXPECT_EQ(shell("TERM=dumb " + in_terminal(80, two) + count_bold).out, "0\n");
  EXPECT_EQ(shell("TERM=xterm NO_COLOR=1 " + in_terminal(80, two) + count_bold).out, "0\n");
  EXPECT_NE(shell("TERM=xterm NO_COLOR= " + in_terminal(80, two) + count_bold).out, "0\n");
  EXPECT_EQ(shell("TERM=xterm " + two + count_bold).out, "0\n");
  const std::string imported = folder.path("cluster.yaml");
  shell("mirab import kubernetes examples/kubernetes/nodes.json examples/kubernetes/pods.json -o " +
        imported);
  for (const std::string& other :
       {"mirab explain " + imported, std::string("mirab explain examples/team-cluster.yaml training"),
        std::string("mirab diff examples/team-cluster.yaml -m ps-dsf -m tsf")}) {
    EXPECT_NE(shell("TERM=xterm " + in_terminal(80, other) + count_bold).out, "0\n") << other;
    EXPECT_EQ(shell("TERM=xterm NO_COLOR=1 " + in_terminal(80, other) + count_bold).out, "0\n") << other;
    EXPECT_EQ(shell("TERM=xterm " + other + count_bold).out, "0\n") << other;
  }
  const std::string file = folder.path("table");
  EXPECT_EQ(shell("TERM=xterm " + in_terminal(80, two + "-o " + file) + "; cat " + file + count_bold).out,
            "0\n");
}

TEST(Output, ALongFillingShowsItsProgressOnATerminalOnly) {
  const TemporaryFolder folder;
  const std::string file = folder.path("many.yaml");
  shell("sed 's/name: pool,/name: pool, count: 4000,/' examples/textbook.yaml > " + file);
  EXPECT_THAT(shell(in_terminal(80, "mirab fill " + file + " -d drf")).out,
              HasSubstr("mirab: drf/first-fit: 16384 tasks placed\r\x1b[K"));
  EXPECT_THAT(shell("mirab fill " + file + " -d drf").err, IsEmpty());
}

TEST(Output, ASearchShowsItsProgressOnATerminalOnly) {
  const std::string search = "mirab simulate --search --seeds 4 --nodes 4 --users 2 --ticks 20";
  EXPECT_THAT(shell(in_terminal(80, search)).out, HasSubstr("mirab: search: 75 %\r\x1b[K"));
  EXPECT_THAT(shell(search).err, IsEmpty());
}

TEST(Output, TooLittleMemoryIsStatusOneWithAMessage) {
  const Ran ran = shell(
      "sed 's/name: pool,/name: pool, count: 9000000,/' examples/textbook.yaml |"
      " (ulimit -v 150000; mirab fill - -d drf)");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_EQ(ran.err, "mirab: not enough memory\n");
}

TEST(Output, ASymbolicLinkIsFollowedAndNotReplaced) {
  const TemporaryFolder folder;
  const std::string target = folder.write("target", "older");
  const std::string link = folder.path("link");
  std::filesystem::create_symlink(target, link);
  EXPECT_EQ(shell(kAllocate + "-o " + link).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_THAT(read_text(target), HasSubstr("66.67%"));
}

TEST(Output, TheClusterMayComeFromStandardInput) {
  const Ran ran = shell("mirab allocate - -m drf < examples/textbook.yaml");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("standard input: 2 users on 1 server"));
}

TEST(Output, WhatRunsMayComeFromStandardInputIfTheClusterDoesNot) {
  const std::string input = " --allocation - < examples/textbook-running.csv";
  const Ran ran = shell("mirab allocate examples/textbook.yaml -m given" + input);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, shell("mirab allocate examples/textbook.yaml -m given --allocation "
                           "examples/textbook-running.csv")
                         .out);
  const Ran both = shell("mirab allocate - -m given --allocation - < examples/textbook.yaml");
  EXPECT_NE(both.status, 0);
  EXPECT_THAT(both.err, HasSubstr("--allocation: only one file can be read from standard input"));
}

TEST(Output, TheReportIsOnePageWithTheOutcomesAndTheCommand) {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.html");
  const Ran ran = shell(kAllocate + "--fill drf --format json --report " + page);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, Not(HasSubstr("\"steps\"")));
  const std::string html = read_text(page);
  EXPECT_THAT(html, HasSubstr("\"label\":\"drf/first-fit\""));
  EXPECT_THAT(html, HasSubstr("\"steps\":[{\"step\":1,"));
  EXPECT_THAT(html, HasSubstr("\"command\":\"mirab allocate examples/textbook.yaml -m drf --fill drf"));
  EXPECT_THAT(html, Not(HasSubstr("__MIRAB_DATA__")));
}

TEST(Output, OfTwoFilesNoneIsLeftWhenOneCannotBeWritten) {
  const TemporaryFolder folder;
  const std::string page = folder.path("page.html");
  const Ran ran = shell(kAllocate + "-o /dev/full --report " + page);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("/dev/full: No space left on device"));
  EXPECT_FALSE(std::filesystem::exists(page));

  const std::string workload = folder.path("w.jsonl");
  const Ran import = shell(
      "mirab import wagap2013 tests/traces/data/wagap2013/excerpt.swf "
      "tests/traces/data/wagap2013/machines -o /dev/full --workload " +
      workload);
  EXPECT_EQ(import.status, 1);
  EXPECT_FALSE(std::filesystem::exists(workload));
}

TEST(Output, ARunWithSeveralFilesLeavesNoneWhenOneCannotBeWritten) {
  const TemporaryFolder folder;
  for (const char* command :
       {"mirab reproduce slides-table1 --format markdown --images OUT/images --report OUT/page.html",
        "mirab audit --random 20 -m asset --properties sharing-incentive --witness-dir OUT",
        "mirab audit --claims --random 5 -m asset --properties sharing-incentive --witness-dir OUT"}) {
    std::string words = command;
    for (std::size_t at = words.find("OUT"); at != std::string::npos; at = words.find("OUT"))
      words.replace(at, 3, folder.path("out"));
    const Ran whole =
        shell("mkdir -p " + folder.path("out") + " && " + words + " -o " + folder.path("result"));
    EXPECT_THAT(whole.status, AnyOf(0, 3)) << whole.err;
    const auto files = [&] {
      std::size_t count = 0;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path("out")))
        count += entry.is_regular_file() ? 1 : 0;
      return count;
    };
    EXPECT_GT(files(), 0U) << words;
    std::filesystem::remove_all(folder.path("out"));
    const Ran ran = shell("mkdir -p " + folder.path("out") + " && " + words + " -o /dev/full");
    EXPECT_EQ(ran.status, 1) << words;
    EXPECT_THAT(ran.err, HasSubstr("/dev/full: No space left on device"));
    EXPECT_EQ(files(), 0U) << words;
  }
}

TEST(Output, ErrorsOfAReplayNameFileAndLine) {
  const TemporaryFolder folder;
  folder.write(
      "c.yaml",
      "resources: [cpu]\nservers: [{name: s, capacity: {cpu: 10}}]\nusers: [{name: u, demand: {cpu: 1}}]\n");
  const std::string workload =
      folder.write("w", R"({"mirab": "workload", "version": 1, "resources": ["cpu"], "span": 1e-8}
{"user": "u"}
{"server": "s", "instance": 7, "at": 0, "change": "down"}
)");
  const std::string head = "kind: trace\ncluster: c.yaml\nworkload: w\ncontenders: [{discipline: drf}]\n";
  const Ran gone = shell("mirab simulate " + folder.write("s.yaml", head + "samples: 8\n"));
  EXPECT_THAT(gone.err, HasSubstr(workload + ":3: changes[0]: server 7 of 's' goes, but is not there"));
  folder.write("w", R"({"mirab": "workload", "version": 1, "resources": ["cpu"], "span": 1e-8})"
                    "\n");
  const std::string scenario = folder.write("s.yaml", head + "samples: 80000\n");
  EXPECT_THAT(shell("mirab simulate " + scenario).err, HasSubstr(scenario + ":5: samples: are more than"));
}

}  // namespace
}  // namespace mirab
