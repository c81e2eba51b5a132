//! A user who signs in to a protected server, from its card over the page in their browser until it is connected.

use vestibule_consent::{Question, QuestionBody, SignIn};
use vestibule_host::view::{ServerState, ServerView, SignInPhase};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;

use crate::{CANARY, Opening, Protected, Scene, yes};

/// Whether a server wants a sign-in.
#[must_use]
pub fn needs_sign_in(view: &ServerView) -> bool {
    matches!(view.state, ServerState::SignInNeeded { .. })
}

/// Whether the user is awaited on a page.
#[must_use]
pub fn in_browser(view: &ServerView) -> bool {
    let phase = view.sign_in.as_ref().and_then(|it| it.phase.as_ref());
    matches!(phase, Some(SignInPhase::Browser { .. }))
}

impl Scene {
    /// Connects, and comes to where the server wants a sign-in.
    pub async fn before_sign_in(&self, world: &Protected) -> ServerId {
        let server = self.add_at("members", &world.url, &[]).await;
        self.connect(server, Scope::Once).await;
        self.server(server, "a demand for a sign-in", needs_sign_in).await;
        server
    }

    /// Says yes to the card, and visits the page that is opened.
    ///
    /// # Panics
    /// When not exactly one page is opened.
    pub async fn agree_and_visit(&self, world: &Protected, server: ServerId) -> SignIn {
        let question = self.person.asked().await;
        let shown = sign_in(&question);
        let before = self.opened().len();
        self.person.say(&question, yes(Scope::Once)).await;
        self.server(server, "a page in the browser", in_browser).await;
        let opened = self.opened();
        assert_eq!(opened.len(), before + 1, "one page, as one argument: {opened:?}");
        world.visit(opened.last().unwrap()).await;
        shown
    }

    /// The server, connected and signed in to.
    pub async fn signed_in(&self, world: &Protected) -> ServerId {
        let server = self.before_sign_in(world).await;
        self.host.server_sign_in(server).await.unwrap();
        self.agree_and_visit(world, server).await;
        self.ready(server).await;
        server
    }
}

impl Opening {
    /// Looks through every file for what must never be on disk.
    ///
    /// # Panics
    /// When it is there.
    pub fn holds_no_secret(&self) {
        for file in std::fs::read_dir(self.folder()).unwrap() {
            let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
            let words = String::from_utf8_lossy(&bytes);
            assert!(!words.contains(CANARY), "a secret is on disk");
        }
    }
}

/// What a card says of a sign-in.
fn sign_in(question: &Question) -> SignIn {
    match &question.about {
        QuestionBody::SignIn(sign_in) => (**sign_in).clone(),
        other => panic!("{other:?}"),
    }
}
