//! Permission to sign in to a server, and before that to ask its issuer how that is done, where the issuer is not of the
//! server's own site. No rule answers this: each sign-in is the user's, shown with the issuer that signs them in. The permit covers everything the sign-in needs: registering, opening its page and no other, and sending the
//! code.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Gate, GateResult};
use crate::permit::{LookUpIssuer, SignInServer};
use crate::{IssuerLookUp, QuestionBody, ServerSummary, SignIn};

/// A sign-in that is wanted.
pub struct SignInRequest {
    pub server: ServerSummary,
    /// What the card shows.
    pub sign_in: SignIn,
}

/// An issuer that is to be asked how it signs users in.
pub struct LookUpRequest {
    pub server: ServerSummary,
    /// What the card shows.
    pub look_up: IssuerLookUp,
}

impl LookUpRequest {
    /// Asks whether to send anything to this issuer. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal, as for [`SignInRequest::approve`].
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<LookUpIssuer> {
        let Self { server, look_up } = self;
        let host = look_up.issuer.ascii_host.clone().unwrap_or_default();
        let effect = EffectRecord::new(server.id, None, "issuer.look_up", host);
        let facts = LedgerBody::from(json!({ "issuer": look_up.issuer.canonical, "proxy": look_up.proxy }));
        let what = LookUpIssuer {
            server: server.id,
            issuer: look_up.issuer.canonical.clone().unwrap_or_default(),
        };
        let questions = &gate.questions;
        let draft = questions.draft(server, None, QuestionBody::LookUpIssuer(Box::new(look_up)));
        questions.approve_once(effect, draft, facts, what, asked).await
    }
}

impl SignInRequest {
    /// Asks whether to sign in like this. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal: [`Denied::ByUser`](crate::Denied::ByUser) is the user's no, [`Denied::Dismissed`](crate::Denied::Dismissed) none at all.
    pub async fn approve(self, gate: &Gate, asked: impl FnMut(QuestionId)) -> GateResult<SignInServer> {
        let Self { server, sign_in } = self;
        let issuer = sign_in.issuer.ascii_host.clone().unwrap_or_default();
        let mut effect = EffectRecord::new(server.id, None, "server.sign_in", issuer);
        if let Some(file) = &sign_in.file {
            effect = effect.with_mentions(&json!(file.path));
        }
        let facts = sign_in_facts(&sign_in);
        let page = sign_in.page.as_ref().and_then(|page| page.to_open());
        let what = SignInServer {
            server: server.id,
            page: page.map(str::to_owned),
        };
        let questions = &gate.questions;
        let draft = questions.draft(server, None, QuestionBody::SignIn(Box::new(sign_in)));
        questions.approve_once(effect, draft, facts, what, asked).await
    }
}

/// What the ledger says of a sign-in that was agreed to.
fn sign_in_facts(sign_in: &SignIn) -> LedgerBody {
    LedgerBody::from(json!({
        "issuer": sign_in.issuer.canonical,
        "resource": sign_in.resource,
        "scopes": sign_in.scopes,
    }))
    .with_digest("shown", Digest::of_arguments(&json!(sign_in)))
}
