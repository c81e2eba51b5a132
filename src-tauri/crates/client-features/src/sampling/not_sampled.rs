//! Why a sampling request got no reply, and how much of that the server may know: neither where the user's models are, nor
//! what the user spends, nor the words of a provider.

use vestibule_app_protocol::{ModelProblem, Problem};

use super::MOST_ROUNDS;

/// Why a sampling request got no reply. Its text is for our logs and the user.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSampled {
    /// Nothing is left to spend.
    #[error("the budget for this server is used up for now")]
    Budget,
    /// The model has asked for tools often enough.
    #[error(
        "the conversation has gone through {MOST_ROUNDS} rounds of tools, which is the most that is allowed"
    )]
    Rounds,
    /// The model is at another address than the card said.
    #[error("{MOVED}")]
    Moved,
    /// No model, or it failed.
    #[error(transparent)]
    Failed(#[from] Problem),
}

impl From<vestibule_store::StoreError> for NotSampled {
    fn from(error: vestibule_store::StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl NotSampled {
    /// The message of the error that the server gets.
    pub(crate) fn message(&self) -> &'static str {
        match self {
            Self::Budget => "the budget for this server is used up for now",
            Self::Rounds => "the conversation has gone through as many rounds of tools as are allowed",
            Self::Moved => MOVED,
            Self::Failed(Problem::Model(problem)) => model_message(problem),
            Self::Failed(_) => NOT_ASKED,
        }
    }
}

const NOT_ASKED: &str = "the model could not be asked";
const MOVED: &str = "the model was moved to another address while the user was asked";

fn model_message(problem: &ModelProblem) -> &'static str {
    match problem {
        ModelProblem::BudgetUsedUp { .. } => "a budget of the user is used up",
        ModelProblem::ModelGone => "there is no model to ask",
        ModelProblem::ModelBusy { .. } => "the model is busy; try again later",
        ModelProblem::ChatTooLong { .. } | ModelProblem::ModelReadsOnly { .. } => {
            "the request is longer than the model can read"
        }
        ModelProblem::ModelTakesNoTools { .. } => "the model cannot use tools",
        ModelProblem::AnswerWithheld => "the reply was withheld",
        ModelProblem::ModelCut
        | ModelProblem::AnswerEmpty { .. }
        | ModelProblem::LongestAnswer { .. }
        | ModelProblem::ModelTimedOut { .. }
        | ModelProblem::ModelRanTooLong { .. }
        | ModelProblem::ModelTooLarge { .. }
        | ModelProblem::ModelMalformed { .. } => "the model gave no complete reply",
        ModelProblem::ModelUnreachable { .. }
        | ModelProblem::ModelUnauthorized { .. }
        | ModelProblem::ModelKeyOverHttp { .. }
        | ModelProblem::ModelMissing { .. }
        | ModelProblem::ModelRefused { .. }
        | ModelProblem::TooManyRounds { .. } => NOT_ASKED,
    }
}

#[cfg(test)]
mod tests {
    use vestibule_app_protocol::InputProblem;
    use vestibule_models::ModelError;

    use super::*;
    use crate::model_problem;

    /// What `error` of a model comes to: the text for the log, and the message for the server.
    fn texts(error: ModelError) -> (String, &'static str) {
        let no = NotSampled::from(model_problem(error));
        (no.to_string(), no.message())
    }

    #[test]
    fn a_server_reads_neither_the_address_of_a_model_nor_the_words_of_its_provider() {
        let endpoint = || "http://models.home.arpa:8443/v1".to_owned();
        let detail = || "account acct_77 of Ada at 10.1.2.3:8443".to_owned();
        let errors = [
            ModelError::Unreachable {
                endpoint: endpoint(),
                detail: detail(),
            },
            ModelError::Unauthorized { endpoint: endpoint() },
            ModelError::KeyOverHttp { endpoint: endpoint() },
            ModelError::NoSuchModel {
                endpoint: endpoint(),
                model: "acct_77".into(),
                detail: detail(),
            },
            ModelError::Failed { detail: detail() },
            ModelError::Refused {
                status: 402,
                detail: detail(),
            },
            ModelError::ContextExceeded { detail: detail() },
            ModelError::ToolsRefused {
                model: "acct_77".into(),
            },
            ModelError::Redirected { endpoint: endpoint() },
            ModelError::Malformed { detail: detail() },
        ];
        for error in errors {
            let (logged, message) = texts(error);
            assert!(
                logged.contains("home.arpa") || logged.contains("acct_77"),
                "{logged}"
            );
            for private in ["home", "8443", "acct", "Ada", "10.1", "402"] {
                assert!(!message.contains(private), "{message}");
            }
        }
    }

    #[test]
    fn a_server_reads_what_kind_of_failure_it_was() {
        let input = InputProblem::RuleUnkeepable {
            detail: "secret".into(),
        };
        assert_eq!(NotSampled::Failed(input.into()).message(), NOT_ASKED);
        assert_eq!(NotSampled::Moved.message(), MOVED);
        assert_eq!(texts(ModelError::Cut).1, "the model gave no complete reply");
        let busy = ModelError::RateLimited {
            retry_after: Some(std::time::Duration::from_secs(71)),
            detail: "account acct_77 of Ada".into(),
        };
        assert_eq!(texts(busy).1, "the model is busy; try again later");
        let spent = ModelProblem::BudgetUsedUp {
            scope: Default::default(),
            currency: Default::default(),
            spent: 71_000_000,
            limit: 70_000_000,
        };
        let no = NotSampled::Failed(spent.into());
        assert!(no.to_string().contains("71000000"));
        assert_eq!(no.message(), "a budget of the user is used up");
    }
}
