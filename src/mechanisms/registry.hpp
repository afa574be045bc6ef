#pragma once

#include <mirab/mechanisms/mechanism.hpp>

#include "numerics/base/solve_report.hpp"

namespace mirab {

// One function a mechanism, each in a file of its own; registry.cpp puts them into a table.
Mechanism max_min_row();
Mechanism drf_row();
Mechanism asset_row();
Mechanism pf_row();
Mechanism alpha_fair_row();
Mechanism drfh_row();
Mechanism tsf_row();
Mechanism cmmf_row();
Mechanism per_server_drf_row();
Mechanism ps_dsf_row();
Mechanism ps_dsf_tdm_row();
Mechanism alpha_pf_vds_row();
Mechanism baa_row();
Mechanism mlf_drs_row();
Mechanism ffmra_row();
Mechanism h_ffmra_row();
Mechanism hdrf_row();
Mechanism hdrfh_row();
Mechanism given_row();

/// Why a row cannot divide a problem.
Check check_accepts(const Mechanism& row, const Problem& problem);

/// More than one, entries counted as often as they say.
bool has_several_servers(const Problem& problem);

/// The first of those whom `servers` or `select` keep from some server, in words.
std::string constrained_users(const Problem& problem);

/// What the reader of a division of several servers as one pool should know.
std::string pool_warning(const Problem& problem);

/// The public status of what a solver reports: `when_converged` is `exact` for a solver that is exact but for
/// rounding, `converged` for one that ends at a tolerance.
Status status_of(const numerics::SolveReport& report, Status when_converged);

/// Whether e^l is 0 or a normal double.
bool has_normal_exp(double l);

/// Sources of the claims of several mechanisms.
inline constexpr std::string_view kSlidesTable = "slides, properties of DRF, Asset Fairness, CEEI";
inline constexpr std::string_view kTeams = "docs/explanation/teams.md";
inline constexpr std::string_view kRaviKiranTable = "Ravi Kiran and Srinuvas, Table 1";

/// What hdrf and hdrfh do, which no sum of users' shares says.
inline constexpr std::string_view kTreeObjective =
    "down the tree of groups, first for users whose guarantee ĝ is not used up, then for all: among the "
    "members v of a group the lowest share beyond the guarantee per weight, "
    "κ_v = max(0, max_r (u_{v,r} - ĝ_{v,r} / C_r)) / φ_v, then the next lowest, and so on (α = ∞); within "
    "every limit, and without what others reserve. u_{v,r}: the part of C_r that the users below v have";

/// What every mechanism over one pool accepts.
constexpr Accepts kPoolAccepts{
    .weights = true, .caps = true, .placement = false, .zero_demands = true, .demand_on = false};

/// What the mechanisms over servers accept, but for what each says otherwise.
constexpr Accepts kServersAccept{
    .weights = true, .caps = true, .placement = true, .zero_demands = true, .demand_on = true};

/// What the mechanisms that divide one server into bundles accept.
constexpr Accepts kBundlesAccept{.weights = true,
                                 .caps = false,
                                 .placement = false,
                                 .zero_demands = true,
                                 .demand_on = false,
                                 .several_servers = false};

/// The papers speak of users with endless demand.
constexpr Conditions kUncapped{.no_caps = true};
constexpr Conditions kUncappedPositive{.positive_demands = true, .no_caps = true};
constexpr Conditions kUncappedUnlimited{.no_caps = true, .no_limits = true, .no_reserves = true};
constexpr Conditions kUncappedSameDemand{.no_caps = true, .same_demand = true};
constexpr Conditions kUncappedAnywhere{.no_caps = true, .no_placement = true};
constexpr Conditions kUncappedPositiveAnywhere{
    .positive_demands = true, .no_caps = true, .no_placement = true};
constexpr Conditions kUncappedPositiveSameDemandAnywhere{
    .positive_demands = true, .no_caps = true, .no_placement = true, .same_demand = true};

/// Of trees.
constexpr Conditions kFlat{.no_caps = true, .no_groups = true};
constexpr Conditions kOneResource{.one_resource = true};
constexpr Conditions kTopGuarantees{.top_guarantees = true};
constexpr Conditions kTopGuaranteesUnreserved{.no_reserves = true, .top_guarantees = true};

}  // namespace mirab
