//! payonce: at most one financial effect for one business operation, followed
//! by eventual knowledge of its result.
//!
//! This page is the map. Each module says in one line what it is for; the
//! table below says what it may import, and `tests/it/layering.rs` reads the
//! table out of this file and checks the code against it.
//!
//! | module    | may import                                                            |
//! |-----------|-----------------------------------------------------------------------|
//! | domain    |                                                                       |
//! | failpoint |                                                                       |
//! | clock     | domain                                                                |
//! | proto     |                                                                       |
//! | http      | domain, failpoint                                                     |
//! | telemetry | domain                                                                |
//! | config    | domain                                                                |
//! | store     | domain, clock, failpoint                                              |
//! | provider  | domain, http, telemetry                                               |
//! | engine    | domain, store, clock, telemetry, failpoint                            |
//! | worker    | domain, engine, provider, http, clock, telemetry, failpoint, store::claims |
//! | api       | domain, engine, clock, proto, telemetry                               |
//! | client    | proto, config, telemetry                                              |
//! | cli       | proto, config, telemetry, client, app, simulator, domain, http, clock |
//! | simulator |                                                                       |
//! | app       | *                                                                     |
//!
//! tonic lives in `api`, `client` and `app`; SeaORM in `store`; reqwest in
//! `http`; wall clocks in `clock`, and in `simulator`, which is another
//! computer with its own.

pub mod api;
pub mod app;
pub mod cli;
pub mod client;
pub mod clock;
pub mod config;
pub mod domain;
pub mod engine;
#[cfg(debug_assertions)]
pub mod failpoint;
pub mod http;
pub mod proto;
pub mod provider;
pub mod simulator;
pub mod store;
pub mod telemetry;
pub mod worker;
