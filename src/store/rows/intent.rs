//! The columns of `operations` that never change.

use sea_orm::ActiveValue::Set;

use super::{Reader, json};
use crate::domain::digest::Fingerprint;
use crate::domain::ids::{OperationId, ProviderPaymentId};
use crate::domain::kind::Kind;
use crate::domain::money::Money;
use crate::domain::operation::Intent;
use crate::domain::provider_key::ProviderKey;
use crate::domain::reference::{
    AgentRef, CustomerRef, Label, OrderId, Payee, ProviderAccount, Purpose, TenantId,
};
use crate::domain::request::{CompensationReason, PaymentMethod};
use crate::store::StoreError;
use crate::store::entities::operations::{ActiveModel, Model};

fn text<T: Clone + Into<String>>(name: &Option<T>) -> Option<String> {
    name.clone().map(Into::into)
}

/// Sets the columns of an intent.
pub(super) fn put(intent: &Intent, row: &mut ActiveModel) {
    row.tenant = Set(intent.tenant.as_str().to_owned());
    row.kind = Set(intent.kind.name().to_owned());
    row.order_id = Set(intent.order_id.as_str().to_owned());
    row.purpose = Set(intent.purpose.as_str().to_owned());
    row.generation = Set(intent.generation);
    row.parent = Set(intent.parent.map(|id| id.0));
    row.label = Set(text(&intent.label));
    row.reason = Set(intent.reason.map(|reason| reason.name().to_owned()));
    row.target = Set(intent.target.as_ref().map(|id| id.as_str().to_owned()));
    row.supersedes = Set(intent.supersedes.map(|id| id.0));
    row.amount = Set(intent.amount.minor_units);
    row.currency = Set(intent.amount.currency.code().to_owned());
    let method = intent.payment_method.as_ref();
    row.payment_method = Set(method.map(|method| method.as_str().to_owned()));
    row.payee = Set(text(&intent.payee));
    row.customer_ref = Set(text(&intent.customer_ref));
    row.agent = Set(text(&intent.agent));
    row.description = Set(intent.description.clone());
    row.labels = Set(json(&intent.labels));
    row.digest_version = Set(i32::from(intent.fingerprint.version));
    row.digest = Set(intent.fingerprint.sha256().to_vec());
    row.canonical = Set(intent.fingerprint.canonical.clone());
    row.provider = Set(intent.provider.as_str().to_owned());
    row.provider_key = Set(intent.provider_key.as_str().to_owned());
    row.exclusive = Set(intent.exclusive);
}

/// Reads them back, and takes them out of the row.
pub(super) fn take(read: &Reader, row: &mut Model) -> Result<Intent, StoreError> {
    let amount = Money::new(read.currency(&row.currency)?, row.amount);
    Ok(Intent {
        tenant: read.take("tenant", TenantId::parse(&row.tenant).ok())?,
        kind: read.take("kind", Kind::from_name(&row.kind))?,
        order_id: read.take("order_id", OrderId::parse(&row.order_id).ok())?,
        purpose: read.take("purpose", Purpose::parse(&row.purpose).ok())?,
        generation: row.generation,
        parent: row.parent.map(OperationId),
        label: read.option("label", row.label.take(), |text| Label::parse(text).ok())?,
        reason: read.option("reason", row.reason.take(), CompensationReason::from_name)?,
        target: read.option("target", row.target.take(), ProviderPaymentId::parse)?,
        supersedes: row.supersedes.map(OperationId),
        amount,
        payment_method: read.option(
            "payment_method",
            row.payment_method.take(),
            PaymentMethod::parse,
        )?,
        payee: read.option("payee", row.payee.take(), |text| Payee::parse(text).ok())?,
        customer_ref: read.option("customer_ref", row.customer_ref.take(), |text| {
            CustomerRef::parse(text).ok()
        })?,
        agent: read.option("agent", row.agent.take(), |text| AgentRef::parse(text).ok())?,
        description: row.description.take(),
        labels: read.json("labels", &row.labels)?,
        fingerprint: fingerprint(read, row)?,
        provider: read.take("provider", ProviderAccount::parse(&row.provider).ok())?,
        provider_key: ProviderKey::stored(std::mem::take(&mut row.provider_key)),
        exclusive: row.exclusive,
    })
}

fn fingerprint(read: &Reader, row: &mut Model) -> Result<Fingerprint, StoreError> {
    let version = i16::try_from(row.digest_version).ok();
    let fingerprint = Fingerprint {
        version: read.take("digest_version", version)?,
        canonical: std::mem::take(&mut row.canonical),
    };
    if fingerprint.sha256().as_slice() != row.digest.as_slice() {
        return Err(read.corrupt("digest is not the digest of canonical"));
    }
    Ok(fingerprint)
}
