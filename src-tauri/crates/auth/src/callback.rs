//! What the browser brought back, and whether it may be acted on. Who answered is checked before anything else
//! is looked at (RFC 9207), with plain text comparison, also for errors: words of the wrong server are not shown.

use secrecy::SecretString;

use crate::error::{AuthError, Step};
use crate::metadata::IssuerMetadata;
use crate::token::refused;

const MAX_CODE: usize = 4096;

/// The parameters of an answer. None of them is trusted yet.
#[derive(Debug)]
pub(crate) struct Parameters {
    pub(crate) state: String,
    code: Option<SecretString>,
    issuer: Option<String>,
    error: Option<(String, Option<String>)>,
}

impl Parameters {
    /// The parameters of a query; `None` when there is no state or one of them stands there twice.
    pub(crate) fn parse(query: &str) -> Option<Self> {
        let pairs: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).collect();
        let names = ["state", "code", "iss", "error", "error_description"];
        let value = |name: &str| {
            let found = pairs.iter().find(|(own, _)| own == name);
            found.map(|(_, value)| value.clone().into_owned())
        };
        let once = |name: &&str| pairs.iter().filter(|(own, _)| own == name).count() <= 1;
        if !names.iter().all(once) {
            return None;
        }
        Some(Self {
            state: value("state")?,
            code: value("code").map(SecretString::from),
            issuer: value("iss"),
            error: value("error").map(|code| (code, value("error_description"))),
        })
    }

    /// The code, if the right server answered and said yes.
    pub(crate) fn code(self, server: &IssuerMetadata) -> Result<SecretString, AuthError> {
        use secrecy::ExposeSecret;
        const STEP: Step = Step::Callback;
        const WHO: &str = "the authorization server that answered";
        match &self.issuer {
            Some(issuer) if *issuer != server.issuer => {
                return Err(AuthError::mismatch(STEP, WHO, &server.issuer, issuer));
            }
            None if server.names_itself => {
                return Err(AuthError::mismatch(STEP, WHO, &server.issuer, "no issuer"));
            }
            _ => {}
        }
        if let Some((code, description)) = self.error {
            return Err(refused(STEP, &code, description.as_deref()));
        }
        let code = self
            .code
            .filter(|code| (1..=MAX_CODE).contains(&code.expose_secret().len()));
        code.ok_or_else(|| AuthError::malformed(STEP, "the browser brought back neither a code nor an error"))
    }
}
