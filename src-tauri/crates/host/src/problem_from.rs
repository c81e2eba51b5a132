//! From the errors of the crates below to what a person is told. Each source has one place here, so that the same
//! failure is the same sentence everywhere.

use vestibule_consent::NotTaken;
use vestibule_models::ModelError;
use vestibule_session::{CallError, OpenError};
use vestibule_store::StoreError;
use vestibule_transport::{CloseCause, CloseReason, RequestFailure};

use crate::view::Problem;

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Self::DiskFull,
            StoreError::ReadOnly => Self::ReadOnly,
            StoreError::Unknown { .. } => Self::Gone,
            StoreError::Newer { found, known } => {
                let format = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
                Self::DataNewer {
                    found: format(found),
                    known: format(known),
                }
            }
            StoreError::InUse { path } => {
                let folder = path.parent().unwrap_or(&path);
                Self::DataInUse {
                    folder: folder.display().to_string(),
                }
            }
            StoreError::Corrupt { .. } | StoreError::Foreign { .. } => Self::DataUnreadable {
                detail: error.to_string(),
            },
            other => Self::StoreFailed {
                detail: other.to_string(),
            },
        }
    }
}

impl From<NotTaken> for Problem {
    fn from(error: NotTaken) -> Self {
        match error {
            NotTaken::Stale => Self::AnswerStale,
            NotTaken::TooSoon => Self::AnswerTooSoon,
            NotTaken::Invalid(detail) => Self::AnswerUnfit { detail },
        }
    }
}

impl From<ModelError> for Problem {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Unreachable { endpoint, detail } => Self::ModelUnreachable { endpoint, detail },
            ModelError::Unauthorized { endpoint } => Self::ModelUnauthorized { endpoint },
            ModelError::NoSuchModel { endpoint, model } => Self::ModelMissing { endpoint, model },
            ModelError::RateLimited { retry_after } => {
                let retry_after_s = retry_after.map(|wait| u32::try_from(wait.as_secs()).unwrap_or(u32::MAX));
                Self::ModelBusy { retry_after_s }
            }
            ModelError::Refused { status, detail } => Self::ModelRefused { status, detail },
            ModelError::Cut => Self::ModelCut,
            ModelError::TimedOut { after } => Self::ModelTimedOut {
                seconds: whole_seconds(after),
            },
            ModelError::TooLarge { limit } => Self::ModelTooLarge {
                megabytes: u32::try_from(limit.div_ceil(1 << 20)).unwrap_or(u32::MAX),
            },
            ModelError::Redirected { ref endpoint } | ModelError::Insecure { ref endpoint } => {
                Self::AddressInvalid {
                    url: endpoint.clone(),
                    detail: error.to_string(),
                }
            }
            ModelError::Malformed { detail } | ModelError::Unsendable { detail } => {
                Self::ModelMalformed { detail }
            }
        }
    }
}

impl From<CallError> for Problem {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Rpc(error) => Self::ServerError {
                code: code(error.code),
                message: error.message,
            },
            CallError::TimedOut { after } => Self::CallTimedOut {
                seconds: whole_seconds(after),
            },
            CallError::Closed(reason) => reason.into(),
            CallError::PagesRequired { .. } => Self::PageNotVisited,
            CallError::Malformed(detail) => Self::MalformedReply { detail },
            CallError::NotAnswered(failure) => (*failure).into(),
            CallError::NotSupported
            | CallError::Busy
            | CallError::CapabilitiesRequired { .. }
            | CallError::TaskCancelled
            | CallError::TaskGone
            | CallError::NotContinued(_)
            | CallError::NotSendable(_) => Self::MalformedReply {
                detail: error.to_string(),
            },
        }
    }
}

impl From<RequestFailure> for Problem {
    fn from(failure: RequestFailure) -> Self {
        let (origin, detail) = (String::new(), failure.reason);
        match (failure.challenge, failure.status) {
            (Some(challenge), _) => Self::SignInNeeded {
                origin,
                status: challenge.status,
            },
            (None, Some(status)) => Self::ServerRefused {
                origin,
                status,
                detail,
            },
            (None, None) => Self::ServerUnreachable { origin, detail },
        }
    }
}

impl Problem {
    /// With the name of what it is about, where those who found it did not know: a program's path or an origin.
    pub(crate) fn naming(mut self, name: &str) -> Self {
        match &mut self {
            Self::NotStarted { program: blank, .. }
            | Self::ServerUnreachable { origin: blank, .. }
            | Self::ServerRefused { origin: blank, .. }
            | Self::SignInNeeded { origin: blank, .. }
                if blank.is_empty() =>
            {
                name.clone_into(blank);
            }
            _ => {}
        }
        self
    }
}

impl From<CloseReason> for Problem {
    fn from(reason: CloseReason) -> Self {
        match reason.cause {
            CloseCause::NotStarted(error) => Self::NotStarted {
                program: String::new(),
                detail: error.to_string(),
            },
            CloseCause::Ended | CloseCause::Asked => {
                let exit = reason.exit.map(|exit| exit.to_string());
                Self::ServerEnded {
                    exit,
                    stderr: reason.diagnostics,
                }
            }
            _ => {
                let detail = reason.to_string();
                Self::ServerEnded {
                    exit: Some(detail),
                    stderr: reason.diagnostics,
                }
            }
        }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::TimedOut {
                after,
                stderr_tail: stderr,
            } => Self::StartTimedOut {
                seconds: whole_seconds(after),
                stderr,
            },
            OpenError::Closed(reason) | OpenError::EndedByProbe(reason) => reason.into(),
            OpenError::NotAnswered(failure) => (*failure).into(),
            OpenError::Spawn(error) => Self::NotStarted {
                program: String::new(),
                detail: error.to_string(),
            },
            OpenError::Unsupported { answered, .. } => Self::UnsupportedRevision { answered },
            OpenError::Rpc(error) => Self::ServerError {
                code: code(error.code),
                message: error.message,
            },
            OpenError::Malformed(detail) => Self::MalformedReply { detail },
        }
    }
}

fn code(code: i64) -> i32 {
    i32::try_from(code).unwrap_or(if code < 0 { i32::MIN } else { i32::MAX })
}

fn whole_seconds(time: std::time::Duration) -> u32 {
    u32::try_from(time.as_secs_f64().ceil() as u64).unwrap_or(u32::MAX)
}
