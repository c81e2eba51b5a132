//! From an error of a model to what the user reads.

use vestibule_models::ModelError;

use vestibule_app_protocol::{InputProblem, ModelProblem, Problem};

/// What the user reads of an error.
#[must_use]
pub fn model_problem(error: ModelError) -> Problem {
    match error {
        ModelError::Unreachable { endpoint, detail } | ModelError::Unproven { endpoint, detail } => {
            Problem::Model(ModelProblem::ModelUnreachable { endpoint, detail })
        }
        ModelError::Unauthorized { endpoint } => Problem::Model(ModelProblem::ModelUnauthorized { endpoint }),
        ModelError::KeyOverHttp { endpoint } => Problem::Model(ModelProblem::ModelKeyOverHttp { endpoint }),
        ModelError::NoSuchModel {
            endpoint,
            model,
            detail,
        } => Problem::Model(ModelProblem::ModelMissing {
            endpoint,
            model,
            detail,
        }),
        ModelError::RateLimited { retry_after, detail } => Problem::Model(ModelProblem::ModelBusy {
            retry_after_s: retry_after.map(|wait| u32::try_from(wait.as_secs()).unwrap_or(u32::MAX)),
            detail,
        }),
        ModelError::Refused { status, detail } => {
            Problem::Model(ModelProblem::ModelRefused { status, detail })
        }
        // The status that the answer began with tells it from a request that was refused.
        ModelError::Failed { detail } => Problem::Model(ModelProblem::ModelRefused { status: 200, detail }),
        ModelError::ContextExceeded { detail } => Problem::Model(ModelProblem::ChatTooLong { detail }),
        ModelError::ToolsRefused { model } => Problem::Model(ModelProblem::ModelTakesNoTools { model }),
        ModelError::Cut => Problem::Model(ModelProblem::ModelCut),
        ModelError::TimedOut { after } => Problem::Model(ModelProblem::ModelTimedOut {
            seconds: u32::try_from(after.as_secs_f64().ceil() as u64).unwrap_or(u32::MAX),
        }),
        ModelError::RanTooLong { after } => Problem::Model(ModelProblem::ModelRanTooLong {
            minutes: u32::try_from(after.as_secs().div_ceil(60)).unwrap_or(u32::MAX),
        }),
        ModelError::TooLarge { limit } => Problem::Model(ModelProblem::ModelTooLarge {
            megabytes: u32::try_from(limit.div_ceil(1 << 20)).unwrap_or(u32::MAX),
        }),
        ModelError::Redirected { ref endpoint } | ModelError::Insecure { ref endpoint } => {
            Problem::Input(InputProblem::AddressInvalid {
                url: endpoint.clone(),
                detail: error.to_string(),
            })
        }
        ModelError::Malformed { detail } | ModelError::Unsendable { detail } => {
            Problem::Model(ModelProblem::ModelMalformed { detail })
        }
    }
}
