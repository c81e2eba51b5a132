//! The wire library's errors as ours.
//!
//! What egress decided travels inside the library's transport error and is taken out whole; only what the library
//! itself found wrong is translated here.

use rig_core::error::ProviderError;
use rig_core::http_client;

use crate::ModelError;
use crate::egress::{ModelEgress, failure_inside};

/// The error to report for `error`.
pub(super) fn model_error(egress: &ModelEgress, error: &ProviderError) -> ModelError {
    match error {
        ProviderError::Http(transport) => carried(egress, transport),
        ProviderError::Truncated => ModelError::Cut,
        ProviderError::ProviderResponse(reply) | ProviderError::InvalidAuthentication(reply) => {
            failure_inside(egress, reply.status.map(|status| status.as_u16()), &reply.body)
        }
        ProviderError::Request(_) | ProviderError::Url(_) | ProviderError::UnsupportedOption(_) => {
            ModelError::Unsendable {
                detail: egress.quoted(&error.to_string()),
            }
        }
        _ => ModelError::Malformed {
            detail: egress.quoted(&error.to_string()),
        },
    }
}

pub(crate) fn carried(egress: &ModelEgress, transport: &http_client::Error) -> ModelError {
    match transport {
        http_client::Error::Instance(inner) => match inner.downcast_ref::<ModelError>() {
            Some(error) => error.clone(),
            None => ModelError::Malformed {
                detail: egress.quoted(&inner.to_string()),
            },
        },
        http_client::Error::InvalidContentType(kind) => ModelError::Malformed {
            detail: egress.quoted(&format!("a stream was asked for and {kind:?} came back")),
        },
        other => ModelError::Malformed {
            detail: egress.quoted(&other.to_string()),
        },
    }
}
