//! Signing in, in order: public documents, the user's consent, registration, the page, the code, the token.
//! Nothing but public documents is asked for before the user agreed to this very issuer with these very
//! endpoints, and whatever breaks off on the way leaves the tokens there were as they were.

use secrecy::{ExposeSecret, SecretString};
use url::Url;

use oauth2::basic::BasicClient;
use oauth2::{AuthUrl, ClientId, CsrfToken, EndpointSet, PkceCodeChallenge, RedirectUrl, Scope};

use super::AuthorizerInner;
use super::finding::{Discovered, OFFLINE, discover};
use super::grants::{assertion_file, machine_client, way};
use super::page::{check_page, may_reuse_registration};
use crate::callback::Parameters;
use crate::client::Client;
use crate::dpop::{DpopKey, seconds};
use crate::error::{AuthError, Reason, Step};
use crate::listener::Listener;
use crate::metadata::{IssuerMetadata, proves};
use crate::random::unguessable;
use crate::registration::{ClientChoice, choose, register};
use crate::settings::{Grant, Possession};
use crate::stored::{Registration, StoredTokens};
use crate::token::Tokens;
use crate::user_agent::{Approved, SignInPrompt};

/// Parameters of the sign-in page that only we may set.
const OURS: [&str; 14] = [
    "authorization_details",
    "claims",
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "redirect_uri",
    "request",
    "request_uri",
    "resource",
    "response_mode",
    "response_type",
    "scope",
    "state",
];

/// A sign-in that is under way, from the moment it is known how the server signs users in.
pub(super) struct SignInRun<'a> {
    authorizer: &'a AuthorizerInner,
    found: Discovered,
    /// The key the token is to be bound to.
    key: Option<DpopKey>,
}

impl<'a> SignInRun<'a> {
    /// Finds out how the server signs users in.
    pub(super) async fn begin(authorizer: &'a AuthorizerInner) -> Result<Self, AuthError> {
        let found = discover(authorizer).await?;
        let key = match authorizer.settings.possession {
            Possession::WhereOffered { .. }
                if found.takes_proofs && proves(&found.server.dpop_algorithms) =>
            {
                Some(DpopKey::generate()?)
            }
            _ => None,
        };
        Ok(Self {
            authorizer,
            found,
            key,
        })
    }

    /// Asks the user and gets a token.
    pub(super) async fn finish(self) -> Result<StoredTokens, AuthError> {
        let (client, tokens) = self.get_tokens().await?;
        let found = self.found;
        let records = &self.authorizer.records;
        records.put_last_issuer(&found.server.issuer).await?;
        Ok(StoredTokens {
            server: self.authorizer.settings.server.as_str().to_owned(),
            resource: found.resource,
            client,
            token_endpoint: found.server.token_endpoint,
            revocation_endpoint: found.server.revocation_endpoint,
            access: tokens.access,
            refresh: tokens.refresh,
            key: self.key.map(|key| key.secret().clone()),
            obtained: seconds(self.authorizer.now()),
            life: tokens.life,
            granted: tokens.scopes.unwrap_or_else(|| found.scopes.clone()),
            requested: found.scopes,
        })
    }

    async fn get_tokens(&self) -> Result<(Client, Tokens), AuthError> {
        match &self.authorizer.settings.grant {
            Grant::Page => self.by_page().await,
            _ => self.by_machine().await,
        }
    }

    async fn by_machine(&self) -> Result<(Client, Tokens), AuthError> {
        let (found, server) = (&self.found, &self.found.server);
        let choice = machine_client(&self.authorizer.settings, server)?;
        let ClientChoice::Known { client, .. } = &choice else {
            return Err(AuthError::new(Step::Identity, Reason::NoClient));
        };
        self.consent(&choice).await?;
        let requests = self.authorizer.token_requests();
        let form = requests.machine_form(
            &server.token_endpoint,
            &server.issuer,
            &found.resource,
            &found.scopes,
        );
        let endpoint = requests.endpoint(&server.token_endpoint, client, self.key.as_ref());
        let tokens = endpoint.usable(Step::Token, form.await?).await?;
        Ok((client.clone(), tokens))
    }

