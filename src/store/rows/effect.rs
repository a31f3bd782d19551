//! `effects`.

use sea_orm::ActiveValue::Set;

use super::Reader;
use crate::domain::effect::{Effect, Role};
use crate::domain::ids::{EffectId, OperationId, ProviderPaymentId};
use crate::domain::reference::{ProviderAccount, TenantId};
use crate::domain::time::Instant;
use crate::store::StoreError;
use crate::store::entities::effects::{ActiveModel, Model};

/// The row of an effect, `number` its place among the operation's, from 1.
pub(in crate::store) fn effect_row(
    tenant: &TenantId,
    operation_id: OperationId,
    number: i32,
    effect: &Effect,
) -> ActiveModel {
    ActiveModel {
        tenant: Set(tenant.as_str().to_owned()),
        id: Set(effect.id.0),
        operation_id: Set(operation_id.0),
        number: Set(number),
        account: Set(effect.account.as_str().to_owned()),
        provider_payment_id: Set(effect.provider_payment_id.as_str().to_owned()),
        role: Set(effect.role.name().to_owned()),
        currency: Set(effect.currency.code().to_owned()),
        authorized: Set(effect.authorized),
        captured: Set(effect.captured),
        refunded: Set(effect.refunded),
        refund_pending: Set(effect.refund_pending),
        charged_back: Set(effect.charged_back),
        returned: Set(effect.returned),
        confirmed_at: Set(effect.confirmed_at.0),
    }
}

/// The effect of a row.
pub(in crate::store) fn effect_from(row: Model) -> Result<Effect, StoreError> {
    let read = Reader::new("effects", row.id);
    Ok(Effect {
        id: EffectId(row.id),
        account: read.take("account", ProviderAccount::parse(&row.account).ok())?,
        provider_payment_id: read.take(
            "provider_payment_id",
            ProviderPaymentId::parse(&row.provider_payment_id),
        )?,
        role: read.take("role", Role::from_name(&row.role))?,
        currency: read.currency(&row.currency)?,
        authorized: row.authorized,
        captured: row.captured,
        refunded: row.refunded,
        refund_pending: row.refund_pending,
        charged_back: row.charged_back,
        returned: row.returned,
        confirmed_at: Instant(row.confirmed_at),
    })
}
