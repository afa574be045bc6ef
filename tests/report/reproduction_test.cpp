// What came out of experiments, as a table, JSON, CSV and Markdown.
#include "report/reproduction/reproduction.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/text/width.hpp"

namespace mirab::report {
namespace {

using experiments::Finding;
using experiments::Reading;
using experiments::Verdict;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

ReproducedExperiment traffic() {
  experiments::Reproduction result;
  result.id = "pf-mine";
  result.verdict = Verdict::differs;
  result.data = "stand-in: another trace";
  result.findings = {{.what = "γ2 of pf at load 0.6",
                      .printed = 0.544,
                      .ours = 0.54421,
                      .interval = {{0.543, 0.546}},
                      .holds = true},
                     {.what = "drf <is> fair",
                      .printed = 1,
                      .ours = 0,
                      .holds = false,
                      .note = "a|b",
                      .reading = Reading::yes_no}};
  result.figures = {
      {.title = "Service rates",
       .x_label = "load",
       .y_label = "γ",
       .curves = {{.name = "pf", .x = {0.3, 0.6}, .y = {0.7, 0.4}, .low = {0.69, 0.39}, .high = {0.71, 0.41}},
                  {.name = "drf", .x = {0.6, 0.9}, .y = {0.35, 0.1}}}}};
  result.tables = {{.title = "Runs", .head = {"run", "jobs"}, .rows = {{"first", "12"}}}};
  result.remarks = {"The printed slope is wrong."};
  result.seconds = 1.25;
  return {{.id = "pf-mine",
           .paper = "Bonald and Roberts, figure 9",
           .title = "Two classes",
           .data = "stand-in: x",
           .run = nullptr},
          result};
}

Reproductions of(std::vector<ReproducedExperiment> results, Times times = Times::hidden) {
  return {.seed = 7, .effort = experiments::Effort::quick, .times = times, .results = std::move(results)};
}

TEST(FindingWords, NumbersHaveFiveDigitsAndYesNoIsWords) {
  EXPECT_EQ(finding_number(0.5442178, Reading::number), "0.54422");
  EXPECT_EQ(finding_number(-1.2e-15, Reading::number), "0");
  EXPECT_EQ(finding_number(1e9, Reading::number), "1e+09");
  EXPECT_EQ(finding_number(1, Reading::yes_no), "yes");
  EXPECT_EQ(finding_number(0, Reading::yes_no), "no");
}

TEST(FindingWords, AnEstimateHasTheDigitsThatItsIntervalAllows) {
  const auto row = [](double ours, std::pair<double, double> interval) {
    experiments::Reproduction result;
    result.findings = {{.what = "w", .ours = ours, .interval = interval, .holds = true}};
    const std::vector<std::string> cells = findings_as_table(result).rows.front();
    return cells[2] + " in " + cells[3];
  };
  EXPECT_EQ(row(0.209543, {0.157421, 0.261665}), "0.210 in 0.157 … 0.262");
  EXPECT_EQ(row(330.25, {280.25, 380.25}), "330 in 280 … 380");
  EXPECT_EQ(row(-2.1e-12, {-1e-11, 6e-12}), "0 in 0 … 0");
  EXPECT_EQ(row(1.25, {1.25, 1.25}), "1.25 in 1.25 … 1.25");
}

TEST(FindingWords, ACorrectedFindingSaysSo) {
  EXPECT_EQ(holds_words({.what = "w", .holds = true, .corrected = true}), "corrected");
  EXPECT_EQ(holds_words({.what = "w", .holds = false, .corrected = true}), "no");
  EXPECT_EQ(holds_words({.what = "w", .undecided = true}), "undecided");
}

TEST(FindingWords, CurvesStandSideBySideWithARowForEachAbscissa) {
  const experiments::Table table = curves_as_table(traffic().result.figures.front());
  EXPECT_EQ(table.title, "Service rates: γ by load");
  EXPECT_THAT(table.head, ElementsAre("load", "pf", "drf"));
  EXPECT_THAT(table.rows, ElementsAre(ElementsAre("0.3", "0.7", "–"), ElementsAre("0.6", "0.4", "0.35"),
                                      ElementsAre("0.9", "–", "0.1")));
}

TEST(ReproductionsTable, ShowsPrintedBesideOursWithTheInterval) {
  const std::string text = reproductions_table(of({traffic()}), 100);
  EXPECT_THAT(
      text,
      HasSubstr("verdict: differs (of 2 findings 1 yes, 1 no, 0 undecided, 1 of 2 with a printed number)\n"));
  EXPECT_THAT(text, HasSubstr("data: stand-in: another trace\n"));
  EXPECT_THAT(text, HasSubstr("γ2 of pf at load 0.6  0.544    0.5442  0.5430 … 0.5460  yes\n"));
  EXPECT_THAT(text, HasSubstr("drf <is> fair         yes      no      –                no\n"));
  EXPECT_THAT(text, HasSubstr("drf <is> fair: a|b\n"));
  EXPECT_THAT(text, HasSubstr("remark: The printed slope is wrong.\n"));
  EXPECT_LE(widest_line(text), 100u);
}

TEST(FindingWords, TheTallyTellsHowManyPrintedNumbersHold) {
  experiments::Reproduction result;
  result.findings = {{.what = "a", .holds = true}, {.what = "b"}};
  EXPECT_EQ(tally(result), "of 2 findings 1 yes, 1 no, 0 undecided, none with a printed number");
  result.findings.push_back({.what = "c", .printed = 3, .ours = 3, .holds = true});
  result.findings.push_back({.what = "d", .printed = 3, .ours = 4});
  EXPECT_EQ(tally(result), "of 4 findings 2 yes, 2 no, 0 undecided, 1 of 2 with a printed number");
  result.findings[1].undecided = true;
  EXPECT_EQ(tally(result), "of 4 findings 2 yes, 1 no, 1 undecided, 1 of 2 with a printed number");
  result.findings = {{.what = "a", .holds = true}};
  EXPECT_EQ(tally(result), "1 of 1 findings hold, none with a printed number");
}

TEST(ReproductionsTable, SaysFirstHowMuchWasRunWithWhichSeed) {
  Reproductions reproductions = of({traffic()});
  EXPECT_THAT(
      reproductions_table(reproductions, 100),
      StartsWith(
          "quick run, seed 7: of few seeds and short runs, so that its verdicts are only a first look\n"));
  reproductions.effort = experiments::Effort::full;
  EXPECT_THAT(reproductions_table(reproductions, 100), StartsWith("full run, seed 7\n"));
}

TEST(ReproductionsTable, SeveralExperimentsHaveAnOverviewAndTimesAreToldWhenAskedFor) {
  EXPECT_THAT(reproductions_table(of({traffic()}), 100), Not(HasSubstr("experiment  verdict")));
  EXPECT_THAT(reproductions_table(of({traffic(), traffic()}), 100),
              HasSubstr("pf-mine     differs  stand-in  Bonald"));
  EXPECT_THAT(reproductions_table(of({traffic()}, Times::shown), 100), HasSubstr("1.25 s"));
}

TEST(ReproductionsTable, ALongSeriesIsLeftToThePage) {
  ReproducedExperiment long_one = traffic();
  experiments::Curve& curve = long_one.result.figures.front().curves.front();
  for (int i = 0; i < 1000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i);
  }
  EXPECT_THAT(
      reproductions_table(of({long_one}), 100),
      HasSubstr("figures (--format json and --report have their points):\n  Service rates: γ by load\n"));
}

TEST(ReproductionsJson, HasTheStableKeys) {
  const nlohmann::json json = nlohmann::json::parse(reproductions_json(of({traffic()})).dump());
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["effort"], "quick");
  const auto& result = json["results"][0];
  EXPECT_EQ(result["id"], "pf-mine");
  EXPECT_EQ(result["verdict"], "differs");
  EXPECT_EQ(result["data"], "stand-in: another trace");
  EXPECT_EQ(result["checks"][0]["what"], "γ2 of pf at load 0.6");
  EXPECT_EQ(result["checks"][0]["printed"], 0.544);
  EXPECT_EQ(result["checks"][0]["ours"], 0.54421);
  EXPECT_EQ(result["checks"][0]["interval"], nlohmann::json({0.543, 0.546}));
  EXPECT_EQ(result["checks"][0]["holds"], true);
  EXPECT_EQ(result["checks"][0]["undecided"], false);
  EXPECT_EQ(result["checks"][1]["reading"], "yes-no");
  EXPECT_EQ(result["figures"][0]["curves"][0]["low"], nlohmann::json({0.69, 0.39}));
  EXPECT_FALSE(result["figures"][0]["curves"][0].contains("printed"));
  EXPECT_EQ(result["tables"][0]["rows"][0][1], "12");
  EXPECT_EQ(result["remarks"][0], "The printed slope is wrong.");
  EXPECT_FALSE(result.contains("seconds")) << "the same bytes again";
}