    async fn by_page(&self) -> Result<(Client, Tokens), AuthError> {
        let server = &self.found.server;
        check_address(server)?;
        let records = &self.authorizer.records;
        let mut choice = self.choose_client(self.earlier_registration().await?)?;
        check_page(&self.authorizer.settings.grant, server, &choice)?;
        let approved = self.consent(&choice).await?;
        loop {
            let repeatable = choice.may_be_repeated();
            let listener = self.bind(&choice).await?;
            let client = self.client(&choice, &listener).await?;
            // Until the page comes back. Dropping the sign-in while the page is open leaves it as it is.
            self.authorizer.held().unanswered = client.id.clone().filter(|_| repeatable);
            match self.visit(&approved, listener, &client).await {
                Err(error) if repeatable && error.is_unknown_client() => {
                    records.delete_registration(&server.issuer).await?;
                    choice = self.choose_client(None)?;
                }
                outcome => return outcome.map(|tokens| (client, tokens)),
            }
        }
    }

    /// The registration there is with the issuer, if it may be used with this sign-in page. One that was used already and
    /// whose page never came back is not used again: authorization servers that do not know a client show an error there.
    async fn earlier_registration(&self) -> Result<Option<Registration>, AuthError> {
        let server = &self.found.server;
        let earlier = self.authorizer.records.registration(&server.issuer).await?;
        let unanswered = self.authorizer.held().unanswered.clone();
        let can_register = server.registration_endpoint.is_some();
        Ok(earlier
            .filter(|_| may_reuse_registration(&self.authorizer.settings.grant, server))
            .filter(|it| unanswered.is_none() || it.client.id != unanswered || !can_register))
    }

    fn choose_client(&self, earlier: Option<Registration>) -> Result<ClientChoice, AuthError> {
        let settings = &self.authorizer.settings;
        let entered = settings.entered.as_ref();
        let now = self.authorizer.now();
        choose(&self.found.server, &settings.application, entered, earlier, now)
    }

    /// The socket for the answer of the page, on the client's port where that is free.
    async fn bind(&self, choice: &ClientChoice) -> Result<Listener, AuthError> {
        let may_register = choice.may_be_repeated() && self.found.server.registration_endpoint.is_some();
        match Listener::bind(choice.port()).await {
            // Another program has the registered port: register another one.
            Err(_) if may_register => Listener::bind(None).await,
            bound => bound,
        }
    }

    /// Asks the user about exactly this.
    async fn consent(&self, choice: &ClientChoice) -> Result<Approved, AuthError> {
        let request = self.prompt(choice).await?;
        // Another request may want something else by the time of the answer.
        let more = self.authorizer.held().count_step_up();
        match self.authorizer.person.consent(request.clone()).await {
            Ok(approved) if *approved.request() == request => Ok(approved),
            Ok(_) => {
                let why = "the consent that was given is for something else".to_owned();
                Err(AuthError::new(Step::Consent, Reason::Local(why)))
            }
            Err(_) => {
                self.authorizer.held().declined.extend(more);
                Err(AuthError::new(Step::Consent, Reason::Declined))
            }
        }
    }

    async fn prompt(&self, choice: &ClientChoice) -> Result<SignInPrompt, AuthError> {
        let settings = &self.authorizer.settings;
        let (found, server) = (&self.found, &self.found.server);
        let registers = matches!(choice, ClientChoice::Register(_)) || choice.may_be_repeated();
        let by_page = matches!(settings.grant, Grant::Page);
        Ok(SignInPrompt {
            server: settings.server.clone(),
            resource: found.resource.clone(),
            issuer: server.issuer.clone(),
            relation: found.relation.clone(),
            way: way(settings, &self.authorizer.wire)?,
            authorization_endpoint: server.authorization_endpoint.clone().filter(|_| by_page),
            token_endpoint: server.token_endpoint.clone(),
            registration_endpoint: server.registration_endpoint.clone().filter(|_| registers),
            scopes: found.scopes.clone(),
            new_scopes: found.new_scopes.clone(),
            client: choice.kind(),
            oddities: found.oddities.clone(),
            file: assertion_file(&settings.grant).await?,
        })
    }

    /// The client, registered now if it has to be.
    async fn client(&self, choice: &ClientChoice, listener: &Listener) -> Result<Client, AuthError> {
        let server = &self.found.server;
        let redirect_uri = listener.redirect_uri();
        let endpoint = match choice {
            ClientChoice::Known { client, port, .. } => {
                let moved = port.is_some_and(|port| !redirect_uri.contains(&format!(":{port}/")));
                match &server.registration_endpoint {
                    Some(endpoint) if moved => endpoint,
                    _ => return Ok(client.clone()),
                }
            }
            ClientChoice::Register(endpoint) => endpoint,
        };
        let (wire, records) = (&self.authorizer.wire, &self.authorizer.records);
        let application = &self.authorizer.settings.application;
        let registration = register(wire, server, endpoint, application, &redirect_uri).await?;
        records.put_registration(&server.issuer, &registration).await?;
        Ok(registration.client)
    }

