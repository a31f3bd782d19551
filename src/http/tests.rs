//! Against raw TCP servers, which count what reaches them and close when they
//! like.

mod answers;
mod environment;
mod failures;
mod once;
mod server;
