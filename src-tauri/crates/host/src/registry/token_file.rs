//! A token that another program keeps in a file: a platform that gives each workload one, or what a company's own sign-in
//! leaves behind. It is read each time it is needed, because it is replaced behind our back, and is never written.

use async_trait::async_trait;
use secrecy::SecretString;
use tokio::io::AsyncReadExt;
use vestibule_auth::Assertion;

/// The largest token, in bytes.
const MAX_TOKEN: u64 = 64 * 1024;

/// The file.
pub(super) struct TokenFile {
    path: String,
}

impl TokenFile {
    pub(super) fn new(path: String) -> Self {
        Self { path }
    }

    async fn read(&self) -> std::io::Result<String> {
        let mut text = String::new();
        let file = tokio::fs::File::open(&self.path).await?;
        file.take(MAX_TOKEN + 1).read_to_string(&mut text).await?;
        Ok(text)
    }
}

#[async_trait]
impl Assertion for TokenFile {
    async fn assertion(&self, _audience: &str) -> Result<SecretString, String> {
        if !std::path::Path::new(&self.path).is_absolute() {
            return Err(
                "the file with the token is no full path; set it in the server's settings".to_owned(),
            );
        }
        let text = self.read().await;
        let text = text.map_err(|error| format!("{} could not be read ({error})", self.path))?;
        match text.trim() {
            "" => Err(format!("{} is empty", self.path)),
            token if token.len() as u64 > MAX_TOKEN => Err(format!("{} is too large for a token", self.path)),
            token => Ok(SecretString::from(token.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    /// AX-025, AX-040: a token is taken from its file each time, whole or not at all, and is in no message.
    #[tokio::test]
    async fn a_token_is_read_anew_each_time_and_is_in_no_message() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let file = TokenFile::new(path.display().to_string());
        assert!(file.assertion("a").await.unwrap_err().contains("token"));
        for token in ["canary-one", "canary-two"] {
            std::fs::write(&path, format!("{token}\n")).unwrap();
            assert_eq!(file.assertion("a").await.unwrap().expose_secret(), token);
        }
        std::fs::write(&path, " \n").unwrap();
        assert!(file.assertion("a").await.unwrap_err().ends_with("is empty"));
        std::fs::write(&path, "canary".repeat(20_000)).unwrap();
        let error = file.assertion("a").await.unwrap_err();
        assert!(
            error.ends_with("too large for a token") && !error.contains("canary"),
            "{error}"
        );
        let near = TokenFile::new("token".to_owned())
            .assertion("a")
            .await
            .unwrap_err();
        assert!(near.contains("full path"), "{near}");
    }
}
