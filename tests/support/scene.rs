//! A whole host on a folder of its own, with a user and a window. Closing a scene checks what holds for every
//! story: the ledger is intact, each effect has its intent and its outcome, and no process is left.

use std::path::{Path, PathBuf};

use vestibule_consent::{Answer, Question};
use vestibule_host::Host;
use vestibule_host::view::{
    CallBody, CallState, ChangeEnd, ChangeOutcome, ConnectionDraft, EntriesPart, EntryBody, EntryView,
    ModelDraft,
};
use vestibule_policy::Scope;
use vestibule_protocol::{AttachmentId, ChatId, ConnectionId, ModelId};
use vestibule_store::{Store, Verification, verify_file};

use crate::{Home, Model, Opening, Person, Turn, Window, ended, gone, records, soon, yes};

/// A new connection as a user writes it, with models of these names.
#[must_use]
pub fn connection_draft(base_url: &str, key: Option<&str>, models: &[&str]) -> ConnectionDraft {
    ConnectionDraft {
        id: None,
        label: String::new(),
        wire: None,
        base_url: base_url.to_owned(),
        key: key.map(str::to_owned),
        headers: vec![],
        models: models.iter().map(|name| (*name).to_owned()).collect(),
    }
}

/// A model as a user describes it, of which nothing is said.
#[must_use]
pub fn model_draft(id: ModelId, label: &str) -> ModelDraft {
    ModelDraft {
        id,
        label: label.to_owned(),
        model: "scripted".to_owned(),
        price_in: None,
        price_out: None,
        price_cached: None,
        context: None,
        tools: None,
        images: None,
        thinking: None,
    }
}

/// A host in use.
pub struct Scene {
    pub host: Host,
    /// What it keeps, to look at.
    pub store: Store,
    pub person: Person,
    /// What is on screen.
    pub window: Window,
    pub(crate) opening: Opening,
}

impl Scene {
    /// A host that was never used.
    pub async fn new() -> Self {
        Opening::default().open().await
    }

