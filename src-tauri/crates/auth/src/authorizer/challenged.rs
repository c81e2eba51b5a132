//! What a refusal means. A request is tried three times in all, whatever the server answers; more access is
//! asked of the person only a few times for the same, and never again after a no.

use std::sync::Arc;

use vestibule_transport::Challenge;

use super::Inner;
use crate::challenge::Demand;
use crate::error::{AuthError, Reason, Step};
use crate::scope::Scopes;

/// How often a request is sent in all, and how often the person is asked for the same.
const MAX_TRIES: u32 = 3;

/// One request, over all its tries.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The token it was sent with.
    generation: u64,
    tries: u32,
    renewed: bool,
    nonce: bool,
}

/// What to do after a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Send the request again; what it needs is there.
    Retry,
    /// Only [`Authorizer::sign_in`](crate::Authorizer::sign_in) helps; then send it again.
    SignInNeeded {
        /// What the server wants on top of what it was given.
        new_scopes: Scopes,
    },
    /// Nothing helps.
    GiveUp(AuthError),
}

impl Attempt {
    pub(super) fn new(generation: u64) -> Self {
        Self {
            generation,
            tries: 1,
            renewed: false,
            nonce: false,
        }
    }
}

impl Inner {
    pub(super) async fn on_challenge(
        self: &Arc<Self>,
        attempt: &mut Attempt,
        challenge: &Challenge,
    ) -> Outcome {
        let demand = Demand::of(challenge);
        let error = demand.error.clone();
        if error.as_deref() == Some("use_dpop_nonce") && !attempt.nonce {
            attempt.nonce = true;
            return Outcome::Retry;
        }
        attempt.nonce = false;
        attempt.tries += 1;
        if attempt.tries > MAX_TRIES {
            return give_up(Reason::Exhausted(MAX_TRIES));
        }
        if let Err(error) = self.load().await {
            return Outcome::GiveUp(error);
        }
        let generation = self.held().generation;
        let outcome = match (challenge.status, error.as_deref()) {
            (401, _) | (403, Some("insufficient_scope")) if attempt.generation < generation => Outcome::Retry,
            (401, _) => self.unauthorized(attempt, demand).await,
            (403, Some("insufficient_scope")) => self.more_wanted(demand),
            _ => give_up(Reason::Denied),
        };
        attempt.generation = self.held().generation;
        outcome
    }

    async fn unauthorized(self: &Arc<Self>, attempt: &mut Attempt, demand: Demand) -> Outcome {
        let renewable = {
            let mut held = self.held();
            held.demand = demand.clone();
            held.wants_more = false;
            held.kept.as_ref().is_some_and(|kept| self.can_renew(kept))
        };
        let signed_in = self.held().kept.is_some();
        if !signed_in || attempt.renewed && !renewable {
            return sign_in_needed();
        }
        attempt.renewed = true;
        match self.renew(attempt.generation, Some(demand)).await {
            Ok(()) => Outcome::Retry,
            Err(error) if error.reason == Reason::SignInNeeded => sign_in_needed(),
            Err(error) => Outcome::GiveUp(error),
        }
    }

    fn more_wanted(&self, demand: Demand) -> Outcome {
        let mut held = self.held();
        let wanted = demand.scope.clone().unwrap_or_default();
        let key = wanted.key();
        if held.declined.contains(&key) {
            return give_up(Reason::Declined);
        }
        let times = held.step_ups.entry(key).or_default();
        *times += 1;
        // The first sign-in counts as well.
        if *times >= MAX_TRIES {
            return give_up(Reason::Exhausted(MAX_TRIES));
        }
        let had = held
            .kept
            .as_ref()
            .map(|kept| kept.requested.clone())
            .unwrap_or_default();
        let metadata = demand
            .resource_metadata
            .or_else(|| held.demand.resource_metadata.take());
        held.demand = Demand {
            resource_metadata: metadata,
            scope: Some(wanted.clone()),
            error: demand.error,
        };
        held.wants_more = true;
        Outcome::SignInNeeded {
            new_scopes: wanted.without(&had),
        }
    }
}

fn sign_in_needed() -> Outcome {
    Outcome::SignInNeeded {
        new_scopes: Scopes::default(),
    }
}

fn give_up(reason: Reason) -> Outcome {
    Outcome::GiveUp(AuthError::new(Step::Access, reason))
}
