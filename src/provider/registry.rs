//! The configured accounts, by name.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use super::Adapter;
use crate::domain::profile::Rail;
use crate::domain::reference::ProviderAccount;

/// The adapters of all configured accounts. Clones share them.
#[derive(Clone, Default)]
pub struct Registry {
    adapters: Arc<BTreeMap<ProviderAccount, Arc<dyn Adapter>>>,
}

/// Two adapters claim one account.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("provider account {0} is configured twice")]
pub struct AccountTwice(pub ProviderAccount);

impl Registry {
    /// Takes each adapter under the name of its account.
    ///
    /// # Errors
    ///
    /// Two adapters have the same account name.
    pub fn new(adapters: impl IntoIterator<Item = Arc<dyn Adapter>>) -> Result<Self, AccountTwice> {
        let mut by_name = BTreeMap::new();
        for adapter in adapters {
            match by_name.entry(adapter.rail().account.clone()) {
                Entry::Vacant(place) => place.insert(adapter),
                Entry::Occupied(taken) => return Err(AccountTwice(taken.key().clone())),
            };
        }
        Ok(Self {
            adapters: Arc::new(by_name),
        })
    }

    /// The adapter of that account, if it is configured.
    pub fn adapter(&self, account: &ProviderAccount) -> Option<Arc<dyn Adapter>> {
        self.adapters.get(account).cloned()
    }

    /// What the engine needs to know of every account, in order of name.
    pub fn rails(&self) -> impl Iterator<Item = &Rail> {
        self.adapters.values().map(|adapter| adapter.rail())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.adapters.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::Outbound;
    use crate::provider::simulator::{SimulatorAdapter, SimulatorFacts};

    fn adapter(name: &str) -> Arc<dyn Adapter> {
        let outbound = Outbound::new(Duration::from_secs(1)).unwrap();
        let endpoint = "http://127.0.0.1:9".to_owned();
        let facts = SimulatorFacts::default();
        Arc::new(SimulatorAdapter::new(
            account(name),
            endpoint,
            facts,
            outbound,
        ))
    }

    fn account(name: &str) -> ProviderAccount {
        ProviderAccount::parse(name).unwrap()
    }

    #[test]
    fn accounts_are_found_by_name_and_only_once() {
        let registry = Registry::new([adapter("cards"), adapter("bank")]).unwrap();
        assert!(registry.adapter(&account("cards")).is_some());
        assert!(registry.adapter(&account("wallet")).is_none());
        let names: Vec<&str> = registry.rails().map(|it| it.account.as_str()).collect();
        assert_eq!(names, ["bank", "cards"]);
        let twice = Registry::new([adapter("cards"), adapter("cards")]);
        assert_eq!(twice.unwrap_err(), AccountTwice(account("cards")));
    }
}