    /// The folder everything is in; it stands on the command line of every server of the scene.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.opening.folder()
    }

    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.opening.database()
    }

    /// Ends everything and starts again in the same folder with the same secrets.
    pub async fn reopen(self) -> Self {
        self.close().await.open().await
    }

    /// Ends everything, and checks what every story leaves behind.
    ///
    /// # Panics
    /// When something is left that should not be.
    pub async fn close(self) -> Opening {
        let opening = self.end().await;
        let verified = verify_file(&opening.database()).unwrap();
        assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
        opening
    }

    /// The same for a story that edited the ledger: everything else holds.
    ///
    /// # Panics
    /// When something is left that should not be.
    pub async fn end(self) -> Opening {
        let opening = self.leave().await;
        let leaks = opening.leaks();
        assert!(leaks.is_empty(), "canaries leaked: {leaks:#?}");
        opening
    }

    /// The same for a story in which canaries leak.
    ///
    /// # Panics
    /// When something else is left that should not be.
    pub async fn leave(self) -> Opening {
        let Self {
            host,
            store,
            person,
            window,
            opening,
        } = self;
        drop((person, window));
        soon("the host ends", host.close()).await;
        drop((host, store));
        soon("every process of the scene is gone", gone(opening.folder())).await;
        let store = Store::open(&opening.database()).unwrap();
        for (action, object, end) in ended(&records(&store).await) {
            assert!(end.is_some(), "nothing says how {action} {object} ended");
        }
        store.close().await;
        opening
    }

    /// What the browser was called with so far, each argument.
    #[must_use]
    pub fn opened(&self) -> Vec<String> {
        let all = std::fs::read_to_string(self.folder().join("opened")).unwrap_or_default();
        all.split_terminator('\0').map(str::to_owned).collect()
    }

    pub async fn chat(&self) -> ChatId {
        self.host.chat_create(false).await.unwrap().id
    }

    /// A new chat with a model that says what it is told to.
    pub async fn scripted_chat(&self) -> (ChatId, Model) {
        let chat = self.chat().await;
        let model = Model::start().await;
        let home = Home {
            headers: Some(model.base_url.clone()),
            ..Home::default()
        };
        let key = self.plant("the key of a model", home);
        let id = self.add_model(&model.base_url, key.as_deref()).await;
        self.host.chat_model(chat, Some(id)).await.unwrap();
        (chat, model)
    }

    /// A chat of its own, in which a token, the text of a file and the name of a host were said. None of them may turn
    /// up anywhere else.
    pub async fn private_chat(&self) -> ChatId {
        let (chat, model) = self.scripted_chat().await;
        let home = Home {
            chat: Some(chat),
            listener: Some(model.base_url.clone()),
            database: true,
            ..Home::default()
        };
        let said = ["a token", "the text of a file", "the name of a host"];
        let said = said.map(|what| self.plant(what, home.clone()).unwrap_or_default());
        let [token, text, host] = &said;
        model.will(Turn::words(&format!(
            "I found {text} at https://{host}.invalid/."
        )));
        self.say(chat, &format!("Use {token} for https://{host}.invalid/."))
            .await;
        self.finished(chat).await;
        chat
    }

    /// Plants a text that may be nowhere but at home; `None` where the scene has no canaries.
    #[must_use]
    pub fn plant(&self, what: &'static str, home: Home) -> Option<String> {
        self.opening.plant(what, home)
    }

    /// Adds a connection with one model, which the user agrees to.
    pub async fn add_model(&self, base_url: &str, key: Option<&str>) -> ModelId {
        self.add_connection(connection_draft(base_url, key, &["scripted"]))
            .await
    }

    /// Adds a connection as a user does, and gives back its first model.
    ///
    /// # Panics
    /// When it is not saved.
    pub async fn add_connection(&self, draft: ConnectionDraft) -> ModelId {
        let saved = self.host.connection_save(draft).await.unwrap().models[0];
        let is_here = |seen: &crate::Projection| seen.models.iter().any(|model| model.id == saved);
        self.window.until("the model", is_here).await;
        saved
    }

    /// The connection of a model.
    ///
    /// # Panics
    /// When it has none.
    pub async fn connection_of(&self, model: ModelId) -> ConnectionId {
        let models = self.store.models().await.unwrap();
        let record = models.into_iter().find(|record| record.id == model).unwrap();
        record.connection.unwrap()
    }

    /// Answers the card of a change that a command of the main window began, and waits for its end.
    ///
    /// # Panics
    /// When the change was not asked.
    pub async fn answered(&self, change: ChangeOutcome, answer: Answer) -> (Question, ChangeEnd) {
        let ChangeOutcome::Asked { question } = change else {
            panic!("the change was not asked");
        };
        let card = self.person.asked().await;
        assert_eq!(card.id, question);
        self.person.say(&card, answer).await;
        let ended = |seen: &crate::Projection| seen.answered.contains_key(&question);
        let seen = self.window.until("the end of a change", ended).await;
        (card, seen.answered[&question].clone())
    }

    /// The same with a yes, after which the change is made.
    ///
    /// # Panics
    /// When it is not.
    pub async fn agreed(&self, change: ChangeOutcome) -> Question {
        let (card, end) = self.answered(change, yes(Scope::Once)).await;
        assert_eq!(end, ChangeEnd::Done);
        card
    }

    /// Says something in a chat.
    pub async fn say(&self, chat: ChatId, text: &str) {
        self.say_with(chat, text, &[]).await;
    }

    /// Says something with what was picked of servers.
    pub async fn say_with(&self, chat: ChatId, text: &str, attached: &[AttachmentId]) {
        self.host
            .chat_send(chat, text.into(), attached.to_vec())
            .await
            .unwrap();
        self.window.catch_up(&self.host).await;
    }

    /// Waits until the model has finished, and gives back the chat.
    pub async fn finished(&self, chat: ChatId) -> Vec<EntryView> {
        // A window that is behind may still show the chat as it was before its turn.
        self.window.catch_up(&self.host).await;
        self.window
            .until_some("a chat at rest", |seen| {
                let is_idle = seen.chats.get(&chat).is_some_and(|chat| !chat.busy);
                is_idle.then(|| seen.chat(chat).to_vec())
            })
            .await
    }

    /// The newest part of a chat, read from the host.
    ///
    /// # Panics
    /// When it cannot be read.
    pub async fn newest_entries(&self, chat: ChatId) -> Vec<EntryView> {
        let part = self.host.chat_entries(chat, EntriesPart::Newest).await;
        part.unwrap().entries
    }

    /// The calls of a chat, in order.
    #[must_use]
    pub fn calls(entries: &[EntryView]) -> Vec<CallBody> {
        let call = |entry: &EntryView| match &entry.body {
            EntryBody::Call(call) => Some(call.clone()),
            _ => None,
        };
        entries.iter().filter_map(call).collect()
    }

    /// Waits until the last call in a chat is like this.
    pub async fn call(&self, chat: ChatId, what: &str, is: impl Fn(&CallState) -> bool) -> CallBody {
        let last = |entries: &[EntryView]| Self::calls(entries).pop();
        let seen = self
            .window
            .until(what, |seen| {
                last(seen.chat(chat)).is_some_and(|call| is(&call.state))
            })
            .await;
        last(seen.chat(chat)).unwrap()
    }

    /// From now on every card gets a yes for once.
    pub fn agrees(&self) {
        self.person.answers(|_| Some(yes(Scope::Once)));
    }
}
