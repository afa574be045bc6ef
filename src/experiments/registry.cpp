// The table of all experiments, in the order of the papers: 002 (random traffic), 001 (PS-DSF), 003 (the
// slides), 004 (MLF-DRS and its family), 000 (Östman).
#include <vector>

#include "experiments/rows.hpp"

namespace mirab::experiments {

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> rows = {
      // Bonald and Roberts
      pf_fig1a_row(),
      pf_fig1b_row(),
      pf_fig2a_row(),
      pf_fig2b_row(),
      pf_fig3a_row(),
      pf_fig3b_row(),
      pf_fig4_row(),
      pf_fig5a_row(),
      pf_fig5b_row(),
      pf_fig6a_row(),
      pf_fig6b_row(),
      // PS-DSF and αPF-VDS
      psdsf_fig1_row(),
      psdsf_fig2_row(),
      psdsf_table1_row(),
      psdsf_bitbrains_row(),
      psdsf_time_row(),
      psdsf_google_row(),
      // the slides
      slides_table1_row(),
      slides_comparison_row(),
      slides_properties_row(),
      slides_two_servers_row(),
      // Hamzeh
      hamzeh_4_2_row(),
      hamzeh_4_3_row(),
      hamzeh_4_4_row(),
      hamzeh_4_7_row(),
      hamzeh_7_4_row(),
      hamzeh_4_11_row(),
      hamzeh_mlf_row(),
      hamzeh_queue_row(),
      hamzeh_ffmra_row(),
      hamzeh_hffmra_row(),
      hamzeh_mrfs_row(),
      hamzeh_minikube_row(),
      // Östman
      ostman_table_3_1_row(),
      ostman_fig_3_1_row(),
      ostman_fig_3_2_row(),
      ostman_5_1_row(),
      ostman_5_4_row(),
      ostman_fig_5_6_row(),
      ostman_fig_5_7_row(),
      ostman_5_8_row(),
      ostman_5_9_row(),
      ostman_5_11_row(),
      ostman_5_12_row(),
      ostman_push_sum_row(),
      ostman_gradient_row(),
      ostman_beyond_ending_row(),
      ostman_beyond_churn_row(),
      ostman_beyond_pause_row(),
      ostman_beyond_fit_row(),
      ostman_beyond_level_row(),
  };
  return rows;
}

}  // namespace mirab::experiments
