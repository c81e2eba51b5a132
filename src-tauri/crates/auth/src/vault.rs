//! Where secrets are kept, as a trait the application implements over the operating system's keychain. Some
//! keychains take only short values, so long ones are cut into pieces here: new pieces are written first, then
//! the entry that names them, then old pieces go, so that a crash in between leaves the old value or the new
//! one. A vault that does not answer is an error and never looks like an empty one, nor like a damaged one.

use std::sync::Arc;

use async_trait::async_trait;
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use crate::random::{fingerprint, unguessable};

/// How many pieces a value may have.
const MAX_PIECES: usize = 64;
const WHOLE: &str = "v1:";
const PIECES: &str = "v1-pieces:";

/// A place for secrets, by name.
#[async_trait]
pub trait Vault: Send + Sync {
    /// The secret, or `None` where there is none.
    ///
    /// # Errors
    /// When the place does not answer; that is not the same as having no secret.
    async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError>;

    /// Keeps a secret.
    ///
    /// # Errors
    /// When it was not kept.
    async fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError>;

    /// Removes a secret; removing one that is not there is fine.
    ///
    /// # Errors
    /// When it may still be there.
    async fn delete(&self, name: &str) -> Result<(), VaultError>;

    /// The largest value it takes, in bytes both of UTF-8 and of UTF-16. The default fits every keychain.
    fn largest(&self) -> usize {
        2560
    }
}

/// The vault did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct VaultError(pub String);

/// Why a value was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    Vault(VaultError),
    /// Something else stands in its place, or not all of it.
    Damaged,
}

impl From<VaultError> for ReadError {
    fn from(error: VaultError) -> Self {
        Self::Vault(error)
    }
}

/// A vault that takes values of any length up to 64 pieces.
pub(crate) struct Chunked(pub(crate) Arc<dyn Vault>);

/// What the entry says about the pieces.
struct Pieces {
    mark: String,
    count: usize,
    fingerprint: String,
}

impl Chunked {
    pub(crate) async fn get(&self, name: &str) -> Result<Option<SecretString>, ReadError> {
        let Some(entry) = self.0.get(name).await? else {
            return Ok(None);
        };
        if let Some(whole) = entry.expose_secret().strip_prefix(WHOLE) {
            return Ok(Some(whole.into()));
        }
        let pieces = Pieces::parse(entry.expose_secret()).ok_or(ReadError::Damaged)?;
        self.get_pieces(name, &pieces).await.map(Some)
    }

    /// The value the pieces make together.
    async fn get_pieces(&self, name: &str, pieces: &Pieces) -> Result<SecretString, ReadError> {
        let mut value = String::new();
        for at in 0..pieces.count {
            let piece = self.0.get(&pieces.name(name, at)).await?;
            let piece = piece.ok_or(ReadError::Damaged)?;
            value.push_str(piece.expose_secret());
        }
        if fingerprint(value.as_bytes()) != pieces.fingerprint {
            return Err(ReadError::Damaged);
        }
        Ok(value.into())
    }

    pub(crate) async fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError> {
        let before = self.pieces(name).await?;
        let value = secret.expose_secret();
        if size(value) + size(WHOLE) <= self.0.largest() {
            self.0.put(name, &format!("{WHOLE}{value}").into()).await?;
        } else {
            self.put_pieces(name, value).await?;
        }
        self.drop_pieces(name, before).await
    }

    /// Stores the value in pieces. The entry that names them comes last, so that it never names a piece that is missing.
    async fn put_pieces(&self, name: &str, value: &str) -> Result<(), VaultError> {
        let cut = cut(value, self.0.largest());
        if cut.len() > MAX_PIECES {
            return Err(VaultError("the secret is too long to be kept".to_owned()));
        }
        let pieces = Pieces {
            mark: unguessable()[..8].to_owned(),
            count: cut.len(),
            fingerprint: fingerprint(value.as_bytes()),
        };
        for (at, piece) in cut.iter().enumerate() {
            self.0.put(&pieces.name(name, at), &(*piece).into()).await?;
        }
        self.0.put(name, &pieces.entry().into()).await
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<(), VaultError> {
        let before = self.pieces(name).await?;
        self.0.delete(name).await?;
        self.drop_pieces(name, before).await
    }

    async fn pieces(&self, name: &str) -> Result<Option<Pieces>, VaultError> {
        let entry = self.0.get(name).await?;
        Ok(entry.and_then(|entry| Pieces::parse(entry.expose_secret())))
    }

    async fn drop_pieces(&self, name: &str, pieces: Option<Pieces>) -> Result<(), VaultError> {
        if let Some(pieces) = pieces {
            for at in 0..pieces.count {
                self.0.delete(&pieces.name(name, at)).await?;
            }
        }
        Ok(())
    }
}

impl Pieces {
    fn parse(entry: &str) -> Option<Self> {
        let mut parts = entry.strip_prefix(PIECES)?.split(':');
        let (mark, count, fingerprint) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Self {
            mark: mark.to_owned(),
            count: count.parse().ok().filter(|count| *count <= MAX_PIECES)?,
            fingerprint: fingerprint.to_owned(),
        })
    }

