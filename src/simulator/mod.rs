//! A payment processor to try and to test against; knows nothing of the rest.
