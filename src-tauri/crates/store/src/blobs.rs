//! Large parts of results. Each belongs to one entry, is written in the transaction that writes a reference to it into the
//! entry's body, and goes with the entry. It is kept where the entry is, so one of a temporary chat is in memory alone.
//! Content is stored in pieces; nothing here reads more than the caller asks for.

use rusqlite::{Connection, OptionalExtension, Row, params};
use vestibule_protocol::EntryId;

use crate::columns::change;
use crate::entries::{StoredBody, put_body};
use crate::{Store, StoreError};

/// The most bytes of one blob.
const MAX_BLOB: usize = 64 * 1024 * 1024;
/// The most bytes of one piece of a text.
const TEXT_PIECE: usize = 32 * 1024;
/// The most bytes of one piece of anything else. As Base64 the pieces are 256 kB, and one after the other they are the
/// Base64 of the whole.
const MEDIA_PIECE: usize = 192 * 1024;

/// What a blob is. A reader names the kind it expects. A text is UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobKind {
    Text,
    Image,
    Audio,
}

impl BlobKind {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Audio => "audio",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Text, Self::Image, Self::Audio]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A blob to be written with its entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBlob {
    /// Its number among the blobs of the entry.
    pub number: u32,
    pub kind: BlobKind,
    pub mime: Option<String>,
    pub content: Vec<u8>,
}

impl NewBlob {
    /// In how many pieces it is stored.
    #[must_use]
    pub fn pieces(&self) -> u32 {
        u32::try_from(self.cut().count()).unwrap_or(u32::MAX)
    }

