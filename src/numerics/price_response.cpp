// The response of amounts to prices, x_n = min(cap_n, c_n (d_n·λ)^(-1/α)), its use and its slope.
//
// With λ_r C_r = ν_r^p the sum d_n·λ can be out of range for a large α, so the largest price is factored out:
//
//   d_n·λ = ν_top^p · y_n,   y_n = Σ_r d_{n,r}/C_r (ν_r/ν_top)^p,   x_n = c_n ν_top^(-p/α) y_n^(-1/α)
//
// One pass over the rows keeps all sums in registers: with up to four columns it is written out for that
// number of columns, two rows at a time. Where prices lie so far apart that the cheap ones would underflow,
// each row factors out the dearest price of its own resources instead, which is slower.
#include "numerics/price_response.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <vector>

namespace mirab::numerics {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

constexpr int kAnyNumber = 0;       // of columns, known at run time only
constexpr double kFarApart = -300;  // ln of a price over the largest one: e^-300 squared is still a double

// Prices over the largest one, and what that one contributes to every x_n.
struct Frame {
  ArrayXd price;  // λ_r / ν_top^p, [m]
  double scale;   // ν_top^(-p/α)
};

Frame frame_of(const PricedProblem& problem, const ArrayXd& root, double top) {
  const double power = price_power(problem.alpha);
  return {.price = (root / top).pow(power) / problem.capacity,
          .scale = std::pow(top, -power / problem.alpha)};
}

// In units of amounts and demands: capacities come in at the end.
struct Sums {
  explicit Sums(Index m) : use(Eigen::VectorXd::Zero(m)), slope(Eigen::MatrixXd::Zero(m, m)) {}
  Eigen::VectorXd use;    // Σ x_n d_n
  Eigen::MatrixXd slope;  // Σ_elastic x_n d_{n,r} d_{n,k} λ_k / (d_n·λ)
};

// Rows first … last - 1, a multiple of `Width` of them, that many at a time.
template <int Columns, int Width>
// NOLINTNEXTLINE(readability-non-const-parameter): amounts are written through an Eigen::Map
void add_rows(const PricedProblem& problem, const Frame& frame, Index first, Index last, double* amount,
              Sums& sums) {
  using Lane = Eigen::Array<double, Width, 1>;
  using Lanes = std::conditional_t<Columns == kAnyNumber, std::vector<Lane>,
                                   std::array<Lane, static_cast<std::size_t>(Columns * (Columns + 1) / 2)>>;
  const auto m = static_cast<std::size_t>(Columns == kAnyNumber ? problem.demand.cols() : Columns);
  Lanes d, use, curvature;  // curvature: Σ x_n/y_n d_n d_nᵀ, the lower triangle row by row
  if constexpr (Columns == kAnyNumber) {
    d.resize(m);
    use.resize(m);
    curvature.resize(m * (m + 1) / 2);
  }
  std::fill(use.begin(), use.end(), Lane::Zero());
  std::fill(curvature.begin(), curvature.end(), Lane::Zero());
  const auto load = [](const double* from) { return Eigen::Map<const Lane>(from); };

  for (Index n = first; n < last; n += Width) {
    Lane y = Lane::Zero();
    for (std::size_t r = 0; r < m; ++r) {
      d[r] = load(problem.demand.col(static_cast<Index>(r)).data() + n);
      y += d[r] * frame.price[static_cast<Index>(r)];
    }
    const Lane inverse = y.inverse();
    Lane x = frame.scale * inverse;
    if (problem.alpha != 1) x = frame.scale * (y.log() * (-1 / problem.alpha)).exp();
    if (problem.coefficient.size() > 0) x *= load(problem.coefficient.data() + n);
    Lane pull = x * inverse;
    if (problem.cap.size() > 0) {
      const Lane cap = load(problem.cap.data() + n);
      pull = (x < cap).select(pull, 0);
      x = (x < cap).select(x, cap);
    }
    Eigen::Map<Lane>{amount + n} = x;
    for (std::size_t r = 0, entry = 0; r < m; ++r) {
      use[r] += d[r] * x;
      const Lane pulled = d[r] * pull;
      for (std::size_t k = 0; k <= r; ++k) curvature[entry++] += pulled * d[k];
    }
  }
  std::size_t entry = 0;
  for (Index r = 0; r < sums.use.size(); ++r) {
    sums.use[r] += use[static_cast<std::size_t>(r)].sum();
    for (Index k = 0; k <= r; ++k, ++entry) {
      const double sum = curvature[entry].sum();
      sums.slope(r, k) += sum * frame.price[k];
      if (k < r) sums.slope(k, r) += sum * frame.price[r];
    }
  }
}

template <int Columns>
void add_all_rows(const PricedProblem& problem, const Frame& frame, double* amount, Sums& sums) {
  const Index rows = problem.demand.rows();
  const Index pairs = rows - rows % 2;
  add_rows<Columns, 2>(problem, frame, 0, pairs, amount, sums);
  add_rows<Columns, 1>(problem, frame, pairs, rows, amount, sums);
}

// The same, with the dearest price of each row's own resources factored out.
void add_rows_apart(const PricedProblem& problem, const ArrayXd& root, double* amount, Sums& sums) {
  std::vector<Frame> frames;
  for (const double price : root) frames.push_back(frame_of(problem, root.min(price), price));
  for (Index n = 0; n < problem.demand.rows(); ++n) {
    const ArrayXd d = problem.demand.row(n).transpose();
    Index top = 0;
    (d > 0).select(root, 0).maxCoeff(&top);
    const Frame& frame = frames[static_cast<std::size_t>(top)];
    const ArrayXd part = (d > 0).select(d * frame.price, 0);
    double x = frame.scale * std::pow(part.sum(), -1 / problem.alpha);
    if (problem.coefficient.size() > 0) x *= problem.coefficient[n];
    const bool elastic = problem.cap.size() == 0 || x < problem.cap[n];
    amount[n] = elastic ? x : problem.cap[n];
    sums.use += amount[n] * d.matrix();
    if (elastic) sums.slope += (x / part.sum() * d).matrix() * part.matrix().transpose();
  }
}

}  // namespace

double price_power(double alpha) { return std::max(1.0, alpha); }

PriceResponse respond(const PricedProblem& problem, const ArrayXd& price_root, Eigen::Ref<ArrayXd> amount) {
  const double power = price_power(problem.alpha);
  const double top = price_root.maxCoeff();
  const Frame frame = frame_of(problem, price_root, top);
  Sums sums(problem.demand.cols());
  if ((price_root < top * std::exp(kFarApart / power)).any() && power > 1) {
    add_rows_apart(problem, price_root, amount.data(), sums);
  } else {
    switch (problem.demand.cols()) {
      case 1:
        add_all_rows<1>(problem, frame, amount.data(), sums);
        break;
      case 2:
        add_all_rows<2>(problem, frame, amount.data(), sums);
        break;
      case 3:
        add_all_rows<3>(problem, frame, amount.data(), sums);
        break;
      case 4:
        add_all_rows<4>(problem, frame, amount.data(), sums);
        break;
      default:
        add_all_rows<kAnyNumber>(problem, frame, amount.data(), sums);
    }
  }
  const auto per_capacity = problem.capacity.inverse().matrix().asDiagonal();
  return {.use = per_capacity * sums.use,
          .elastic_use = per_capacity * sums.slope.rowwise().sum(),
          .slope = power / problem.alpha * (per_capacity * sums.slope)};
}

}  // namespace mirab::numerics
