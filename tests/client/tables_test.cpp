#include "client/tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mirab::client {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// service.md's example of an explanation.
const Json kNoRoom =
    Json::parse(R"({"revision":1900,"job":"ml/train-17","waiting":8,"running":0,"verdict":"no-room",
  "says":"all 8 tasks must start together; there is room for 5","next_step":"a gang of 5 or fewer, or more room",
  "ahead":{"queues":2,"tied":0,"own":0,"next":"vision"},"key":0.31,"with_weight":1.4,
  "servers":{"total":40,"with_room":5,"not_allowed":10,"too_small":3,"full":22,"lacking":{"gpu":20,"cpu":4}},
  "constraints":[{"wish":"zone","excludes":10,"alone":10}],"gang":{"together":8,"room":5},
  "nearest_miss":{"server":"n12","to_free":{"cpu":"0","gpu":"1"}}})");

TEST(Tables, AnExplanationBeginsWithTheVerdictAndTheOneStep) {
  EXPECT_EQ(why_text(kNoRoom), R"(no-room: all 8 tasks must start together; there is room for 5
next step: a gang of 5 or fewer, or more room

job                ml/train-17: 0 run, 8 wait
servers            40: 5 with room, 22 full, 3 too small, 10 excluded by its wishes
full servers lack  gpu on 20, cpu on 4
nearest            n12, with 1 gpu more
ahead              2 queues, next is vision
wish zone          excludes 10, 10 of them alone
gang               8 tasks together, room for 5
key of its queue   0.31; the lower comes first
next with weight   1.4
)");
}

TEST(Tables, AnExplanationOfNothingHasNoStep) {
  const Json over = Json::parse(
      R"({"job":"ml/a","verdict":"nothing-waits","says":"all its tasks run","waiting":0,"running":2})");
  EXPECT_EQ(why_text(over), "nothing-waits: all its tasks run\n\njob  ml/a: 2 run, 0 wait\n");
}

TEST(Tables, QueuesOfOthersShowDashesWhereTheServiceIsSilent) {
  const Json queues = Json::parse(R"([{"name":"ml","weight":"2","share":0.25,"running":2,"waiting":1,"jobs":2,
    "used":{"cpu":"4","gpu":"0"}},{"name":"vision","weight":"1","share":0.5}])");
  const Json mechanism =
      Json::parse(R"({"mechanism":"drfh","status":"exact","queues":[{"queue":"ml","fair_share":0.375}]})");
  EXPECT_EQ(queues_table(queues, mechanism, 100),
            R"(queue   weight    has  fair share  running  waiting  jobs  uses
────────────────────────────────────────────────────────────────
ml           2  25.0%       37.5%        2        1     2  4 cpu
vision       1  50.0%           –        –        –     –  –

has: the dominant share; fair share: by drfh (exact)
)");
}

TEST(Tables, QueuesInGroupsShowTheirGroup) {
  const Json queues =
      Json::parse(R"([{"name":"ml","group":"research","weight":"2"},{"name":"web","weight":"1"}])");
  const std::string text = queues_table(queues, Json(), 100);
  EXPECT_THAT(text, HasSubstr("queue  group     weight"));
  EXPECT_THAT(text, HasSubstr("ml     research       2"));
  EXPECT_THAT(text, HasSubstr("web    –              1"));
}

TEST(Tables, GroupsShowWhatTheyHaveAndArePromised) {
  const Json groups = Json::parse(R"([{"name":"research","weight":"2","share":0.5,"beyond":0.25,"running":4,
    "used":{"gpu":"4"},"guarantee":{"gpu":"2"},"lent":{"gpu":"0"}},
    {"name":"vision","parent":"research","weight":"1","share":0.5,"beyond":0.5,"running":4,"used":{"gpu":"4"},
    "lent":{"gpu":"0"}}])");
  EXPECT_EQ(groups_table(groups, 120),
            R"(group     in        weight    has  beyond  running  uses   guarantee  lent
─────────────────────────────────────────────────────────────────────────────
research  –              2  50.0%   25.0%        4  4 gpu  2 gpu      nothing
vision    research       1  50.0%   50.0%        4  4 gpu  –          nothing

has: the dominant share; beyond: that of what it uses beyond its guarantee
)");
}

TEST(Tables, WhereTheUseOfServersIsNotToldATableSaysWhy) {
  const Json servers = Json::parse(R"([{"name":"n1","state":"open","labels":{},"capacity":{"cpu":"4"}}])");
  const std::string text = servers_table(servers, 100);
  EXPECT_THAT(text, StartsWith("server  state  has"));
  EXPECT_THAT(text, HasSubstr("A token of a tenant does not see what is used of a server"));
}

