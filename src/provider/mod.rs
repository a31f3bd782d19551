//! The adapter trait and registry, classification; the simulator's client.
