//! Who calls.
//!
//! There are no credentials yet: everybody who reaches the server is the
//! tenant `default`, and so it is reached from this machine only. Nothing in a
//! request ever names a tenant (P13).

use std::net::SocketAddr;

use http::HeaderMap;

use crate::domain::reference::TenantId;

use super::ServerError;

const ONLY_TENANT: &str = "default";

/// The verified caller of one call.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// Whose operations it sees and makes.
    pub(super) tenant: TenantId,
}

/// The caller behind a call's headers; `None` when it is not known.
pub(super) fn identify(_headers: &HeaderMap) -> Option<Caller> {
    let tenant = TenantId::parse(ONLY_TENANT).ok()?;
    Some(Caller { tenant })
}

/// Without credentials the server listens on this machine only.
pub(super) fn check_listen(address: SocketAddr) -> Result<(), ServerError> {
    if address.ip().is_loopback() {
        Ok(())
    } else {
        Err(ServerError::NotLoopback(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_caller_is_the_one_tenant_whatever_its_headers_say() {
        let mut headers = HeaderMap::new();
        headers.insert("tenant", http::HeaderValue::from_static("other"));
        let caller = identify(&headers).expect("known");
        assert_eq!(caller.tenant.as_str(), "default");
    }

    #[test]
    fn only_loopback_is_listened_on() {
        for (address, fine) in [
            ("127.0.0.1:0", true),
            ("[::1]:50051", true),
            ("0.0.0.0:0", false),
            ("[::]:0", false),
            ("192.0.2.1:50051", false),
        ] {
            let address: SocketAddr = address.parse().expect(address);
            assert_eq!(check_listen(address).is_ok(), fine, "{address}");
        }
    }
}
