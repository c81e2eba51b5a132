//! Permission to sign in to a server, and before that to ask its issuer how that is done, where the issuer is not of the
//! server's own site. No rule answers this: each sign-in is the user's, shown with the issuer that signs them in. The permit covers everything the sign-in needs: registering, opening its page and no other, and sending the
//! code.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::ledger_body::LedgerBody;
use super::record::EffectRecord;
use super::{Approval, CLICK_DELAY, Denied, Gate};
use crate::permit::{LookUpIssuer, Permit, SignInServer};
use crate::{About, Answer, Draft, IssuerLookUp, ServerFace, SignIn};
use vestibule_policy::Scope;

/// A sign-in that is wanted.
pub struct SignInRequest {
    pub server: ServerFace,
    /// What the card shows.
    pub sign_in: SignIn,
}

/// An issuer that is to be asked how it signs users in.
pub struct LookUpRequest {
    pub server: ServerFace,
    /// What the card shows.
    pub look_up: IssuerLookUp,
}

impl Gate {
    /// Asks whether to send anything to this issuer. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal, as for [`sign_in`](Self::sign_in).
    pub async fn look_up_issuer(
        &self,
        request: LookUpRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<LookUpIssuer>, Denied> {
        let LookUpRequest { server, look_up } = request;
        let host = look_up.issuer.ascii_host.clone().unwrap_or_default();
        let effect = EffectRecord::new(server.id, None, "issuer.look_up", host);
        let facts = LedgerBody::from(json!({ "issuer": look_up.issuer.canonical, "proxy": look_up.proxy }));
        let what = LookUpIssuer {
            server: server.id,
            issuer: look_up.issuer.canonical.clone().unwrap_or_default(),
        };
        let about = About::LookUpIssuer(Box::new(look_up));
        self.ask_for_sign_in(server, about, effect, facts, what, asked)
            .await
    }

    /// Asks whether to sign in like this. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal: [`Denied::ByUser`] is the user's no, [`Denied::Dismissed`] none at all.
    pub async fn sign_in(
        &self,
        request: SignInRequest,
        asked: impl FnMut(QuestionId),
    ) -> Result<Permit<SignInServer>, Denied> {
        let SignInRequest { server, sign_in } = request;
        let issuer = sign_in.issuer.ascii_host.clone().unwrap_or_default();
        let mut effect = EffectRecord::new(server.id, None, "server.sign_in", issuer);
        if let Some(file) = &sign_in.file {
            effect = effect.with_mentions(&json!(file.path));
        }
        let facts = LedgerBody::from(json!({
            "issuer": sign_in.issuer.canonical,
            "resource": sign_in.resource,
            "scopes": sign_in.scopes,
        }))
        .with_digest("shown", Digest::of_arguments(&json!(sign_in)));
        let what = SignInServer {
            server: server.id,
            page: sign_in
                .page
                .as_ref()
                .and_then(|page| page.to_open())
                .map(str::to_owned),
        };
        let about = About::SignIn(Box::new(sign_in));
        self.ask_for_sign_in(server, about, effect, facts, what, asked)
            .await
    }

    /// Asks once, and makes a permit of a yes.
    async fn ask_for_sign_in<T>(
        &self,
        server: ServerFace,
        about: About,
        effect: EffectRecord,
        facts: LedgerBody,
        what: T,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<T>, Denied> {
        let draft = Draft {
            server,
            cause: None,
            about,
            scopes: vec![Scope::Once],
            click_delay: CLICK_DELAY,
            asked_ms: (self.clock)().as_millisecond(),
            validate: None,
        };
        let mut waiting = self.ask_question(&effect, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        let Answer::Accept { .. } = answer else {
            return Err(self.deny_by_answer(&effect, answer, facts).await);
        };
        let approval = Approval::once(waiting.digest());
        let intent = self.record_intent(effect, &approval, facts).await?;
        Ok(Permit::mint(what, approval.because, intent))
    }
}
