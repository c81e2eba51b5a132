//! Servers in a scene: added, let begin by the user, and looked at as the window shows them.

use vestibule_consent::{Answer, Connection, QuestionBody};
use vestibule_host::view::{
    EndpointDraft, EnvPair, OffersView, ProgramDraft, ServerDraft, ServerState, ServerView, ToolRule,
};
use vestibule_policy::Scope;
use vestibule_protocol::ServerId;

use crate::soon::in_time;
use crate::{Home, Puppet, Scene, Stage, program, soon, yes};

impl Scene {
    /// Adds a server of this package's program.
    pub async fn add(&self, name: &str, args: Vec<String>, env: &[(&str, &str)]) -> ServerId {
        let pair = |(name, value): &(&str, &str)| EnvPair {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
            pasted: false,
            from_computer: false,
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
            pasted: false,
            from_computer: false,
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
        let QuestionBody::ConnectServer(connection) = question.about.clone() else {
            panic!("{question:?}")
        };
        assert_eq!(question.server.id, server);
        self.person.say(&question, yes(scope)).await;
        connection
    }

    /// Adds the tour and starts it with the user's yes.
    pub async fn tour(&self) -> ServerId {
        let args = vec!["tour".into(), self.folder().display().to_string()];
        let server = self.add("tour", args, &[]).await;
        self.start(server, Scope::Once).await;
        self.ready(server).await;
        server
    }

    /// Adds a puppet that has a token, and a file among its arguments.
    pub async fn add_puppet(&self, name: &str) -> (ServerId, Stage) {
        let stage = Stage::new(self.folder(), name);
        let mut args = stage.args();
        let file = self.folder().join(format!("{name}.txt"));
        let home = Home {
            file: Some(file.clone()),
            ..Home::default()
        };
        if let Some(text) = self.plant("the text of a file of a server", home) {
            std::fs::write(&file, text).unwrap();
            args.push(file.display().to_string());
        }
        let token = self.plant("the token of a server", Home::default());
        let env: Vec<_> = token
            .iter()
            .map(|token| ("NOTES_TOKEN", token.as_str()))
            .collect();
        let server = self.add(name, args, &env).await;
        (server, stage)
    }

    /// Adds a puppet with these tools and starts it with the user's yes.
    pub async fn puppet(&self, name: &str, tools: &[serde_json::Value]) -> (ServerId, Puppet, Stage) {
        let (server, stage) = self.add_puppet(name).await;
        self.start(server, Scope::Once).await;
        let mut puppet = stage.puppet().await;
        puppet.greet(tools).await;
        self.ready(server).await;
        (server, puppet, stage)
    }

    /// Adds a puppet of the modern era with these tools and starts it with the user's yes.
    pub async fn modern_puppet(&self, name: &str, tools: &[serde_json::Value]) -> (ServerId, Puppet, Stage) {
        let (server, stage) = self.add_puppet(name).await;
        self.start(server, Scope::Once).await;
        let mut puppet = stage.puppet().await;
        puppet.greet_modern(tools).await;
        self.ready(server).await;
        (server, puppet, stage)
    }

    /// Starts a server and says yes to the question.
    ///
    /// # Panics
    /// When something else is asked.
    pub async fn start(&self, server: ServerId, scope: Scope) {
        self.host.server_start(server).await.unwrap();
        let question = self.person.asked().await;
        assert!(
            matches!(question.about, QuestionBody::StartServer(_)),
            "{question:?}"
        );
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

    /// Waits until the first tool of a server is under this rule: an answer is worked on in a task of its own.
    pub async fn server_tool_is(&self, server: ServerId, rule: ToolRule) {
        let changed = async {
            while self.host.server_tools(server)[0].rule != rule {
                tokio::task::yield_now().await;
            }
        };
        soon("the rule of a tool", changed).await;
    }

    /// Waits until what a server offers besides tools is like this.
    pub async fn offers(&self, server: ServerId, is: impl Fn(&OffersView) -> bool) -> OffersView {
        let listed = async {
            loop {
                let offers = self.host.server_offers(server).unwrap();
                if is(&offers) {
                    return offers;
                }
                tokio::task::yield_now().await;
            }
        };
        soon("what a server offers", listed).await
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
        let came = in_time(logged).await;
        assert!(
            came.is_some(),
            "not all of {lines:?} are in {:#?}",
            self.log(server)
        );
    }

    /// Has a tool called without a question from now on, which takes the user's yes.
    pub async fn allow(&self, server: ServerId, tool: &str) {
        self.host.tool_rule(server, tool, ToolRule::Allow).await.unwrap();
        let question = self.person.asked().await;
        self.person.say(&question, yes(Scope::Always)).await;
    }

    /// From now on every start gets a yes; other cards wait for [`crate::Person::asked`].
    pub fn lets_servers_start(&self) {
        self.person.answers(|question| match question.about {
            QuestionBody::StartServer(_) => Some(yes(Scope::Once)),
            _ => None::<Answer>,
        });
    }
}