    /// The content in pieces.
    fn cut(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = self.content.as_slice();
        std::iter::from_fn(move || {
            let (piece, after) = rest.split_at(self.piece_end(rest));
            rest = after;
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// How many bytes of `rest` the next piece has.
    fn piece_end(&self, rest: &[u8]) -> usize {
        match self.kind {
            BlobKind::Text => text_end(rest),
            BlobKind::Image | BlobKind::Audio => rest.len().min(MEDIA_PIECE),
        }
    }
}

/// The end of the last line that fits into a piece, or of the last letter where a line does not.
fn text_end(rest: &[u8]) -> usize {
    let Some(window) = rest.get(..TEXT_PIECE) else {
        return rest.len();
    };
    if let Some(line) = window.iter().rposition(|byte| *byte == b'\n') {
        return line + 1;
    }
    let is_continued = |at: usize| rest.get(at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    // A letter has four bytes at most.
    (TEXT_PIECE - 3..=TEXT_PIECE)
        .rev()
        .find(|at| !is_continued(*at))
        .unwrap_or(TEXT_PIECE)
}

/// A blob without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobFacts {
    pub kind: BlobKind,
    pub mime: Option<String>,
    pub bytes: u64,
    pub pieces: u32,
}

/// A blob as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    pub kind: BlobKind,
    pub mime: Option<String>,
    pub content: Vec<u8>,
}

impl Store {
    /// Replaces the body of an entry, and adds blobs to it. The change stands in the queue when this returns, as that of
    /// [`Store::queue_entry_update`] does.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] for a blob over 64 MiB, [`StoreError::Refused`] if the entry has a blob of that number;
    /// otherwise as for [`Store::update_entry`].
    pub fn update_entry_with(
        &self,
        entry: EntryId,
        body: &serde_json::Value,
        blobs: Vec<NewBlob>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send + use<> {
        let checked = check_sizes(&blobs).and_then(|()| StoredBody::new(body));
        let queued = checked.map(|body| {
            self.change_at(entry, move |c| {
                put_body(c, entry, &body, |c| insert(c, &entry.to_string(), &blobs))
            })
        });
        async move { queued?.await }
    }

    /// What a blob is, if the entry has it.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn blob_facts(&self, entry: EntryId, number: u32) -> Result<Option<BlobFacts>, StoreError> {
        self.read_at(entry, move |c| facts(c, &entry.to_string(), number))
            .await
    }

    /// Pieces of a blob from `first` on that together have no more than `most` bytes, and one at least; none where the
    /// entry has no such piece.
    ///
    /// # Errors
    /// [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn blob_pieces(
        &self,
        entry: EntryId,
        number: u32,
        first: u32,
        most: usize,
    ) -> Result<Vec<Vec<u8>>, StoreError> {
        self.read_at(entry, move |c| pieces(c, &entry.to_string(), number, first, most))
            .await
    }

    /// A whole blob, if the entry has it.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the row cannot be read; [`StoreError::Io`], [`StoreError::Closed`].
    pub async fn blob(&self, entry: EntryId, number: u32) -> Result<Option<Blob>, StoreError> {
        self.read_at(entry, move |c| {
            let entry = entry.to_string();
            let Some(facts) = facts(c, &entry, number)? else {
                return Ok(None);
            };
            Ok(Some(Blob {
                kind: facts.kind,
                mime: facts.mime,
                content: pieces(c, &entry, number, 0, MAX_BLOB)?.concat(),
            }))
        })
        .await
    }
}

pub(crate) fn check_sizes(blobs: &[NewBlob]) -> Result<(), StoreError> {
    match blobs.iter().map(|blob| blob.content.len()).max() {
        Some(size) if size > MAX_BLOB => Err(StoreError::TooLarge {
            what: "part of a result",
            size,
            limit: MAX_BLOB,
            unit: "bytes",
        }),
        _ => Ok(()),
    }
}

pub(crate) fn insert(c: &Connection, entry: &str, blobs: &[NewBlob]) -> Result<(), StoreError> {
    for blob in blobs {
        let sql =
            "INSERT INTO blobs (entry, number, kind, mime, bytes, pieces) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let bytes = i64::try_from(blob.content.len()).unwrap_or(i64::MAX);
        let values = params![
            entry,
            blob.number,
            blob.kind.name(),
            blob.mime,
            bytes,
            blob.pieces()
        ];
        change(c, sql, values)?;
        for (piece, content) in (0_u32..).zip(blob.cut()) {
            let sql = "INSERT INTO blob_pieces (entry, number, piece, content) VALUES (?1, ?2, ?3, ?4)";
            change(c, sql, params![entry, blob.number, piece, content])?;
        }
    }
    Ok(())
}

/// The beginning of a text, with no more than `most` bytes; empty where there is none.
pub(crate) fn text_beginning(
    c: &Connection,
    entry: &str,
    number: u32,
    most: usize,
) -> Result<String, StoreError> {
    match facts(c, entry, number)? {
        Some(facts) if facts.kind == BlobKind::Text => {}
        _ => return Ok(String::new()),
    }
    let bytes = pieces(c, entry, number, 0, most)?.concat();
    let mut text = String::from_utf8(bytes).unwrap_or_default();
    text.truncate(text.floor_char_boundary(most));
    Ok(text)
}

fn facts(c: &Connection, entry: &str, number: u32) -> Result<Option<BlobFacts>, StoreError> {
    let sql = "SELECT * FROM blobs WHERE entry = ?1 AND number = ?2";
    let found = c
        .prepare_cached(sql)?
        .query_row(params![entry, number], from_row)
        .optional()?;
    Ok(found.flatten())
}

/// A kind of a later version is none that can be read.
fn from_row(row: &Row<'_>) -> rusqlite::Result<Option<BlobFacts>> {
    let kind: String = row.get("kind")?;
    let bytes: i64 = row.get("bytes")?;
    let (mime, pieces) = (row.get("mime")?, row.get("pieces")?);
    Ok(BlobKind::named(&kind).map(|kind| BlobFacts {
        kind,
        mime,
        bytes: u64::try_from(bytes).unwrap_or_default(),
        pieces,
    }))
}

fn pieces(
    c: &Connection,
    entry: &str,
    number: u32,
    first: u32,
    most: usize,
) -> Result<Vec<Vec<u8>>, StoreError> {
    let sql =
        "SELECT content FROM blob_pieces WHERE entry = ?1 AND number = ?2 AND piece >= ?3 ORDER BY piece";
    let mut statement = c.prepare_cached(sql)?;
    let mut rows = statement.query(params![entry, number, first])?;
    let (mut found, mut bytes) = (vec![], 0);
    while let Some(row) = rows.next()? {
        let piece: Vec<u8> = row.get("content")?;
        bytes += piece.len();
        if bytes > most && !found.is_empty() {
            break;
        }
        found.push(piece);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<String> {
        let blob = NewBlob {
            number: 0,
            kind: BlobKind::Text,
            mime: None,
            content: text.as_bytes().to_vec(),
        };
        let pieces: Vec<_> = blob.cut().map(<[u8]>::to_vec).collect();
        assert_eq!(pieces.len(), blob.pieces() as usize);
        let texts = pieces.into_iter().map(String::from_utf8);
        texts.collect::<Result<_, _>>().expect("no letter is cut")
    }

    #[test]
    fn a_text_is_cut_at_the_ends_of_lines_and_never_within_a_letter() {
        let lines = "a line of some length\n".repeat(10_000);
        let pieces = cut(&lines);
        assert!(
            pieces
                .iter()
                .all(|piece| piece.len() <= TEXT_PIECE && piece.ends_with('\n'))
        );
        assert_eq!(pieces.concat(), lines);
        for letter in ["长", "é", "🦀", "x"] {
            let line = letter.repeat(100_000);
            let pieces = cut(&line);
            assert!(pieces.iter().all(|piece| piece.len() <= TEXT_PIECE), "{letter}");
            assert!(pieces[0].len() > TEXT_PIECE - 4, "{letter}");
            assert_eq!(pieces.concat(), line);
        }
        assert_eq!(cut(""), [""; 0]);
        assert_eq!(cut("short"), ["short"]);
    }
}
