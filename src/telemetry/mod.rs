//! Traces and logs.
