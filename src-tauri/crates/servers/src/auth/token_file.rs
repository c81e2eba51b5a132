//! A token that another program keeps in a file: a platform that gives each workload one, or what a company's own
//! sign-in leaves behind. It is read each time it is needed, because it is replaced behind our back, and is never
//! written. Its content is sent to a token endpoint, so only a regular file that holds a JWT is read, and nothing of
//! Vestibule's own data.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use secrecy::SecretString;
use serde_json::{Map, Value};
use vestibule_auth::{Assertion, AssertionFile};

/// The largest token, in bytes.
const MAX_TOKEN: u64 = 64 * 1024;

#[derive(Clone)]
pub(super) struct TokenFile {
    path: String,
    /// Vestibule's own data folder, of which nothing is sent.
    data: PathBuf,
}

impl TokenFile {
    pub(super) fn new(path: String, data: PathBuf) -> Self {
        Self { path, data }
    }

    /// The token and the size of its file.
    async fn read(&self) -> Result<(String, u64), String> {
        let file = self.clone();
        let read = tokio::task::spawn_blocking(move || file.read_now()).await;
        read.map_err(|error| error.to_string())?
    }

    fn read_now(&self) -> Result<(String, u64), String> {
        let bytes = self.read_bytes(self.allowed_path()?)?;
        let size = bytes.len() as u64;
        let text = String::from_utf8(bytes).unwrap_or_default();
        let token = text.trim();
        if !is_jwt(token) {
            return Err(format!(
                "{} does not hold a token that can be sent (a JWT, which has three parts with a dot between them), so \
                 nothing of it was sent",
                self.path
            ));
        }
        Ok((token.to_owned(), size))
    }

    /// The path, where a file there may be read.
    fn allowed_path(&self) -> Result<&Path, String> {
        let path = Path::new(&self.path);
        if !path.is_absolute() {
            return Err(
                "the file with the token is no full path; set it in the server's settings".to_owned(),
            );
        }
        if self.is_own_data(path) {
            return Err(format!(
                "{} is in Vestibule's own data, which is never sent; set another file in the server's settings",
                self.path
            ));
        }
        Ok(path)
    }

    fn read_bytes(&self, path: &Path) -> Result<Vec<u8>, String> {
        let unreadable = |error: std::io::Error| self.unreadable(&error);
        let file = open(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        if !found.is_file() {
            return Err(format!("{} is not a regular file", self.path));
        }
        let mut bytes = vec![];
        file.take(MAX_TOKEN + 1)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 > MAX_TOKEN {
            return Err(format!("{} is too large for a token", self.path));
        }
        Ok(bytes)
    }

    fn unreadable(&self, error: &std::io::Error) -> String {
        let path = &self.path;
        if is_link(error) {
            format!("{path} is a link; set the path of the file itself in the server's settings")
        } else {
            format!("{path} could not be read ({error})")
        }
    }

    /// Whether the file is in the data folder, by whatever links its folder is named.
    fn is_own_data(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let data = self.data.canonicalize().unwrap_or_else(|_| self.data.clone());
        folder.is_some_and(|folder| folder.starts_with(data))
    }
}

/// Whether a file was not opened because a link is at the end of its path.
fn is_link(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    return false;
}

/// Opens a file without following a link at its end, and without waiting for the other end of a pipe.
fn open(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    }
    options.open(path)
}

/// Whether a text has the form of a signed JWT (RFC 7519): three parts in base64url, of which the first two are JSON
/// objects and the first names an algorithm.
fn is_jwt(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let [header, claims, signature] = parts[..] else {
        return false;
    };
    let object = |part: &str| -> Option<Map<String, Value>> {
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
    };
    object(header).is_some_and(|header| header.get("alg").is_some_and(Value::is_string))
        && object(claims).is_some()
        && !signature.is_empty()
        && URL_SAFE_NO_PAD.decode(signature).is_ok()
}

#[async_trait]
impl Assertion for TokenFile {
    async fn assertion(&self, _audience: &str) -> Result<SecretString, String> {
        let (token, _) = self.read().await?;
        Ok(SecretString::from(token))
    }

    async fn file(&self) -> Result<Option<AssertionFile>, String> {
        let (_, bytes) = self.read().await?;
        Ok(Some(AssertionFile {
            path: self.path.clone(),
            bytes,
        }))
    }
}

#[cfg(test)]
mod tests;
