// Push-sum: Kempe, Dobra and Gehrke, "Gossip-based computation of aggregate information", 2003, section 2;
// Östman, Algorithm 2. Epochs and who takes part in them: Jelasity, Montresor and Babaoglu, "Gossip-based
// aggregation in large dynamic networks", 2005, section 4.
//
//   (s_i, w_i) begins as (x_i, 1); every round it is halved, one half stays, the other goes to a random peer,
//   and what comes is added. s_i / w_i tends to (Σ x_i) / K: the error is ε after O(log K + log 1/ε) rounds.
//
// Epochs are numbered. The first server through its rounds begins the next one; its shares pull the others
// along within O(log K) rounds, so nobody needs a clock.
//
// Cost: O(means) a round and a share.
// Known failures: an epoch shorter than O(log K) rounds ends before the estimates agree; a share that is lost
// or doubled shifts the estimate of this epoch by O(1/K) of the differences of the x_i.

#include "overlay/push_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <mirab/model/assert.hpp>

namespace mirab::overlay {
namespace {

// No share is larger, so that no number of them that can come in an epoch adds up to infinity.
constexpr double kMostMass = 0x1p+512;

}  // namespace

PushSum::PushSum(std::vector<double> own, std::uint32_t rounds)
    : rounds_(rounds), own_(std::move(own)), sums_(own_) {
  MIRAB_ASSERT(rounds > 0, "an epoch has rounds");
}

void PushSum::round(std::optional<NodeId> peer, Effects& effects) {
  if (done_ >= rounds_) {
    end_epoch();
    begin(epoch_ + 1);
  }
  ++done_;
  if (!peer) return;
  weight_ /= 2;
  for (double& sum : sums_) sum /= 2;
  effects.sends.push_back({*peer, PushSumShare{.epoch = epoch_, .weight = weight_, .sums = sums_}});
}

void PushSum::on_share(const PushSumShare& share) {
  const bool possible = share.sums.size() == own_.size() && share.weight > 0 && share.weight <= kMostMass &&
                        std::ranges::all_of(share.sums, [](double s) { return std::abs(s) <= kMostMass; });
  if (!possible || share.epoch < epoch_) return;
  if (share.epoch > epoch_) arrive(share.epoch);
  weight_ += share.weight;
  for (std::size_t r = 0; r < sums_.size(); ++r) sums_[r] += share.sums[r];
}

std::optional<std::vector<double>> PushSum::present() const {
  if (!(weight_ > 0)) return std::nullopt;
  std::vector<double> means = sums_;
  for (double& mean : means) mean /= weight_;
  return means;
}

void PushSum::end_epoch() {
  if (std::optional<std::vector<double>> means = present()) estimate_ = *std::move(means);
}

void PushSum::begin(std::uint64_t epoch) {
  epoch_ = epoch;
  done_ = 0;
  guest_ = false;
  weight_ = 1;
  sums_ = own_;
}

// Others are in a later epoch. When it follows on the present one, it has only begun; else it may be nearly
// over, and x_i would come too late to mix.
void PushSum::arrive(std::uint64_t epoch) {
  const bool follows = epoch == epoch_ + 1 && (guest_ || came_early());
  if (came_early()) end_epoch();
  begin(epoch);
  if (follows) return;
  guest_ = true;
  weight_ = 0;
  for (double& sum : sums_) sum = 0;
}

}  // namespace mirab::overlay