TEST(ReproductionsJson, ACurveHasWhatThePaperPrintsAndNullWhereItPrintsNothing) {
  ReproducedExperiment printed = traffic();
  printed.result.figures.front().curves.front().printed = {std::nan(""), 0.42};
  const nlohmann::json json = nlohmann::json::parse(reproductions_json(of({printed})).dump());
  EXPECT_EQ(json["results"][0]["figures"][0]["curves"][0]["printed"], nlohmann::json({nullptr, 0.42}));
}

TEST(ReproductionsJson, TellsTheSecondsWhenAskedForAndNullForWhatIsNotFinite) {
  ReproducedExperiment infinite = traffic();
  infinite.result.findings.front().ours = HUGE_VAL;
  infinite.result.findings.front().interval = {};
  const auto json = reproductions_json(of({infinite}, Times::shown));
  EXPECT_EQ(json["results"][0]["seconds"], 1.25);
  EXPECT_TRUE(json["results"][0]["checks"][0]["ours"].is_null());
  EXPECT_TRUE(json["results"][0]["checks"][0]["interval"].is_null());
}

TEST(ReproductionsCsv, HasARecordForEachFinding) {
  EXPECT_EQ(reproductions_csv(of({traffic()})),
            "id,verdict,data,what,printed,ours,low,high,holds,corrected,note,effort,seed,undecided\n"
            "pf-mine,differs,stand-in: another trace,γ2 of pf at load "
            "0.6,0.544,0.54421,0.543,0.546,yes,no,,quick,7,no\n"
            "pf-mine,differs,stand-in: another trace,drf <is> fair,1,0,,,no,no,a|b,quick,7,no\n");
}

