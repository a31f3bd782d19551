//! One default file compiled in, a file and the environment on top, validated once.
