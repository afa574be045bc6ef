#include <gtest/gtest.h>
#include <string>

#include "report/outcome/comparison.hpp"
#include "report/sample.hpp"
#include "report/text/format.hpp"

namespace mirab::report {
namespace {

TEST(Csv, QuotesFieldsWithCommasQuotesAndLineBreaksAndNoOthers) {  // RFC 4180, section 2, rules 5 to 7
  EXPECT_EQ(csv_record({"plain", "a,b", "say \"so\"", "two\nlines", ""}),
            "plain,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\n");
}

// A name that a spreadsheet would run as a formula; numbers, which begin so too, are left alone.
TEST(Csv, PutsAnApostropheBeforeWhatWouldBeAFormula) {
  EXPECT_EQ(csv_record({"=1+1", "+a", "-b", "@c", "\t=1", "=\"x\""}),
            "'=1+1,'+a,'-b,'@c,'\t=1,\"'=\"\"x\"\"\"\n");
  EXPECT_EQ(csv_record({"-0.5", "+3", "-inf", "a=b", "-1e-9"}), "-0.5,+3,-inf,a=b,-1e-9\n");
}

TEST(Csv, KeepsAnEmptyFirstField) { EXPECT_EQ(csv_record({"", "x"}), ",x\n"); }

TEST(Csv, NumbersReadBackAsTheSameDouble) {
  for (const double value : {1.0 / 3, 0.1, 1e-300, 123456789012345678.0, 2.0}) {
    EXPECT_EQ(std::stod(csv_number(value)), value) << csv_number(value);
  }
}

TEST(Csv, HasOneRecordForEachOutcomeAndUser) {
  EXPECT_EQ(comparison_csv(test::comparison({test::outcome("drf", 3, 2), test::outcome("half", 1.5, 1)})),
            "outcome,user,tasks,dominant_resource,dominant_share,asked,satisfied,cpu,memory\n"
            "drf,A,3,memory,0.6666666666666666,,false,3,12\n"
            "drf,B,2,cpu,0.6666666666666666,,false,6,2\n"
            "half,A,1.5,memory,0.3333333333333333,,false,1.5,6\n"
            "half,B,1,cpu,0.3333333333333333,,false,3,1\n");
}

}  // namespace
}  // namespace mirab::report
