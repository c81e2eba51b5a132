//! Signing in, in order: public documents, the user's consent, registration, the page, the code, the token.
//! Nothing but public documents is asked for before the user agreed to this very issuer with these very
//! endpoints, and whatever breaks off on the way leaves the tokens there were as they were.

use secrecy::{ExposeSecret, SecretString};
use url::Url;

use oauth2::basic::BasicClient;
use oauth2::{AuthUrl, ClientId, CsrfToken, PkceCodeChallenge, RedirectUrl, Scope};

use super::AuthorizerInner;
use super::finding::{Discovered, OFFLINE};
use crate::client::Client;
use crate::dpop::{DpopKey, seconds};
use crate::error::{AuthError, Reason, Step};
use crate::listener::Listener;
use crate::metadata::{IssuerMetadata, proves};
use crate::random::unguessable;
use crate::registration::{ClientChoice, choose, register};
use crate::settings::{Grant, Possession};
use crate::stored::{Registration, StoredTokens};
use crate::token::{TokenEndpoint, Tokens};
use crate::user_agent::{Approved, SignInPrompt};

/// Parameters of the sign-in page that only we may set.
const OURS: [&str; 10] = [
    "client_id",
    "code_challenge",
    "code_challenge_method",
    "prompt",
    "redirect_uri",
    "request",
    "request_uri",
    "resource",
    "response_type",
    "state",
];

impl AuthorizerInner {
    pub(super) async fn sign_in(&self) -> Result<(), AuthError> {
        self.load().await?;
        let before = self.held().generation;
        let _page = self.page.lock().await;
        {
            let held = self.held();
            if held.generation != before && held.kept.is_some() {
                return Ok(());
            }
        }
        let found = self.discover().await?;
        let key = match self.settings.possession {
            Possession::WhereOffered { .. }
                if found.takes_proofs && proves(&found.server.dpop_algorithms) =>
            {
                Some(DpopKey::generate()?)
            }
            _ => None,
        };
        let (client, tokens) = match &self.settings.grant {
            Grant::Page => self.by_page(&found, key.as_ref()).await?,
            _ => self.by_machine(&found, key.as_ref()).await?,
        };
        self.remember(&self.issuer_name(), &found.server.issuer).await?;
        let kept = StoredTokens {
            server: self.settings.server.as_str().to_owned(),
            resource: found.resource,
            client,
            token_endpoint: found.server.token_endpoint,
            revocation_endpoint: found.server.revocation_endpoint,
            access: tokens.access,
            refresh: tokens.refresh,
            key: key.map(|key| key.secret().clone()),
            obtained: seconds(self.now()),
            life: tokens.life,
            granted: tokens.scopes.unwrap_or_else(|| found.scopes.clone()),
            requested: found.scopes,
        };
        self.keep(kept).await?;
        let mut held = self.held();
        held.wants_more = false;
        held.another = false;
        drop(held);
        Ok(())
    }

    async fn by_machine(
        &self,
        found: &Discovered,
        key: Option<&DpopKey>,
    ) -> Result<(Client, Tokens), AuthError> {
        let ClientChoice::Known { client, kind, port } = self.machine(&found.server)? else {
            return Err(AuthError::new(Step::Identity, Reason::NoClient));
        };
        let choice = ClientChoice::Known {
            client: client.clone(),
            kind,
            port,
        };
        self.consent(found, &choice).await?;
        let server = &found.server;
        let form = self.machine_form(
            &server.token_endpoint,
            &server.issuer,
            &found.resource,
            &found.scopes,
        );
        let endpoint = self.endpoint(&found.server, &client, key);
        let tokens = endpoint.usable(Step::Token, form.await?).await?;
        Ok((client, tokens))
    }

    async fn by_page(
        &self,
        found: &Discovered,
        key: Option<&DpopKey>,
    ) -> Result<(Client, Tokens), AuthError> {
        let server = &found.server;
        let page = server.authorization_endpoint.as_ref().ok_or_else(|| {
            AuthError::unsupported(Step::Server, "the authorization server has no sign-in page")
        })?;
        if let Some((name, _)) = page.query_pairs().find(|(name, _)| OURS.contains(&name.as_ref())) {
            let why = format!(
                "the sign-in page's address already holds \u{201c}{name}\u{201d}, which is ours to say"
            );
            return Err(AuthError::new(Step::Server, Reason::Unsafe(why)));
        }
        let earlier: Option<Registration> = self.recall(&Self::registration_name(&server.issuer)).await?;
        let earlier = earlier.filter(|_| self.may_reuse_registration(server));
        let (application, entered) = (&self.settings.application, self.settings.entered.as_ref());
        let mut choice = choose(server, application, entered, earlier, self.now())?;
        self.check_page(server, &choice)?;
        let approved = self.consent(found, &choice).await?;
        loop {
            let repeatable = choice.may_be_repeated();
            let listener = match Listener::bind(choice.port()).await {
                Ok(listener) => listener,
                // Another program has the registered port: register another one.
                Err(_) if repeatable && server.registration_endpoint.is_some() => {
                    Listener::bind(None).await?
                }
                Err(error) => return Err(error),
            };
            let client = self.client(server, &choice, &listener).await?;
            match self.visit(found, &approved, listener, &client, key).await {
                Err(error) if repeatable && error.is_refusal("invalid_client") => {
                    self.forget_registration(&server.issuer).await?;
                    choice = choose(server, application, entered, None, self.now())?;
                }
                outcome => return outcome.map(|tokens| (client, tokens)),
            }
        }
    }

