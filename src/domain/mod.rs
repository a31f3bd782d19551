//! Pure and synchronous: what an operation is and what may become of it.