    /// Shows the page, waits for the browser, and exchanges the code.
    async fn visit(
        &self,
        approved: &Approved,
        listener: Listener,
        client: &Client,
    ) -> Result<Tokens, AuthError> {
        let redirect_uri = listener.redirect_uri();
        let state = unguessable();
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let verifier = SecretString::from(verifier.into_secret());
        let page = page(&self.found, client, &redirect_uri, &state, challenge)?;
        let answer = self.open_page(approved, &page, listener, &state).await;
        if !matches!(&answer, Err(error) if matches!(error.reason, Reason::TimedOut(_))) {
            self.authorizer.held().unanswered = None;
        }
        let code = answer?.code(&self.found.server)?;
        self.redeem(client, &code, redirect_uri, &verifier).await
    }

    /// Opens the page in the browser and waits for its answer.
    async fn open_page(
        &self,
        approved: &Approved,
        page: &Url,
        listener: Listener,
        state: &str,
    ) -> Result<Parameters, AuthError> {
        let patience = self.authorizer.settings.limits.person;
        let callback_page = self.authorizer.person.callback_page();
        let opening = async {
            match self.authorizer.person.open(approved, page).await {
                Ok(()) => std::future::pending().await,
                Err(error) => AuthError::new(Step::Browser, Reason::Local(error.0)),
            }
        };
        tokio::select! {
            answer = listener.wait(state, &callback_page, patience) => answer,
            error = opening => Err(error),
        }
    }

    /// Exchanges the code for tokens.
    async fn redeem(
        &self,
        client: &Client,
        code: &SecretString,
        redirect_uri: String,
        verifier: &SecretString,
    ) -> Result<Tokens, AuthError> {
        let form = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.expose_secret().to_owned()),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier.expose_secret().to_owned()),
            ("resource", self.found.resource.clone()),
        ];
        let requests = self.authorizer.token_requests();
        let endpoint = requests.endpoint(&self.found.server.token_endpoint, client, self.key.as_ref());
        endpoint.usable(Step::Token, form).await
    }
}

/// Refuses an issuer without a sign-in page, and one whose page says what only we may say.
fn check_address(server: &IssuerMetadata) -> Result<(), AuthError> {
    let page = server.authorization_endpoint.as_ref().ok_or_else(|| {
        AuthError::unsupported(Step::Server, "the authorization server has no sign-in page")
    })?;
    let Some((name, _)) = page.query_pairs().find(|(name, _)| OURS.contains(&name.as_ref())) else {
        return Ok(());
    };
    let why =
        format!("the sign-in page's address already holds \u{201c}{name}\u{201d}, which is ours to say");
    Err(AuthError::new(Step::Server, Reason::Unsafe(why)))
}

/// The address of the sign-in page.
fn page(
    found: &Discovered,
    client: &Client,
    redirect_uri: &str,
    state: &str,
    challenge: PkceCodeChallenge,
) -> Result<Url, AuthError> {
    let state = state.to_owned();
    let client = page_client(found, client, redirect_uri);
    let mut request = client
        .authorize_url(move || CsrfToken::new(state))
        .set_pkce_challenge(challenge)
        .add_extra_param("resource", found.resource.clone())
        .add_scopes(found.scopes.iter().map(|scope| Scope::new(scope.to_owned())));
    if let Some(prompt) = page_prompt(found) {
        request = request.add_extra_param("prompt", prompt);
    }
    Ok(request.url().0)
}

fn page_client(found: &Discovered, client: &Client, redirect_uri: &str) -> BasicClient<EndpointSet> {
    let page = found
        .server
        .authorization_endpoint
        .clone()
        .expect("checked before consent");
    let redirect = RedirectUrl::new(redirect_uri.to_owned()).expect("a loopback address is an address");
    BasicClient::new(ClientId::new(client.id.clone().unwrap_or_default()))
        .set_auth_uri(AuthUrl::from_url(page))
        .set_redirect_uri(redirect)
}

/// What the page shall ask the user for: another account, and access beyond the sign-in.
fn page_prompt(found: &Discovered) -> Option<String> {
    let another = found.server.another().filter(|_| found.another);
    let prompts = [another, found.scopes.contains(OFFLINE).then_some("consent")];
    let prompts: Vec<&str> = prompts.into_iter().flatten().collect();
    (!prompts.is_empty()).then(|| prompts.join(" "))
}
