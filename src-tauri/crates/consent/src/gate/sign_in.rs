//! Leave to sign in to a server. No rule answers this: each sign-in is the person's, shown with whoever signs them
//! in. The permit covers everything the sign-in needs: registering, opening its page and no other, and sending the
//! code.

use serde_json::json;
use vestibule_policy::Digest;
use vestibule_protocol::QuestionId;

use super::details::Details;
use super::written::Deed;
use super::{GUARD, Gate, NoPermit, Yes};
use crate::permit::{Permit, SigningIn};
use crate::{About, Answer, Draft, ServerFace, SignIn};
use vestibule_policy::Scope;

/// A sign-in that is wanted.
pub struct SignInRequest {
    pub server: ServerFace,
    /// What the card shows.
    pub sign_in: SignIn,
}

impl Gate {
    /// Asks whether to sign in like this. Dropping the future withdraws the question.
    ///
    /// # Errors
    /// The refusal: [`NoPermit::Refused`] is the person's no, [`NoPermit::NotNow`] none at all.
    pub async fn sign_in(
        &self,
        request: SignInRequest,
        mut asked: impl FnMut(QuestionId),
    ) -> Result<Permit<SigningIn>, NoPermit> {
        let SignInRequest { server, sign_in } = request;
        let issuer = sign_in.issuer.ascii_host.clone().unwrap_or_default();
        let mut deed = Deed::new(server.id, None, "server.sign_in", issuer);
        if let Some(file) = &sign_in.file {
            deed = deed.naming(&json!(file.path));
        }
        let facts = Details::from(json!({
            "issuer": sign_in.issuer.canonical,
            "resource": sign_in.resource,
            "scopes": sign_in.scopes,
        }))
        .said("shown", Digest::of_arguments(&json!(sign_in)));
        let what = SigningIn {
            server: server.id,
            page: sign_in
                .page
                .as_ref()
                .and_then(|page| page.to_open())
                .map(str::to_owned),
        };
        let draft = Draft {
            server,
            cause: None,
            about: About::SignIn(Box::new(sign_in)),
            scopes: vec![Scope::Once],
            guard: GUARD,
            asked_ms: (self.clock)().as_millisecond(),
            fits: None,
        };
        let mut waiting = self.park(&deed, draft).await?;
        asked(waiting.id());
        let answer = waiting.answer().await;
        let Answer::Accept { .. } = answer else {
            return Err(self.no(&deed, answer, facts).await);
        };
        let yes = Yes::once(waiting.digest());
        let receipt = self.intend(deed, &yes, facts).await?;
        Ok(Permit::mint(what, yes.because, receipt))
    }
}