    fn entry(&self) -> String {
        format!("{PIECES}{}:{}:{}", self.mark, self.count, self.fingerprint)
    }

    fn name(&self, name: &str, at: usize) -> String {
        format!("{name}/{}/{at}", self.mark)
    }
}

/// What a text takes in the worse of the two encodings keychains use.
fn size(text: &str) -> usize {
    text.chars().map(char_size).sum()
}

fn char_size(c: char) -> usize {
    c.len_utf8().max(2 * c.len_utf16())
}

fn cut(value: &str, largest: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut held) = (0, 0);
    for (at, c) in value.char_indices() {
        if held + char_size(c) > largest {
            pieces.push(&value[start..at]);
            (start, held) = (at, 0);
        }
        held += char_size(c);
    }
    pieces.push(&value[start..]);
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::Mutex;

    /// Refuses what is too large, and everything after a number of writes.
    #[derive(Default)]
    struct Small {
        held: Mutex<HashMap<String, String>>,
        writes_left: Mutex<Option<usize>>,
    }

    #[async_trait]
    impl Vault for Small {
        async fn get(&self, name: &str) -> Result<Option<SecretString>, VaultError> {
            Ok(self
                .held
                .lock()
                .unwrap()
                .get(name)
                .map(|value| value.clone().into()))
        }

        async fn put(&self, name: &str, secret: &SecretString) -> Result<(), VaultError> {
            let value = secret.expose_secret();
            assert!(
                value.len() <= 2560 && 2 * value.encode_utf16().count() <= 2560,
                "too large"
            );
            self.write()?;
            self.held
                .lock()
                .unwrap()
                .insert(name.to_owned(), value.to_owned());
            Ok(())
        }

        async fn delete(&self, name: &str) -> Result<(), VaultError> {
            self.write()?;
            self.held.lock().unwrap().remove(name);
            Ok(())
        }
    }

    impl Small {
        fn write(&self) -> Result<(), VaultError> {
            match self.writes_left.lock().unwrap().as_mut() {
                Some(0) => Err(VaultError("full".to_owned())),
                Some(left) => {
                    *left -= 1;
                    Ok(())
                }
                None => Ok(()),
            }
        }
    }

    fn text(length: usize, seed: char) -> SecretString {
        ['a', 'ü', '漢', '🔑', seed]
            .iter()
            .cycle()
            .take(length)
            .collect::<String>()
            .into()
    }

    async fn kept(vault: &Chunked) -> Option<String> {
        vault
            .get("x")
            .await
            .unwrap()
            .map(|value| value.expose_secret().to_owned())
    }

    /// AU-063.
    #[tokio::test]
    async fn a_value_of_any_length_comes_back_whole_and_goes_whole() {
        let small = Arc::new(Small::default());
        let vault = Chunked(small.clone());
        for length in [0, 1, 1000, 1279, 1280, 5000, 20_000, 3] {
            let value = text(length, 'z');
            vault.put("x", &value).await.unwrap();
            assert_eq!(kept(&vault).await.unwrap(), value.expose_secret());
        }
        assert_eq!(
            small.held.lock().unwrap().len(),
            1,
            "pieces of longer values are gone"
        );
        vault.put("x", &text(9000, 'q')).await.unwrap();
        vault.delete("x").await.unwrap();
        assert_eq!(kept(&vault).await, None);
        assert!(small.held.lock().unwrap().is_empty());
        assert!(vault.put("x", &text(200_000, 'q')).await.is_err());
    }

    /// AU-065.
    #[tokio::test]
    async fn a_write_that_breaks_off_leaves_the_old_value_or_the_new_one() {
        let (old, new) = (text(6000, 'o'), text(9000, 'n'));
        for writes in 0..40 {
            let small = Arc::new(Small::default());
            let vault = Chunked(small.clone());
            vault.put("x", &old).await.unwrap();
            *small.writes_left.lock().unwrap() = Some(writes);
            let written = vault.put("x", &new).await;
            let value = kept(&vault).await.unwrap();
            assert!(
                [old.expose_secret(), new.expose_secret()].contains(&value.as_str()),
                "{writes}"
            );
            assert!(written.is_err() || value == new.expose_secret());
        }
    }

    #[tokio::test]
    async fn what_is_not_whole_is_not_taken_for_a_value() {
        let small = Arc::new(Small::default());
        let vault = Chunked(small.clone());
        vault.put("x", &text(6000, 'o')).await.unwrap();
        let piece = small
            .held
            .lock()
            .unwrap()
            .keys()
            .find(|name| name.ends_with("/1"))
            .unwrap()
            .clone();
        small
            .held
            .lock()
            .unwrap()
            .insert(piece.clone(), "other".to_owned());
        assert!(matches!(vault.get("x").await, Err(ReadError::Damaged)));
        small.held.lock().unwrap().remove(&piece);
        assert!(matches!(vault.get("x").await, Err(ReadError::Damaged)));
        small
            .held
            .lock()
            .unwrap()
            .insert("x".to_owned(), "v2:unknown".to_owned());
        assert!(matches!(vault.get("x").await, Err(ReadError::Damaged)));
    }
}
