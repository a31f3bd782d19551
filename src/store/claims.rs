//! placeholder
#![allow(missing_docs, clippy::unimplemented, unused_variables)]
use super::StoreError;
use crate::domain::{ids::*, operation::*, reference::*};
use std::time::Duration;
#[derive(Clone)]
pub struct Claims;
impl Claims {
    pub async fn claim_due(
        &self,
        owner: &str,
        lease: Duration,
        limit: u32,
    ) -> Result<Vec<Record>, StoreError> {
        unimplemented!()
    }
    pub async fn release(
        &self,
        tenant: &TenantId,
        id: OperationId,
        epoch: i64,
    ) -> Result<(), StoreError> {
        unimplemented!()
    }
}
