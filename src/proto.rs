//! The wire contract, generated from `proto/payonce/v1` by `build.rs`.
//!
//! Guarantees: what people and programs read as JSON is made from the same
//! descriptors as the wire ([`to_json`]), and those descriptors carry every
//! comment of the contract, so that reflection explains itself.

mod json;

pub use json::{JsonError, to_json};

use std::sync::LazyLock;

use prost_reflect::DescriptorPool;

/// Package `payonce.v1`: messages, enums, `operation_service_client` and
/// `operation_service_server`. The comments are those of the contract.
#[allow(missing_docs, unreachable_pub, clippy::all, clippy::unwrap_used)]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/payonce.v1.rs"));
}

/// The encoded `google.protobuf.FileDescriptorSet` of the contract, imports
/// and comments included. Reflection serves it.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/payonce.binpb"));

static POOL: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(FILE_DESCRIPTOR_SET).expect("build.rs wrote a complete descriptor set")
});

#[cfg(test)]
mod tests;