TEST(Tables, AnExplanationTellsOfWeight0OfTasksThatEndedForOthersAndOfABudget) {
  const Json why =
      Json::parse(R"({"job":"ml/a","verdict":"budget","says":"no server has room","running":0,"waiting":1,
    "key":0,"last":"ml","over_budget":{"tasks":2,"left":1,"free_at":"2027-03-01T08:00:00Z"},
    "preempted":{"tasks":1,"for":"web/b","says":"t-3 ended on n1 for a task of web/b",
    "latest":{"task":"t-3","server":"n1","ended":"2027-03-01T07:00:00Z"}}})");
  const std::string text = why_text(why);
  EXPECT_THAT(text, HasSubstr("0; but ml has weight 0 and comes last beyond its guarantee"));
  EXPECT_THAT(text,
              HasSubstr("2 tasks would end; the budget has 1 left, and allows that at 2027-03-01T08:00:00Z"));
  EXPECT_THAT(text, HasSubstr("1 task, at 2027-03-01T07:00:00Z: t-3 ended on n1 for a task of web/b"));
}

TEST(Tables, AWhatIfThatABudgetStopsSaysSo) {
  const Json answer =
      Json::parse(R"({"settled":true,"over_budget":{"tasks":1,"free_at":"2027-03-01T08:00:00Z"}})");
  EXPECT_THAT(what_if_table(answer, 100),
              HasSubstr("more would run once the budget of preemption allows it, at 2027-03-01T08:00:00Z\n"));
}

TEST(Tables, WithoutAQueueSaysWhoMakesOne) {
  EXPECT_EQ(queues_table(Json::array(), Json(), 100),
            "no queue that this token may see; an administrator makes one with PUT /v1/queues/NAME\n");
}

TEST(Tables, AmountsHaveTheUnitsOfTheLivePage) {
  const Json server = Json::parse(R"({"name":"n1","state":"open","tasks":1,
    "used":{"cpu":"0.1234567","gpu":"0","memory":"1234567890"},"capacity":{"cpu":"12583","memory":"68719476736"}})");
  EXPECT_THAT(servers_table(Json::array({server}), 200),
              HasSubstr("0.1234567 cpu, 1.15Gi memory  12583 cpu, 64Gi memory"));
}

TEST(Tables, BytesThatAreNeededAreRoundedUpAsTheServiceRoundsThem) {
  Json why = kNoRoom;
  why["nearest_miss"]["to_free"] = {{"memory", "1623497637"}};
  EXPECT_THAT(why_text(why), HasSubstr("nearest            n12, with 1.52Gi memory more"));
}

TEST(Tables, AJobWithRolesIsShownRoleByRole) {
  const Json job =
      Json::parse(R"({"queue":"ml","name":"a","state":"running","tasks":5,"running":1,"waiting":4,
    "roles":[{"name":"launcher","tasks":1,"demand":{"cpu":"1","gpu":"0"},"waiting":0,"running":1},
             {"name":"worker","tasks":4,"demand":{"cpu":"2","gpu":"1"},"waiting":4,"running":0}]})");
  EXPECT_THAT(job_text(job), HasSubstr("role worker    4 tasks of 2 cpu, 1 gpu; 0 running, 4 waiting\n"));
  EXPECT_THAT(job_text(job), Not(HasSubstr("each task")));
  EXPECT_THAT(jobs_table(Json::array({job}), 200), HasSubstr("1 launcher: 1 cpu; 4 worker: 2 cpu, 1 gpu"));
}

TEST(Tables, AnExplanationOfAGangSaysWhichRolesFit) {
  Json why = kNoRoom;
  why["gang"]["roles"] =
      Json::parse(R"([{"role":"launcher","together":1,"room":1},{"role":"worker","together":7,"room":4}])");
  EXPECT_THAT(why_text(why), HasSubstr("8 tasks together, room for 5 (launcher 1 of 1, worker 4 of 7)\n"));
}

TEST(Tables, TasksSayHowTheyEnded) {
  const Json tasks = Json::parse(R"([{"task":"t-1","job":"ml/a","server":"n1","attempt":2,"state":"failed",
    "started":"2027-03-01T08:00:00.000Z","ended":"2027-03-01T08:00:01.000Z","exit_code":1,"reason":"disk\u001b[31m full"},
    {"task":"t-2","job":"ml/a","server":"n2","attempt":1,"state":"placed","started":"2027-03-01T08:00:00.000Z"}])");
  const std::string text = tasks_table(tasks, 200);
  EXPECT_THAT(text, HasSubstr("exit code"));
  EXPECT_THAT(text, HasSubstr("disk?[31m full\n"));
  EXPECT_THAT(text, Not(HasSubstr("role")));
  EXPECT_EQ(tasks_table(Json::array(), 80), "no such task\n");
  Json why = kNoRoom;
  why["failures"] = {{"tasks", 2}, {"latest", tasks[0]}};
  EXPECT_THAT(why_text(why), HasSubstr("2 tasks, the latest t-1 on n1: exit code 1, disk"));
}

