#pragma once

#include "lab/experiments/experiment.hpp"

namespace mirab::experiments {

// One function an experiment, each in the file of its name; registry.cpp puts them into a table.
Experiment hamzeh_4_11_row();
Experiment hamzeh_4_2_row();
Experiment hamzeh_4_3_row();
Experiment hamzeh_4_4_row();
Experiment hamzeh_4_7_row();
Experiment hamzeh_7_4_row();
Experiment hamzeh_ffmra_row();
Experiment hamzeh_hffmra_row();
Experiment hamzeh_minikube_row();
Experiment hamzeh_mlf_row();
Experiment hamzeh_mrfs_row();
Experiment hamzeh_queue_row();
Experiment ostman_5_1_row();
Experiment ostman_5_11_row();
Experiment ostman_5_12_row();
Experiment ostman_5_4_row();
Experiment ostman_5_8_row();
Experiment ostman_5_9_row();
Experiment ostman_beyond_churn_row();
Experiment ostman_beyond_ending_row();
Experiment ostman_beyond_fit_row();
Experiment ostman_beyond_level_row();
Experiment ostman_beyond_pause_row();
Experiment ostman_fig_3_1_row();
Experiment ostman_fig_3_2_row();
Experiment ostman_fig_5_6_row();
Experiment ostman_fig_5_7_row();
Experiment ostman_gradient_row();
Experiment ostman_push_sum_row();
Experiment ostman_table_3_1_row();
Experiment pf_fig1a_row();
Experiment pf_fig1b_row();
Experiment pf_fig2a_row();
Experiment pf_fig2b_row();
Experiment pf_fig3a_row();
Experiment pf_fig3b_row();
Experiment pf_fig4_row();
Experiment pf_fig5a_row();
Experiment pf_fig5b_row();
Experiment pf_fig6a_row();
Experiment pf_fig6b_row();
Experiment psdsf_bitbrains_row();
Experiment psdsf_fig1_row();
Experiment psdsf_fig2_row();
Experiment psdsf_google_row();
Experiment psdsf_table1_row();
Experiment psdsf_time_row();
Experiment slides_comparison_row();
Experiment slides_properties_row();
Experiment slides_table1_row();
Experiment slides_two_servers_row();
Experiment teams_convergence_row();

}  // namespace mirab::experiments
