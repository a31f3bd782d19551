//! Error answers, taken apart.

use prost::Message;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use payonce::proto::v1::{ErrorDetail, ErrorEffect};

/// What an error answer says.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    /// `ErrorInfo.reason`; empty if the answer is not payonce's own.
    pub(crate) reason: String,
    /// The fields of all violations, as they are called on the wire.
    pub(crate) fields: Vec<String>,
    pub(crate) effect: ErrorEffect,
    /// The operation that the error is about.
    pub(crate) operation_id: String,
    /// Only shown when a test fails.
    #[expect(dead_code, reason = "read by Debug")]
    message: String,
}

impl From<Status> for Refusal {
    fn from(status: Status) -> Refusal {
        let details = status.get_error_details();
        let reason = details
            .error_info()
            .filter(|info| info.domain == "payonce")
            .map_or(String::new(), |info| info.reason.clone());
        let fields = details.bad_request().map_or(Vec::new(), |bad| {
            let violations = bad.field_violations.iter();
            violations.map(|it| it.field.clone()).collect()
        });
        let own = own_detail(&status).unwrap_or_default();
        Refusal {
            code: status.code(),
            reason,
            fields,
            effect: own.effect(),
            operation_id: own.operation_id,
            message: status.message().to_owned(),
        }
    }
}

fn own_detail(status: &Status) -> Option<ErrorDetail> {
    let whole = tonic_types::pb::Status::decode(status.details()).ok()?;
    let own = whole
        .details
        .iter()
        .find(|any| any.type_url.ends_with("/payonce.v1.ErrorDetail"))?;
    ErrorDetail::decode(own.value.as_slice()).ok()
}
