//! Puts the parts together and spawns every loop; start and drain.
