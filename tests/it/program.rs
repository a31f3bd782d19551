//! The program as people and scripts run it: arguments, output, exit codes,
//! start and stop.

mod demo;
mod help;
mod operations;
mod process;
mod starting;
