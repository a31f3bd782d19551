//! From configured accounts to adapters.

use std::sync::Arc;
use std::time::Duration;

use crate::config::{self, Config, ProviderKind, ProviderProfile};
use crate::domain::money::Currency;
use crate::domain::reference::ProviderAccount;
use crate::http::Outbound;
use crate::provider::simulator::{SimulatorAdapter, SimulatorFacts, SimulatorProfile};
use crate::provider::{Adapter, Registry};
use crate::store::Store;

use super::StartError;

/// An adapter for every configured account; all share one HTTP client.
pub(super) fn registry(config: &Config) -> Result<Registry, StartError> {
    let connect_timeout = Duration::from_millis(config.timing.connect_timeout_ms);
    let outbound = Outbound::new(connect_timeout)?;
    let mut adapters = Vec::with_capacity(config.providers.len());
    for account in &config.providers {
        adapters.push(adapter(account, &outbound)?);
    }
    Ok(Registry::new(adapters)?)
}

fn adapter(
    account: &config::ProviderAccount,
    outbound: &Outbound,
) -> Result<Arc<dyn Adapter>, StartError> {
    let name = name("providers", &account.name)?;
    match account.kind {
        ProviderKind::Simulator => Ok(Arc::new(SimulatorAdapter::new(
            name,
            account.url.clone(),
            simulator_facts(account),
            outbound.clone(),
        ))),
    }
}

/// A configured account name as the domain knows it.
pub(super) fn name(key: &'static str, text: &str) -> Result<ProviderAccount, StartError> {
    ProviderAccount::parse(text).map_err(|broken| StartError::Setting {
        key,
        rule: broken.to_string(),
    })
}

fn simulator_facts(account: &config::ProviderAccount) -> SimulatorFacts {
    let facts = &account.facts;
    let known = |codes: &Vec<String>| codes.iter().filter_map(|it| Currency::parse(it)).collect();
    SimulatorFacts {
        profile: match facts.profile {
            ProviderProfile::StripeLike => SimulatorProfile::StripeLike,
            ProviderProfile::LatestStatus => SimulatorProfile::LatestStatus,
            ProviderProfile::NoIdempotency => SimulatorProfile::NoIdempotency,
            ProviderProfile::ReportOnly => SimulatorProfile::ReportOnly,
        },
        key_life: facts.key_life_s.map(Duration::from_secs),
        in_flight_bound: facts.in_flight_bound_ms.map(Duration::from_millis),
        visibility_lag: facts.visibility_lag_ms.map(Duration::from_millis),
        currencies: account.currencies.as_ref().map(known),
    }
}

/// Refuses to start without an account that unresolved operations went to.
pub(super) async fn require_all_unresolved(
    store: &Store,
    registry: &Registry,
) -> Result<(), StartError> {
    let needed = store.accounts_with_unresolved().await?;
    let missing = needed.into_iter().find(|it| registry.adapter(it).is_none());
    missing.map_or(Ok(()), |account| Err(StartError::AccountMissing(account)))
}