    /// Asks the user about exactly this.
    async fn consent(&self, found: &Discovered, choice: &ClientChoice) -> Result<Approved, AuthError> {
        let server = &found.server;
        let registers = matches!(choice, ClientChoice::Register(_)) || choice.may_be_repeated();
        let by_page = matches!(self.settings.grant, Grant::Page);
        let request = SignInPrompt {
            server: self.settings.server.clone(),
            resource: found.resource.clone(),
            issuer: server.issuer.clone(),
            relation: found.relation.clone(),
            way: self.way()?,
            authorization_endpoint: server.authorization_endpoint.clone().filter(|_| by_page),
            token_endpoint: server.token_endpoint.clone(),
            registration_endpoint: server.registration_endpoint.clone().filter(|_| registers),
            scopes: found.scopes.clone(),
            new_scopes: found.new_scopes.clone(),
            client: choice.kind(),
            oddities: found.oddities.clone(),
            file: self.assertion_file().await?,
        };
        // Another request may want something else by the time of the answer.
        let more = self.asked_for_more();
        match self.person.consent(request.clone()).await {
            Ok(approved) if *approved.request() == request => Ok(approved),
            Ok(_) => {
                let why = "the consent that was given is for something else".to_owned();
                Err(AuthError::new(Step::Consent, Reason::Local(why)))
            }
            Err(_) => {
                self.held().declined.extend(more);
                Err(AuthError::new(Step::Consent, Reason::Declined))
            }
        }
    }

    /// Counts that the user is asked for more, and for what.
    fn asked_for_more(&self) -> Option<String> {
        let mut held = self.held();
        if !held.wants_more {
            return None;
        }
        let key = held.demand.scope.clone().unwrap_or_default().key();
        *held.step_ups.entry(key.clone()).or_default() += 1;
        Some(key)
    }

    /// The client, registered now if it has to be.
    async fn client(
        &self,
        server: &IssuerMetadata,
        choice: &ClientChoice,
        listener: &Listener,
    ) -> Result<Client, AuthError> {
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
        let application = &self.settings.application;
        let registration = register(&self.wire, server, endpoint, application, &redirect_uri).await?;
        self.remember(&Self::registration_name(&server.issuer), &registration)
            .await?;
        Ok(registration.client)
    }

    /// Shows the page, waits for the browser, and exchanges the code.
    async fn visit(
        &self,
        found: &Discovered,
        approved: &Approved,
        listener: Listener,
        client: &Client,
        key: Option<&DpopKey>,
    ) -> Result<Tokens, AuthError> {
        let server = &found.server;
        let redirect_uri = listener.redirect_uri();
        let state = unguessable();
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let verifier = SecretString::from(verifier.into_secret());
        let page = page(found, client, &redirect_uri, &state, challenge)?;
        let (limits, text) = (&self.settings.limits, &self.settings.application.page);
        let opening = async {
            let opened = self.person.open(approved, &page).await;
            match opened {
                Ok(()) => std::future::pending().await,
                Err(error) => AuthError::new(Step::Browser, Reason::Local(error.0)),
            }
        };
        let answer = tokio::select! {
            answer = listener.wait(&state, text, limits.person) => answer?,
            error = opening => return Err(error),
        };
        let code = answer.code(server)?;
        let form = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.expose_secret().to_owned()),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier.expose_secret().to_owned()),
            ("resource", found.resource.clone()),
        ];
        self.endpoint(server, client, key).usable(Step::Token, form).await
    }

    fn endpoint<'a>(
        &'a self,
        server: &'a IssuerMetadata,
        client: &'a Client,
        key: Option<&'a DpopKey>,
    ) -> TokenEndpoint<'a> {
        TokenEndpoint {
            wire: &self.wire,
            address: &server.token_endpoint,
            client,
            key,
            nonces: &self.nonces,
            now: self.now(),
        }
    }
}

/// The address of the sign-in page.
fn page(
    found: &Discovered,
    client: &Client,
    redirect_uri: &str,
    state: &str,
    challenge: PkceCodeChallenge,
) -> Result<Url, AuthError> {
    let page = found
        .server
        .authorization_endpoint
        .clone()
        .expect("checked before consent");
    let redirect = RedirectUrl::new(redirect_uri.to_owned()).expect("a loopback address is an address");
    let client = BasicClient::new(ClientId::new(client.id.clone().unwrap_or_default()))
        .set_auth_uri(AuthUrl::from_url(page))
        .set_redirect_uri(redirect);
    let state = state.to_owned();
    let mut request = client
        .authorize_url(move || CsrfToken::new(state))
        .set_pkce_challenge(challenge)
        .add_extra_param("resource", found.resource.clone())
        .add_scopes(found.scopes.iter().map(|scope| Scope::new(scope.to_owned())));
    let another = found.server.another().filter(|_| found.another);
    let prompts = [another, found.scopes.contains(OFFLINE).then_some("consent")];
    let prompts: Vec<&str> = prompts.into_iter().flatten().collect();
    if !prompts.is_empty() {
        request = request.add_extra_param("prompt", prompts.join(" "));
    }
    Ok(request.url().0)
}
