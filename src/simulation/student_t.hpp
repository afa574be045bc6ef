#pragma once

namespace mirab::simulation {

/// P(|T| ≤ t) of Student's t with `freedom` ≥ 1 degrees of freedom, for t ≥ 0. O(freedom).
double student_t_within(double t, int freedom);

/// The t with P(|T| ≤ t) = confidence: half the width of a two-sided interval, in standard errors.
/// `confidence` in (0, 1); to a relative 1e-12. O(freedom).
double student_t_quantile(double confidence, int freedom);

}  // namespace mirab::simulation
