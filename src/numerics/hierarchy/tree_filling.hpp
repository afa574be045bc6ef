#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "numerics/base/rows.hpp"
#include "numerics/base/solve_report.hpp"
#include "numerics/lexmaxmin/levels.hpp"

namespace mirab::numerics {

/// An inner node of a tree of rows. Amounts are parts of the capacity, each [m] or empty.
struct TreeNode {
  Eigen::Index parent = 0;        ///< of node 0, the root: itself; of the others a node before them
  double weight = 1;              ///< φ ≥ 0, among the members of the parent
  Eigen::ArrayXd guarantee = {};  ///< ĝ: what the node has first; at least what its members have of it
  Eigen::ArrayXd reserve = {};  ///< k̂ ≤ ĝ: what counts as used in any case; at least that of the members
  Eigen::ArrayXd limit = {};    ///< L ≥ ĝ: infinite where there is none
};

/// N rows as the leaves of a tree. A row with a guarantee, a reserve, a limit or the weight 0 of its own is
/// the only member of a node that has them.
struct RowTree {
  std::vector<TreeNode> nodes;        ///< G, the root first
  std::vector<Eigen::Index> node_of;  ///< of each row, [n]
  Eigen::ArrayXd weight;              ///< φ > 0 of the rows, [n]; empty when all are 1
  Eigen::ArrayXd cap;                 ///< [n] ≥ 0, infinite where there is none; empty when no row has one
};

/// Filling down a tree is exact but for rounding, as water-filling is.
inline constexpr Accuracy kTreeAccuracy{.target = 1e-12, .accepted = 1e-9};

/// Constants of TreeFilling.
struct TreeTuning {
  /// of a bound, or of what reaches it: nearer than this it is reached. Derived: some 500 roundings. Harmless
  /// from 1e-15 to 1e-11.
  double slip = 1e-13;
  /// of the largest: what grows or stands so little below counts with it. It saves steps only: what is left
  /// behind catches up at once. Harmless from 1e-15 to 1e-11.
  double alike = 1e-12;
  /// part of a sum of rows that is left when it is summed again. Derived: as WaterTuning. Harmless from 0.1
  /// to 0.9.
  double resum_below = 0.5;
  /// for each row, and for each node and resource; then Stop::limit. Measured: at most 3 for each. Harmless
  /// from 10.
  std::int64_t steps_each = 100;
  Accuracy accuracy = kTreeAccuracy;  ///< of the report only
};

/// Progressive filling down a tree: which rows grow at which rates, and how far until that changes. What one
/// step may be at most by capacities of servers is for the caller to find; the bound of the sum of all
/// servers is kept here.
///
///     TreeFilling filling(tree, demand, capacity);
///     while (filling.find_direction()) filling.advance(filling.longest_step());
///
/// is the filling of one pool. `demand` is [n][m], every row takes something; `capacity` is [m] > 0. Both,
/// and the tree, must outlive this. O(N m) to begin with, O(G m) a step, and O(N m) for each bound that stops
/// rows.
class TreeFilling {
 public:
  TreeFilling(const RowTree& tree, const Demands& demand, const Eigen::ArrayXd& capacity,
              const TreeTuning& tuning = {});

  /// Who grows, from here on. False when nobody can, or too many steps were taken.
  bool find_direction();

  /// Until a bound is met, a row has all that it wants, or the direction changes: > 0 but for rounding.
  double longest_step() const { return nodes_[0].next; }

  /// x += step · rates, step ≤ longest_step(): rows that a bound has met, or that have all that they want,
  /// are frozen.
  void advance(double step);

  /// These rows grow no more.
  void freeze(const std::vector<Eigen::Index>& rows);

  /// x of each row at κ = 1 if it rises all the way, [n].
  const Eigen::ArrayXd& rates_of_levels() const { return rate_of_row_; }

  /// To be called before what follows is asked of single rows: without caps and guarantees rows are not
  /// looked at before some of a node stop and others do not. O(N m).
  void look_at_rows();

  /// What each row gets by a step of 1, [n]. O(N + G).
  Eigen::ArrayXd rates() const;

  /// x, [n]. O(N).
  Eigen::ArrayXd amounts() const;

  /// Is all of the resource in use, on all servers together?
  bool is_used_up(Eigen::Index resource) const { return met_(0, resource); }

  bool is_frozen(Eigen::Index row) const { return is_stopped(place_[as_size(row)]); }

  /// By how much bounds are missed that stopped somebody, or passed, and the levels at which nodes stopped,
  /// as parts of what the nodes use: summed from the amounts, 0 when exact. `x` is amounts() or what was made
  /// of it. O(N m + G m).
  double residual(const Eigen::ArrayXd& x) const;

  std::int64_t steps() const { return steps_; }
  bool ran_out_of_steps() const { return steps_ > max_steps_; }

 private:
  using Table = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Flags = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  enum class State : std::uint8_t { rising, waiting, uncovered, frozen, capped };
  enum class Phase : std::uint8_t { covered, all };

  // A node as its parent sees it, and its rows, which are its members too: those that rise all stand at
  // row_level, those that wait at a higher level of their own.
  struct Node {
    double key = 0;               // κ
    bool active = false;          // somebody below may grow
    bool flat = false;            // its direction does not raise κ
    bool grows = false;           // with its parent
    double scale = 0;             // its own parameter for one of its parent's
    double slope = 0;             // of max e, by its own parameter
    double height = 0, rise = 0;  // ρ φ and the slope of it, while it is flat
    double next = kInfinity;      // event, by its own parameter
    double moved = 0;             // in the present step
    bool changed = true;          // so that its direction is to be found again
    bool is_new = false;          // its direction: it has not moved in it yet

