//! The wire library's errors as ours.
//!
//! What egress decided travels inside the library's transport error and is taken out whole; only what the library
//! itself found wrong is translated here.

use rig_core::error::ProviderError;
use rig_core::http_client;

use crate::ModelError;
use crate::egress::{ModelEgress, error_message};

/// The error to report for `error`.
pub(super) fn model_error(egress: &ModelEgress, error: &ProviderError) -> ModelError {
    match error {
        ProviderError::Http(transport) => carried(egress, transport),
        ProviderError::Truncated => ModelError::Cut,
        ProviderError::ProviderResponse(reply) | ProviderError::InvalidAuthentication(reply) => {
            let document = serde_json::from_str(&reply.body).unwrap_or(serde_json::Value::Null);
            let detail = egress.quoted(error_message(&document).unwrap_or(&reply.body));
            ModelError::Refused {
                status: reply.status.map_or(200, |status| status.as_u16()),
                detail,
            }
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