TEST(ReproductionsMarkdown, NamesItsCommandAndEscapesWhatMarkdownWouldRead) {
  const std::string text = reproductions_markdown(of({traffic()}));
  EXPECT_THAT(text, HasSubstr("mirab reproduce pf-mine --quick --seed 7 --format markdown"));
  EXPECT_THAT(
      text, HasSubstr("| [`pf-mine`](#pf-mine) | Two classes | Bonald and Roberts, figure 9 | differs |\n"));
  EXPECT_THAT(text, HasSubstr("byte for byte, except for the seconds that\n`psdsf-time` measures.\n"));
  EXPECT_THAT(text, HasSubstr("\n## pf-mine\n"));
  EXPECT_THAT(text, HasSubstr("| drf \\<is> fair | yes | no | – | no |\n"));
  EXPECT_THAT(text, HasSubstr("- drf \\<is> fair: a\\|b\n"));
}

TEST(ReproductionsMarkdown, LinksAHeadingWithAPointAsMarkdownDoes) {
  ReproducedExperiment pointed = traffic();
  pointed.result.id = "hamzeh-4.2";
  EXPECT_THAT(reproductions_markdown(of({pointed})), HasSubstr("[`hamzeh-4.2`](#hamzeh-42)"));
}

TEST(ReproductionsMarkdown, LinksThePicturesOfItsFigures) {
  const std::vector<Picture> pictures = reproduction_pictures(of({traffic()}));
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].file, "pf-mine.svg");
  EXPECT_THAT(pictures[0].svg, HasSubstr("<title>Service rates</title>"));
  EXPECT_THAT(reproductions_markdown(of({traffic()}), "images/"),
              HasSubstr("--seed 7 --format markdown --images images`"));
  EXPECT_THAT(reproductions_markdown(of({traffic()}), "images/"),
              HasSubstr("![Service rates](images/pf-mine.svg)"));
  ReproducedExperiment two = traffic();
  two.result.figures.push_back(two.result.figures.front());
  EXPECT_EQ(reproduction_pictures(of({two}))[1].file, "pf-mine-2.svg");
  EXPECT_THAT(reproductions_markdown(of({two}), "images/"), HasSubstr("(images/pf-mine-2.svg)"));
}

TEST(ReproductionsMarkdown, FoldsManyFindingsAndShowsThoseThatDoNotHold) {
  ReproducedExperiment many = traffic();
  many.result.findings.insert(many.result.findings.begin(), 50, many.result.findings.front());
  const std::string text = reproductions_markdown(of({many}));
  const std::size_t fold = text.find("<details><summary>all 52 findings</summary>");
  ASSERT_NE(fold, std::string::npos);
  EXPECT_LT(text.find("drf \\<is> fair"), fold);
  EXPECT_GT(text.find("γ2 of pf at load 0.6"), fold);
}

TEST(ReproductionsPage, HoldsTheDataItsKindTitleAndCommand) {
  const std::string page =
      reproductions_html("<p>__MIRAB_DATA__</p>", of({traffic()}), "", {"mirab reproduce pf-mine"});
  const auto json = nlohmann::json::parse(page.substr(3, page.size() - 7));
  EXPECT_EQ(json["kind"], "reproduce");
  EXPECT_EQ(json["title"], "The papers, reproduced");
  EXPECT_EQ(json["command"], "mirab reproduce pf-mine");
  EXPECT_EQ(json["results"][0]["checks"][1]["what"], "drf <is> fair");
  EXPECT_THAT(page, Not(HasSubstr("<is>")));
}

TEST(ExperimentsList, IsATableJsonCsvAndMarkdown) {
  const std::vector<experiments::Experiment> list{traffic().experiment};
  EXPECT_THAT(experiments_table(list, 100),
              HasSubstr("pf-mine     Bonald and Roberts, figure 9  Two classes    stand-in\n"));
  EXPECT_EQ(experiments_json(list)["experiments"][0]["paper"], "Bonald and Roberts, figure 9");
  EXPECT_THAT(experiments_csv(list),
              HasSubstr("pf-mine,\"Bonald and Roberts, figure 9\",Two classes,stand-in: x\n"));
  EXPECT_THAT(experiments_markdown(list),
              HasSubstr("| pf-mine | Bonald and Roberts, figure 9 | Two classes | stand-in: x |\n"));
}

}  // namespace
}  // namespace mirab::report