    bool fills_flat = false;  // flat members grow, and others wait
    bool rows_grow = false;
    int rank = 0;            // of those who are next: 1 when only members without weight are left
    double next_key = 0;     // κ of those
    double next_height = 0;  // ρ of those that grow, while it fills flat ones
    double row_level = 0;
    Eigen::Index rising = 0, waiting = 0, open = 0;  // rows; open: not frozen
    std::vector<Eigen::Index> queue = {};            // of waiting rows, the next one last
    std::vector<Eigen::Index> by_cap = {};           // by the level of their caps
    std::size_t next_cap = 0;
  };

  template <int Resources>
  void collect_rates(Eigen::Index first, Eigen::Index last, const Eigen::ArrayXd& per_capacity);
  void collect_rates();
  void collect_caps();
  void change_all();
  void begin_phase(Phase phase);
  void line_up(Node& node, Eigen::Index v);
  void direct(Eigen::Index v);
  void choose_members(Node& node, Eigen::Index v);
  void scale_flat(Node& node, Eigen::Index v);
  int rank(const Node& member, Eigen::Index m) const;
  double weight(Eigen::Index v) const;
  double time_of_own_event(const Node& node, Eigen::Index v) const;
  double time_of_member(const Node& node, Eigen::Index v);
  void reach_bounds(Node& node, Eigen::Index v);
  void reach_members(Node& node, Eigen::Index v);
  bool covers(Eigen::Index v, Eigen::Index k) const;
  void uncover();
  void apply_walls();
  void release_queue(Node& node, Eigen::Index v);
  void skip_caps(Node& node);
  void rise(Node& node, Eigen::Index v, Eigen::Index k);
  void leave(Node& node, Eigen::Index v, Eigen::Index k, State state);
  void sum_rows(Eigen::Index v);
  bool is_stopped(Eigen::Index k) const { return state_[as_size(k)] >= State::frozen; }
  double cap_level(Eigen::Index k) const { return tree_.cap[row_at_[as_size(k)]] / rate_[k]; }

  const RowTree& tree_;
  Demands demand_;
  const Eigen::ArrayXd& capacity_;
  TreeTuning tuning_;
  Eigen::Index resources_;
  bool has_guarantees_ = false, has_reserves_ = false;
  Phase phase_ = Phase::covered;
  std::int64_t steps_ = 0, max_steps_ = 0;

  std::vector<Node> nodes_;
  std::vector<std::vector<Eigen::Index>> members_;  // nodes, of each node
  Eigen::ArrayXd rate_of_row_;                      // x for a level of 1, [n]

  // From look_at_rows() on: rows stand by node, k is the place of one.
  bool looks_at_rows_ = false;
  std::vector<Eigen::Index> place_;      // [n]
  std::vector<Eigen::Index> row_at_;     // [k]
  std::vector<Eigen::Index> first_row_;  // of each node, and the end
  Eigen::ArrayXd rate_;                  // the same, [k]
  Table growth_;                         // rate d / C, [k][r]
  Eigen::ArrayXd key_;                   // κ of rows that do not rise, [k]
  std::vector<State> state_;             // [k]

  Table guarantee_, reserve_, limit_;  // [v][r]
  Table used_, use_rate_;              // u, and its slope by the node's own parameter
  Table charge_, charge_rate_;         // Σ q of the members, or of rows their use
  Table row_sum_, row_sum_whole_;      // Σ rate b of the rows that rise; and when it was summed
  Eigen::Array<Eigen::Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> takers_;  // rising rows
  Flags on_top_;   // whether e is κ φ, of the resources that say how large κ is
  Flags below_;    // the guarantee
  Flags kept_;     // below the reserve: use is not charged above
  Flags met_;      // the limit; of the root the capacity
  Flags blocked_;  // whether a row there could not have more
  std::vector<bool> less_covered_;
  bool any_less_covered_ = false, any_wall_ = false;
};

/// Rows filled down a tree in one pool.
struct [[nodiscard]] TreeLevels {
  SolveReport report;     ///< error: TreeFilling::residual(); iterations: steps
  Eigen::ArrayXd amount;  ///< x, [n]
  Eigen::ArrayXd used;    ///< Σ_n x_n d_n, [m]
};

/// Amounts that rounding leaves above the capacity by more than is accepted are scaled down until they fit.
TreeLevels fill_tree(const RowTree& tree, const Demands& demand, const Eigen::ArrayXd& capacity,
                     const TreeTuning& tuning = {});

/// Rows filled down a tree over servers.
struct [[nodiscard]] TreeOverServers {
  SolveReport report;  ///< error: level_bound() or TreeFilling::residual(), the larger; iterations: pivots
  Eigen::ArrayXXd amount;                  ///< x, [n][i], within the capacities
  int programs = 0;                        ///< linear programs
  Eigen::ArrayXd unit;                     ///< what is typical for a row, [n] > 0
  std::vector<LevelRound<double>> rounds;  ///< of the steps that servers, or all of them together, ended
};

/// The same filling where every server has its own capacity; demands are equal on all of them. A step is as
/// long as the servers allow, placements may change: max δ under Σ_i x_{n,i} = x_n + δ rate_n, by the simplex
/// method of levels, which goes on from the vertex of the program before. Steps that the tree ends share
/// programs, some 2 log2 of their number between two steps that servers end. A row is frozen when the prices
/// of a step show that it can have no more while all others keep what they have. O(N K m) and the pivots of
/// level_simplex.hpp a program; O(N + K m) memory for each step that ends at a server.
TreeOverServers fill_tree_over_servers(const RowTree& tree, const ServerRows& rows);

}  // namespace mirab::numerics
