//! placeholder
#![allow(missing_docs, clippy::unimplemented, unused_variables)]
use crate::domain::{
    attempt::*, decide::Hint, evidence::*, operation::*, profile::Rail, provider_key::ProviderKey,
    reference::*,
};
use std::{sync::Arc, time::Duration};
#[derive(Debug)]
pub enum Sent {
    NotSent(String),
    Ambiguous(Hint, String),
    Answered(Evidence),
}
#[async_trait::async_trait]
pub trait Adapter: Send + Sync {
    fn rail(&self) -> &Rail;
    async fn send(
        &self,
        step: Step,
        request: &PreparedRequest,
        key: &ProviderKey,
        may_write: &(dyn Fn() -> bool + Sync),
        deadline: Duration,
    ) -> Sent;
    async fn look_up(&self, operation: &Operation, deadline: Duration) -> LookUp;
}
#[derive(Clone)]
pub struct Registry;
impl Registry {
    pub fn adapter(&self, account: &ProviderAccount) -> Option<Arc<dyn Adapter>> {
        None
    }
}
