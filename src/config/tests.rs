//! Layers, shapes, rules, and that the reference names every key.

mod layers;
mod reference;
mod rules;
