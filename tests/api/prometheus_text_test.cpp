// Prometheus, Exposition formats, "Text-based format".
#include "api/prometheus_text.hpp"

#include <gtest/gtest.h>

namespace mirab::api {
namespace {

TEST(PrometheusText, AFamilyIsItsHelpItsTypeAndItsValues) {
  PrometheusText text;
  text.counter("binds_total", "Pods that were bound", 3);
  text.begin(PrometheusText::Kind::gauge, "share_ratio", "Of the cluster");
  text.add(0.1, {{"queue", "a"}});
  text.add(1e20, {{"queue", "b"}, {"resource", "cpu"}});
  EXPECT_EQ(text.take(),
            "# HELP binds_total Pods that were bound\n"
            "# TYPE binds_total counter\n"
            "binds_total 3\n"
            "# HELP share_ratio Of the cluster\n"
            "# TYPE share_ratio gauge\n"
            "share_ratio{queue=\"a\"} 0.1\n"
            "share_ratio{queue=\"b\",resource=\"cpu\"} 1e+20\n");
}

TEST(PrometheusText, QuotesBackslashesAndLineBreaksOfALabelAreEscaped) {
  PrometheusText text;
  text.begin(PrometheusText::Kind::gauge, "x", "y");
  text.add(1, {{"queue", "a\"b\\c\nd"}});
  EXPECT_TRUE(text.take().ends_with("\nx{queue=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

}  // namespace
}  // namespace mirab::api
