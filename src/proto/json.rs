//! Messages as JSON: protojson with the contract's own field names.
//!
//! Guarantees: field names in snake_case, 64-bit integers as strings, enum
//! values without their prefix (`PENDING`, not `OUTCOME_PENDING`) and unknown
//! ones as numbers. Scalars, enums and lists always appear, also when zero or
//! empty; an absent message is left out.

use prost::{Message, Name};
use prost_reflect::{DynamicMessage, EnumDescriptor, Kind, SerializeOptions};
use serde_json::Value;

use super::POOL;

/// Why a message has no JSON form.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The message is not part of the contract.
    #[error("{0} is not a message of payonce.v1")]
    Foreign(String),
    /// A value that protojson cannot express, such as a time beyond the year
    /// 9999. Only a message from elsewhere can hold one.
    #[error("{message} has no JSON form: {reason}")]
    Inexpressible {
        /// The full name of the message.
        message: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// The JSON form of a message of the contract, as commands, agents and
/// webhooks show it.
///
/// # Errors
/// See [`JsonError`]; none for a message that this service made itself.
pub fn to_json<M: Message + Name>(message: &M) -> Result<Value, JsonError> {
    let full_name = M::full_name();
    let descriptor = POOL
        .get_message_by_name(&full_name)
        .ok_or_else(|| JsonError::Foreign(full_name.clone()))?;
    let inexpressible = |reason: String| JsonError::Inexpressible {
        message: full_name.clone(),
        reason,
    };

    let mut dynamic = DynamicMessage::new(descriptor.clone());
    dynamic
        .transcode_from(message)
        .map_err(|error| inexpressible(error.to_string()))?;
    let options = SerializeOptions::new()
        .use_proto_field_name(true)
        .skip_default_fields(false);
    let mut value = dynamic
        .serialize_with_options(serde_json::value::Serializer, &options)
        .map_err(|error| inexpressible(error.to_string()))?;

    drop_prefixes(&mut value, &Kind::Message(descriptor));
    Ok(value)
}

/// Walks the JSON beside its descriptor and shortens every enum value.
fn drop_prefixes(value: &mut Value, kind: &Kind) {
    match (kind, value) {
        (_, Value::Array(items)) => {
            for item in items {
                drop_prefixes(item, kind);
            }
        }
        (Kind::Enum(descriptor), Value::String(name)) => {
            if let Some(short) = name.strip_prefix(&prefix(descriptor)) {
                *name = short.to_owned();
            }
        }
        (Kind::Message(entry), Value::Object(map)) if entry.is_map_entry() => {
            let kind = entry.map_entry_value_field().kind();
            for item in map.values_mut() {
                drop_prefixes(item, &kind);
            }
        }
        (Kind::Message(descriptor), Value::Object(map)) => {
            for field in descriptor.fields() {
                if let Some(item) = map.get_mut(field.name()) {
                    drop_prefixes(item, &field.kind());
                }
            }
        }
        _ => {}
    }
}

/// `OUTCOME_` for `Outcome`: the zero value is always `<prefix>UNSPECIFIED`,
/// which saves converting the enum's name to upper case.
pub(super) fn prefix(descriptor: &EnumDescriptor) -> String {
    let zero = descriptor.default_value();
    let name = zero.name();
    name.strip_suffix("UNSPECIFIED").unwrap_or("").to_owned()
}
