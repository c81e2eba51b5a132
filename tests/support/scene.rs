//! A whole host on a folder of its own, with a person and a window. Closing a scene checks what holds for every
//! story: the ledger is intact, each effect has its intent and its outcome, and no process is left.

use std::path::{Path, PathBuf};

use vestibule_consent::{About, Answer, Connection};
use vestibule_host::Host;
use vestibule_host::view::{
    CallBody, CallState, EndpointDraft, EntryBody, EntryView, EnvPair, ModelDraft, ProgramDraft, ServerDraft,
    ServerState, ServerView,
};
use vestibule_policy::Scope;
use vestibule_protocol::{AttachmentId, ChatId, ModelId, ServerId};
use vestibule_store::{Store, Verification, verify_file};

use crate::{Model, Opening, Person, Puppet, Stage, Window, ended, gone, program, records, soon, yes};

/// A host in use.
pub struct Scene {
    /// The host.
    pub host: Host,
    /// What it keeps, to look at.
    pub store: Store,
    /// Who answers.
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

    /// The database.
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
        let verified = verify_file(&opening.database()).unwrap();
        assert!(matches!(verified, Verification::Intact { .. }), "{verified:?}");
        let store = Store::open(&opening.database()).unwrap();
        for (action, object, end) in ended(&records(&store).await) {
            assert!(end.is_some(), "nothing says how {action} {object} ended");
        }
        store.close().await;
        opening
    }

    /// Adds a server of this package's program.
    pub async fn add(&self, name: &str, args: Vec<String>, env: &[(&str, &str)]) -> ServerId {
        let pair = |(name, value): &(&str, &str)| EnvPair {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        let program = ProgramDraft {
            command: program("vestibule-server").display().to_string(),
            args,
            env: env.iter().map(pair).collect(),
            folder: None,
        };
        let draft = ServerDraft::here(name, program);
        self.host.server_add(draft).await.unwrap()
    }

    /// Adds a server at an address.
    pub async fn add_at(&self, name: &str, url: &str, headers: &[(&str, &str)]) -> ServerId {
        let pair = |(name, value): &(&str, &str)| EnvPair {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        let endpoint = EndpointDraft {
            url: url.into(),
            headers: headers.iter().map(pair).collect(),
            ..EndpointDraft::default()
        };
        let draft = ServerDraft::at(name, endpoint);
        self.host.server_add(draft).await.unwrap()
    }

    /// Connects a server at an address and says yes to the question, which is given back.
    ///
    /// # Panics
    /// When something else is asked.
    pub async fn connect(&self, server: ServerId, scope: Scope) -> Connection {
        self.host.server_start(server).await.unwrap();
        let question = self.person.asked().await;
        let About::ConnectServer(connection) = question.about.clone() else {
            panic!("{question:?}")
        };
        assert_eq!(question.server.id, server);
        self.person.say(&question, yes(scope)).await;
        connection
    }

    /// Adds the tour and starts it with the person's yes.
    pub async fn tour(&self) -> ServerId {
        let args = vec!["tour".into(), self.folder().display().to_string()];
        let server = self.add("tour", args, &[]).await;
        self.start(server, Scope::Once).await;
        self.ready(server).await;
        server
    }

    /// Adds a puppet with these tools and starts it with the person's yes.
    pub async fn puppet(&self, name: &str, tools: &[serde_json::Value]) -> (ServerId, Puppet, Stage) {
        let stage = Stage::new(self.folder(), name);
        let server = self.add(name, stage.args(), &[]).await;
        self.start(server, Scope::Once).await;
        let mut puppet = stage.puppet().await;
        puppet.greet(tools).await;
        self.ready(server).await;
        (server, puppet, stage)
    }

    /// Adds a puppet of the modern era with these tools and starts it with the person's yes.
    pub async fn modern_puppet(&self, name: &str, tools: &[serde_json::Value]) -> (ServerId, Puppet, Stage) {
        let stage = Stage::new(self.folder(), name);
        let server = self.add(name, stage.args(), &[]).await;
        self.start(server, Scope::Once).await;
        let mut puppet = stage.puppet().await;
        puppet.greet_modern(tools).await;
        self.ready(server).await;
        (server, puppet, stage)
    }

    /// What the browser was called with so far, each argument.
    #[must_use]
    pub fn opened(&self) -> Vec<String> {
        let all = std::fs::read_to_string(self.folder().join("opened")).unwrap_or_default();
        all.split_terminator('\0').map(str::to_owned).collect()
    }

    /// Starts a server and says yes to the question.
    ///
    /// # Panics
    /// When something else is asked.
    pub async fn start(&self, server: ServerId, scope: Scope) {
        self.host.server_start(server).await.unwrap();
        let question = self.person.asked().await;
        assert!(matches!(question.about, About::StartServer(_)), "{question:?}");
        assert_eq!(question.server.id, server);
        self.person.say(&question, yes(scope)).await;
    }

    /// Waits until a server is connected.
    pub async fn ready(&self, server: ServerId) -> ServerView {
        let is_ready = |view: &ServerView| matches!(view.state, ServerState::Ready { .. });
        self.server(server, "a connected server", is_ready).await
    }

    /// Waits until a server is like this.
    pub async fn server(&self, server: ServerId, what: &str, is: impl Fn(&ServerView) -> bool) -> ServerView {
        let seen = self
            .window
            .until(what, |seen| seen.servers.get(&server).is_some_and(&is))
            .await;
        seen.servers[&server].clone()
    }

    /// The lines of a server's log in one text.
    #[must_use]
    pub fn log(&self, server: ServerId) -> String {
        let page = self.host.server_log(server, 0).unwrap();
        let lines = page.lines.into_iter().map(|line| line.text);
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Waits until these stand in a server's log.
    pub async fn logged(&self, server: ServerId, lines: &[&str]) {
        let mut seen = self.window.seen();
        let logged = async {
            while !lines.iter().all(|line| self.log(server).contains(line)) {
                // The host tells of a log that grew, though not of each line.
                seen.changed().await.unwrap();
            }
        };
        soon("the lines in the log", logged).await;
    }

    /// A new chat.
    pub async fn chat(&self) -> ChatId {
        self.host.chat_create().await.unwrap().id
    }

    /// A new chat with a model that says what it is told to.
    pub async fn scripted_chat(&self) -> (ChatId, Model) {
        let chat = self.chat().await;
        let model = Model::start().await;
        let id = self.add_model(&model.base_url, None).await;
        self.host.chat_model(chat, Some(id)).await.unwrap();
        (chat, model)
    }

    /// Adds a model at an address.
    pub async fn add_model(&self, base_url: &str, key: Option<&str>) -> ModelId {
        let draft = ModelDraft {
            id: None,
            label: String::new(),
            base_url: base_url.into(),
            model: "scripted".into(),
            key: key.map(str::to_owned),
            price_in: None,
            price_out: None,
        };
        self.host.model_save(draft).await.unwrap()
    }

    /// Says something in a chat.
    pub async fn say(&self, chat: ChatId, text: &str) {
        self.say_with(chat, text, &[]).await;
    }

    /// Says something with what was picked of servers.
    pub async fn say_with(&self, chat: ChatId, text: &str, attached: &[AttachmentId]) {
        self.host.chat_send(chat, text.into(), attached).await.unwrap();
        self.window.catch_up(&self.host).await;
    }

    /// Waits until the model has finished, and gives back the chat.
    pub async fn finished(&self, chat: ChatId) -> Vec<EntryView> {
        let is_idle = |chat_is: &vestibule_host::view::ChatView| !chat_is.busy;
        let seen = self
            .window
            .until("a chat at rest", |seen| {
                seen.chats.get(&chat).is_some_and(is_idle)
            })
            .await;
        seen.chat(chat).to_vec()
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

    /// From now on every start gets a yes; other cards wait for [`Person::asked`].
    pub fn lets_servers_start(&self) {
        self.person.answers(|question| match question.about {
            About::StartServer(_) => Some(yes(Scope::Once)),
            _ => None::<Answer>,
        });
    }
}
