//! Generated code.
