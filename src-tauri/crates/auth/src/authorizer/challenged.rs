//! Decides what follows when a server refuses a request with 401 or 403: send it again, let the user sign in, or give
//! up. After a 401 the token is renewed first where that is possible. After a 403 that asks for more scopes the user
//! is asked for these, but only a few times for the same, and never again after a no. A request has at most three
//! counted tries. A try is not counted where the refusal only hands out a DPoP nonce, or where the sign-in for
//! another request replaced the token meanwhile.

use std::sync::Arc;

use vestibule_transport::Challenge;

use super::{AuthorizerInner, SignInState};
use crate::challenge::AuthDemand;
use crate::error::{AuthError, Reason, Step};
use crate::scope::Scopes;

/// How often a request is sent in all, and how often the user is asked for the same.
const MAX_TRIES: u32 = 3;

/// One request, over all its tries.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The token it was sent with.
    generation: u64,
    tries: u32,
    renewed: bool,
    nonce: bool,
    /// What the last refusal wanted on top, in the form sets are compared in.
    wanted: Option<Scopes>,
}

/// What to do after a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChallengeOutcome {
    /// Send the request again; what it needs is there.
    Retry,
    /// Only [`Authorizer::sign_in`](crate::Authorizer::sign_in) helps; then send it again.
    SignInNeeded {
        /// What the server wants on top of what it was given.
        new_scopes: Scopes,
    },
    GiveUp(AuthError),
}

impl Attempt {
    pub(super) fn new(generation: u64) -> Self {
        Self {
            generation,
            tries: 1,
            renewed: false,
            nonce: false,
            wanted: None,
        }
    }

    /// Whether the refusal only hands out a nonce to send along, and the one before did not.
    fn takes_nonce(&mut self, demand: &AuthDemand) -> bool {
        self.nonce = !self.nonce && demand.error.as_deref() == Some("use_dpop_nonce");
        self.nonce
    }

    pub(super) fn is_before(&self, generation: u64) -> bool {
        self.generation < generation
    }
}

impl AuthorizerInner {
    pub(super) async fn on_challenge(
        self: &Arc<Self>,
        attempt: &mut Attempt,
        challenge: &Challenge,
    ) -> ChallengeOutcome {
        let demand = AuthDemand::from_challenge(challenge);
        if attempt.takes_nonce(&demand) {
            return ChallengeOutcome::Retry;
        }
        if let Err(error) = self.load().await {
            return ChallengeOutcome::GiveUp(error);
        }
        let overtaken = self.held().overtaken(attempt);
        attempt.tries += u32::from(!overtaken);
        if attempt.tries > MAX_TRIES {
            return give_up(Reason::Exhausted(MAX_TRIES));
        }
        let outcome = self.judge(challenge.status, attempt, demand, overtaken).await;
        attempt.generation = self.held().generation;
        outcome
    }

    /// What a refusal with this status and demand means for an attempt that may still be tried.
    async fn judge(
        self: &Arc<Self>,
        status: u16,
        attempt: &mut Attempt,
        demand: AuthDemand,
        overtaken: bool,
    ) -> ChallengeOutcome {
        let generation = self.held().generation;
        match (status, demand.error.as_deref()) {
            (403, Some("insufficient_scope")) if overtaken => self.held().more_wanted(attempt, demand),
            (401, _) | (403, Some("insufficient_scope")) if attempt.generation < generation => {
                ChallengeOutcome::Retry
            }
            (401, _) => self.unauthorized(attempt, demand).await,
            (403, Some("insufficient_scope")) => self.held().more_wanted(attempt, demand),
            _ => give_up(Reason::Denied),
        }
    }

    async fn unauthorized(self: &Arc<Self>, attempt: &mut Attempt, demand: AuthDemand) -> ChallengeOutcome {
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
            Ok(()) => ChallengeOutcome::Retry,
            Err(error) if error.reason == Reason::SignInNeeded => sign_in_needed(),
            Err(error) => ChallengeOutcome::GiveUp(error),
        }
    }
}

impl SignInState {
    /// Whether the sign-in that came after this request wanted more was one for another request.
    fn overtaken(&self, attempt: &Attempt) -> bool {
        let requested = self.kept.as_ref().map(|kept| &kept.requested);
        let (Some(wanted), Some(requested)) = (&attempt.wanted, requested) else {
            return false;
        };
        attempt.generation < self.generation && !wanted.without(requested).is_empty()
    }

    fn more_wanted(&mut self, attempt: &mut Attempt, demand: AuthDemand) -> ChallengeOutcome {
        let wanted = demand.scope.clone().unwrap_or_default();
        attempt.wanted = Some(wanted.clone());
        let key = wanted.key();
        if self.declined.contains(&key) {
            return give_up(Reason::Declined);
        }
        // The first sign-in counts as well.
        let step_ups = self.step_ups.get(&key);
        if step_ups.is_some_and(|times| times + 1 >= MAX_TRIES) {
            return give_up(Reason::Exhausted(MAX_TRIES));
        }
        let kept = self.kept.as_ref();
        let had = kept.map(|kept| kept.requested.clone()).unwrap_or_default();
        let new_scopes = wanted.without(&had);
        self.demand_more(demand, wanted);
        ChallengeOutcome::SignInNeeded { new_scopes }
    }

    /// Makes the next sign-in ask for these scopes too. What an earlier demand said and this one does not stays.
    fn demand_more(&mut self, demand: AuthDemand, wanted: Scopes) {
        let metadata = demand
            .resource_metadata
            .or_else(|| self.demand.resource_metadata.take());
        self.demand = AuthDemand {
            resource_metadata: metadata,
            scope: Some(wanted),
            error: demand.error,
            takes_proofs: demand.takes_proofs || self.demand.takes_proofs,
        };
        self.wants_more = true;
    }
}

fn sign_in_needed() -> ChallengeOutcome {
    ChallengeOutcome::SignInNeeded {
        new_scopes: Scopes::default(),
    }
}

fn give_up(reason: Reason) -> ChallengeOutcome {
    ChallengeOutcome::GiveUp(AuthError::new(Step::Access, reason))
}