TEST(Tables, WithoutAServerSaysSo) { EXPECT_EQ(servers_table(Json::array(), 100), "no servers\n"); }

TEST(Tables, ServersThatAreSilentAreCountedApartFromThoseThatAreDrained) {
  Json why = kNoRoom;
  why["servers"] = {{"total", 5}, {"full", 1}, {"drained", 1}, {"silent", 3}};
  EXPECT_THAT(why_text(why), HasSubstr("  5: 1 full, 1 drained, 3 silent\n"));
}

TEST(Tables, TheWishesOfAPodStandBelowTheReason) {
  const Json why = Json::parse(R"({"job":"ml/gpu-0","server":"n3","reason":"not-allowed",
    "says":"the node has the taint dedicated=gpu:NoSchedule, which the pod does not tolerate",
    "wishes":"tolerates no taints"})");
  EXPECT_EQ(
      why_not_on_text(why),
      "not-allowed: the node has the taint dedicated=gpu:NoSchedule, which the pod does not tolerate\n\n"
      "job     ml/gpu-0\nserver  n3\nwishes  tolerates no taints\n");
}

TEST(Tables, ServersShowWhatTheyHaveAndHold) {
  const Json servers =
      Json::parse(R"([{"name":"n1","state":"open","silent":true,"tasks":3,"used":{"cpu":"6","gpu":"0"},
    "capacity":{"cpu":"8","gpu":"2"},"labels":{"zone":"a"}},{"name":"n2","state":"drained","capacity":{"cpu":"8"}}])");
  const std::string text = servers_table(servers, 200);
  EXPECT_THAT(text, HasSubstr("n1      open, silent      3  6 cpu  8 cpu, 2 gpu  zone=a\n"));
  EXPECT_THAT(text, HasSubstr("n2      drained           –  –      8 cpu         –\n"));
  EXPECT_THAT(server_text(servers[0]), HasSubstr("open, silent"));
}

TEST(Tables, AWhatIfShowsBeforeAndAfter) {
  const Json answer = Json::parse(R"({"settled":true,"steps":7,"queues":[{"queue":"ml","running":[40,47],
    "dominant_share":[0.31,0.36]},{"queue":"vision","dominant_share":[0.5,0.5]}],
    "jobs":[{"job":"ml/train-17","running":[0,8]}],"invariant":"ok"})");
  const std::string text = what_if_table(answer, 100);
  EXPECT_THAT(text, HasSubstr("ml           40    47           31.0%  36.0%\n"));
  EXPECT_THAT(text, HasSubstr("vision        –     –           50.0%  50.0%\n"));
  EXPECT_THAT(text, HasSubstr("ml/train-17        0     8\n"));
  EXPECT_THAT(text, Not(HasSubstr("cut off")));
}

TEST(Tables, AnEventIsALineWithoutControlCharacters) {
  const Json change = Json::parse(R"({"revision":1843,"at":"2027-03-01T08:00:00.123Z"})");
  const Json placed = Json::parse(
      R"({"kind":"task-placed","task":"t-77","job":"ml/train\u001b[31m","queue":"ml","server":"n12"})");
  EXPECT_EQ(event_line(change, placed),
            "2027-03-01T08:00:00.123Z      1843  task-placed      ml/train?[31m  t-77 on n12\n");
  const Json drained = Json::parse(R"({"kind":"server-drained","server":"n3"})");
  EXPECT_THAT(event_line(change, drained), HasSubstr("server-drained   n3\n"));
}

// What a service sends that is none of ours must not end the program.
TEST(Tables, AnswersOfAnotherFormAreShownAsFarAsTheyGo) {
  const Json odd =
      Json::parse(R"({"servers":7,"ahead":[],"gang":"x","constraints":[1],"queues":3,"jobs":{}})");
  EXPECT_THAT(why_text(odd), StartsWith(": \n"));
  EXPECT_THAT(what_if_table(odd, 80), HasSubstr("cut off"));
  EXPECT_THAT(jobs_table(Json::parse("[1, {}]"), 80), HasSubstr("–"));
  EXPECT_THAT(job_line(Json(3)), StartsWith("–/–: –"));
  EXPECT_THAT(why_not_on_text(odd) + why_placed_text(odd) + job_text(odd), HasSubstr("server"));
  EXPECT_THAT(
      tasks_table(Json::parse("[1, {}]"), 80) + servers_table(Json::parse("[1, {}]"), 80) + server_text(odd),
      HasSubstr("–"));
}

}  // namespace
}  // namespace mirab::client
