// Clusters drawn from the Google trace as the thesis draws them (Östman, 5.1).
#include <algorithm>
#include <gtest/gtest.h>

#include "lab/experiments/experiment.hpp"
#include "lab/experiments/ostman/runs.hpp"

namespace mirab::experiments {
namespace {

// Is there a row of the table with these two amounts, behind its first `skip` columns?
bool in_table(const std::vector<std::vector<double>>& rows, std::size_t skip,
              const std::vector<Quantity>& amounts) {
  return std::ranges::any_of(rows, [&](const std::vector<double>& row) {
    return *Quantity::from(row[skip]) == amounts[0] && *Quantity::from(row[skip + 1]) == amounts[1];
  });
}

TEST(GoogleCluster, MachinesAreTheSameWhateverTheUsers) {
  const Problem few = google_cluster(30, 5, 7), many = google_cluster(30, 60, 7);
  ASSERT_EQ(few.servers().size(), 30U);
  ASSERT_EQ(many.servers().size(), 30U);
  for (std::size_t k = 0; k < 30; ++k) EXPECT_EQ(few.servers()[k].capacity, many.servers()[k].capacity) << k;
}

TEST(GoogleCluster, FirstUsersOfALargerNumberAreThoseOfASmaller) {
  const Problem few = google_cluster(10, 5, 7), many = google_cluster(20, 60, 7);
  ASSERT_EQ(many.users().size(), 60U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(few.users()[i].demand, many.users()[i].demand) << i;
}

TEST(GoogleCluster, AnotherSeedDrawsAnotherOne) {
  const Problem one = google_cluster(30, 5, 1), other = google_cluster(30, 5, 2);
  EXPECT_FALSE(std::ranges::equal(one.users(), other.users(), {}, &User::demand, &User::demand));
}

TEST(GoogleCluster, AmountsAreThoseOfTheTables) {
  const std::vector<std::vector<double>> machines = data_rows("google2011_machines.csv");
  const std::vector<std::vector<double>> requests = data_rows("google2011_users.csv.gz");
  const Problem cluster = google_cluster(40, 40, 3);
  for (const Server& server : cluster.servers()) EXPECT_TRUE(in_table(machines, 0, server.capacity));
  for (const User& user : cluster.users()) EXPECT_TRUE(in_table(requests, 1, user.demand));
}

}  // namespace
}  // namespace mirab::experiments
