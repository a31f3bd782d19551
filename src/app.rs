//! Puts the parts together and spawns every loop; start and drain.
//!
//! Guarantees:
//! - nothing is served before the database has the right shape and belongs to
//!   this deployment, the clock was compared with it, and every account with
//!   unresolved operations is configured;
//! - whether rows were lost is known before the first attempt is opened;
//! - without a configured provider the simulator runs inside, and that is said
//!   loudly: no real money moves;
//! - a drain takes no new work, lets calls in flight end, ends within its
//!   bound, and closes the store last. What is not done by then is durable and
//!   belongs to the next owner of its lease.
//!
//! ```text
//!            api ──▶ engine ──▶ store ──▶ database
//!                      │  ▲       │
//!             attempts ▼  │       ▼ claims
//!                    worker pool ──▶ adapters ──▶ providers
//! ```

mod accounts;
mod database_time;
mod error;
mod inner_simulator;
mod owner;
pub mod recovery;
mod settings;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::api;
use crate::clock::Clock;
use crate::config::Config;
use crate::domain::recovery::Standing;
use crate::engine::Engine;
use crate::provider::Registry;
use crate::simulator::Simulator;
use crate::store::{Hold, Store};
use crate::worker::Pool;

use database_time::{Sampler, Sampling};
use recovery::Watch;

pub use error::StartError;
pub use inner_simulator::profile as simulator_profile;

/// What `serve` does before it opens the database.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Migrate {
    /// Brings the database to the shape of this version.
    Pending,
    /// Leaves it as it is; a database of another shape is refused.
    Never,
}

/// A running payonce.
pub struct Service {
    grpc_addr: SocketAddr,
    server: JoinHandle<()>,
    stop: CancellationToken,
    pool: Pool,
    sampling: Sampling,
    simulator: Option<Simulator>,
    store: Store,
    /// Let go last.
    _hold: Hold,
    drain: Duration,
}

impl Service {
    /// Starts everything; returns once calls are answered.
    ///
    /// # Errors
    ///
    /// See [`StartError`]. What was started before the error is stopped.
    pub async fn start(config: Config, migrate: Migrate) -> Result<Self, StartError> {
        #[cfg(debug_assertions)]
        settings::arm_failpoint(&config.debug)?;
        let simulator = inner_simulator::start_if_needed(&config).await?;
        let config = inner_simulator::use_if_running(config, simulator.as_ref());
        let (store, hold) = open(&config, migrate).await?;
        let started = Self::over(store.clone(), hold, simulator, &config).await;
        if started.is_err() {
            store.close().await;
        }
        started
    }

    async fn over(
        store: Store,
        hold: Hold,
        simulator: Option<Simulator>,
        config: &Config,
    ) -> Result<Self, StartError> {
        let registry = accounts::registry(config)?;
        accounts::require_all_unresolved(&store, &registry).await?;
        let mut watch = Watch::over(&store, config).await?;
        let first = watch.beat().await?;
        let clock = database_time::first_sample(&store).await?;
        let bound = api::bind(settings::api(config)).await?;
        let grpc_addr = bound.local_addr();

        let every = Duration::from_millis(config.timing.clock_sample_ms);
        let (engine, pool) = work(&store, clock.clone(), &registry, first.standing(), config)?;
        let sampler = Sampler {
            clock,
            store: store.clone(),
            engine: engine.clone(),
            watch,
        };
        let sampling = Sampling::start(sampler, &first, every);
        let stop = CancellationToken::new();
        let serving = bound.serve(engine, stop.clone().cancelled_owned());
        let server = tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::error!(%error, "the gRPC server ended");
            }
        });
        tracing::info!(address = %grpc_addr, "the gRPC server is listening");
        Ok(Self {
            grpc_addr,
            server,
            stop,
            pool,
            sampling,
            simulator,
            store,
            _hold: hold,
            drain: Duration::from_millis(config.timing.drain_ms),
        })
    }

    /// The address the gRPC server listens on.
    pub fn grpc_addr(&self) -> SocketAddr {
        self.grpc_addr
    }

    /// The address of the simulator, where it runs inside.
    pub fn simulator_addr(&self) -> Option<SocketAddr> {
        self.simulator.as_ref().map(Simulator::local_addr)
    }

    /// Completes if the gRPC server ends without having been asked to.
    pub async fn ended(&mut self) {
        // Why it ended is in the log already; a panic ends it too.
        let _ = (&mut self.server).await;
    }

    /// Stops: health says NOT_SERVING, nothing new is accepted or claimed,
    /// calls in flight may end. Takes at most `timing.drain_ms`, and a second
    /// more where the simulator runs inside.
    pub async fn drain(mut self) {
        tracing::info!("stopping: calls in flight may end, the rest is left to the next owner");
        self.stop.cancel();
        let answers = async {
            let ended = tokio::time::timeout(self.drain, &mut self.server).await;
            if ended.is_err() {
                self.server.abort();
                tracing::warn!("some callers were cut off; their operations go on");
            }
        };
        tokio::join!(answers, self.pool.drain(self.drain));
        self.sampling.stop();
        if let Some(simulator) = self.simulator {
            simulator.stop().await;
        }
        self.store.close().await;
        tracing::info!("stopped");
    }
}

/// Brings the databases named in the configuration to the shape of this
/// version; repeats change nothing.
///
/// # Errors
///
/// The database cannot be reached, holds something else, or is a SQLite file
/// that another process works on.
pub async fn migrate(config: &Config) -> Result<(), StartError> {
    let mut hold = Store::hold(&config.database.urls)?;
    migrate_held(config, &mut hold).await
}

async fn migrate_held(config: &Config, hold: &mut Hold) -> Result<(), StartError> {
    let report = Store::migrate(&config.database.urls).await?;
    hold.remember()?;
    tracing::info!(?report, "the database has the shape of this version");
    Ok(())
}

/// Held before it is looked at: two that start together cannot both believe
/// that they are alone.
async fn open(config: &Config, migrate: Migrate) -> Result<(Store, Hold), StartError> {
    let mut hold = Store::hold(&config.database.urls)?;
    match migrate {
        Migrate::Pending => migrate_held(config, &mut hold).await?,
        Migrate::Never => {}
    }
    let store = Store::connect(settings::store(config)?).await?;
    hold.remember()?;
    Ok((store, hold))
}

/// The engine and the pool that works for it, already running.
fn work(
    store: &Store,
    clock: Clock,
    registry: &Registry,
    standing: Standing,
    config: &Config,
) -> Result<(Engine, Pool), StartError> {
    let owner = owner::name();
    let slots = Arc::new(Semaphore::new(config.worker.slots));
    let rails = registry.rails().cloned().collect();
    let options = settings::engine(config, owner.clone())?;
    let (engine, dispatches) =
        Engine::new(store.clone(), clock, options, rails, Arc::clone(&slots));
    engine.stand(standing);
    let pool = Pool::new(
        engine.clone(),
        registry.clone(),
        store.claims(),
        slots,
        settings::worker(config, owner),
    );
    pool.run(dispatches);
    Ok((engine, pool))
}
