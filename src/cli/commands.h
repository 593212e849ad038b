// SPDX-License-Identifier: MIT
// The subcommands of umbra: one function each, in a file of its own.
#pragma once

namespace CLI {
class App;
}

namespace umbra::cli {

// Each adds its subcommand to `app`. When that is chosen, it runs during parsing and stores the
// exit status in `exit_code`, which must outlive the parsing.

void add_attach_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);
void add_demo_command(CLI::App& app, int& exit_code);
void add_diff_command(CLI::App& app, int& exit_code);
void add_env_command(CLI::App& app, int& exit_code);
void add_export_command(CLI::App& app, int& exit_code);
void add_info_command(CLI::App& app, int& exit_code);
void add_man_command(CLI::App& app, int& exit_code);
void add_ps_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_run_command(CLI::App& app, int& exit_code);
void add_start_command(CLI::App& app, int& exit_code);
void add_stop_command(CLI::App& app, int& exit_code);
void add_detach_command(CLI::App& app, int& exit_code);
void add_top_command(CLI::App& app, int& exit_code);
void add_view_command(CLI::App& app, int& exit_code);

}  // namespace umbra::cli
