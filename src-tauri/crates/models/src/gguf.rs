//! The header of a GGUF file: what it says of the model in it. The file is another party's, so how much is read, how long
//! a text is and how many entries there are is bounded. Weights are never read.
//! Format: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

/// The most bytes of a header that are read. The largest vocabularies take about 20 MB.
const MOST_BYTES: u64 = 128 * 1024 * 1024;
/// The most entries of a header.
const MOST_ENTRIES: u64 = 10_000;
/// The longest text that is kept, in bytes: a chat template. Longer ones are passed over.
const LONGEST_TEXT: u64 = 1024 * 1024;
/// The longest name of a model that is kept, in characters.
const LONGEST_NAME: usize = 100;
/// How deep arrays may stand in arrays.
const DEEPEST: u32 = 4;

/// What the header of a GGUF file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GgufHeader {
    /// What its maker calls the model.
    pub name: Option<String>,
    /// How many tokens it was trained to read.
    pub context: Option<u32>,
    /// Whether it brings a template for chats. Without one it can complete texts but hardly talk.
    pub has_template: bool,
    /// Whether that template speaks of tools.
    pub speaks_of_tools: bool,
}

/// Why a file cannot be read as GGUF.
#[derive(Debug, thiserror::Error)]
pub enum GgufError {
    /// It does not begin as such a file does.
    #[error("this is not a GGUF file")]
    NotGguf,
    /// It is a version that is not known, or has the byte order of other computers.
    #[error("version {0} of the format is not supported")]
    Version(u32),
    /// It claims more than any model has.
    #[error("its header is larger than a model can need")]
    TooLarge,
    /// What it says cannot be.
    #[error("its header is damaged")]
    Damaged,
    /// It is a part of a model and not the first.
    #[error("it is a later part of a model; choose the first part")]
    LaterPart,
    /// The system could not read it, or it ends within its header.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Reads the header of a file. It blocks, for at most as long as the system takes to read 128 MiB.
///
/// # Errors
/// Where it is no such file, or its header ends early or goes beyond the bounds.
pub fn read_gguf(path: &Path) -> Result<GgufHeader, GgufError> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(GgufError::NotGguf);
    }
    read_header(BufReader::new(file))
}

fn read_header(file: impl Read) -> Result<GgufHeader, GgufError> {
    let mut reader = HeaderReader {
        bytes: file.take(MOST_BYTES),
    };
    if reader.array::<4>().map_err(|_| GgufError::NotGguf)? != *b"GGUF" {
        return Err(GgufError::NotGguf);
    }
    let version = reader.u32()?;
    if !matches!(version, 2 | 3) {
        return Err(GgufError::Version(version));
    }
    let _tensors = reader.u64()?;
    let entries = reader.u64()?;
    if entries > MOST_ENTRIES {
        return Err(GgufError::TooLarge);
    }
    let mut header = GgufHeader::default();
    for _ in 0..entries {
        reader.entry(&mut header)?;
    }
    Ok(header)
}

/// A value as far as it is kept.
enum HeaderValue {
    Text(String),
    Number(u64),
    Passed,
}

struct HeaderReader<R> {
    bytes: io::Take<R>,
}

impl<R: Read> HeaderReader<R> {
    fn entry(&mut self, header: &mut GgufHeader) -> Result<(), GgufError> {
        let name = self.text()?;
        let kind = self.u32()?;
        match (name.as_deref().unwrap_or_default(), self.value(kind, 0)?) {
            ("general.name", HeaderValue::Text(text)) => header.name = name_of(&text),
            ("tokenizer.chat_template", HeaderValue::Text(template)) => {
                header.has_template = !template.trim().is_empty();
                header.speaks_of_tools = template.contains("tools");
            }
            ("split.no", HeaderValue::Number(part)) if part > 0 => return Err(GgufError::LaterPart),
            (name, HeaderValue::Number(length)) if name.ends_with(".context_length") => {
                header.context = crate::facts::context_length(&length.into());
            }
            _ => {}
        }
        Ok(())
    }

    fn value(&mut self, kind: u32, depth: u32) -> Result<HeaderValue, GgufError> {
        Ok(match (kind, size_of(kind)) {
            (2, _) => HeaderValue::Number(u16::from_le_bytes(self.array()?).into()),
            (4, _) => HeaderValue::Number(self.u32()?.into()),
            (8, _) => self.text()?.map_or(HeaderValue::Passed, HeaderValue::Text),
            (9, _) => self.list(depth)?,
            (10, _) => HeaderValue::Number(self.u64()?),
            (_, Some(size)) => self.skip(size)?,
            _ => return Err(GgufError::Damaged),
        })
    }

    /// Passes over a list. Its length needs no bound of its own: each item takes bytes, and those are bounded.
    fn list(&mut self, depth: u32) -> Result<HeaderValue, GgufError> {
        if depth == DEEPEST {
            return Err(GgufError::Damaged);
        }
        let (kind, count) = (self.u32()?, self.u64()?);
        if let Some(size) = size_of(kind) {
            return self.skip(count.checked_mul(size).ok_or(GgufError::TooLarge)?);
        }
        for _ in 0..count {
            match kind {
                8 => {
                    let length = self.u64()?;
                    self.skip(length)?;
                }
                _ => drop(self.value(kind, depth + 1)?),
            }
        }
        Ok(HeaderValue::Passed)
    }

    /// A text; `None` for one that is too long or no text.
    fn text(&mut self) -> Result<Option<String>, GgufError> {
        let length = self.u64()?;
        if length > LONGEST_TEXT {
            self.skip(length)?;
            return Ok(None);
        }
        let mut text = vec![0; usize::try_from(length).map_err(|_| GgufError::Damaged)?];
        self.fill(&mut text)?;
        Ok(String::from_utf8(text).ok())
    }

    fn skip(&mut self, bytes: u64) -> Result<HeaderValue, GgufError> {
        if bytes > self.bytes.limit() {
            return Err(GgufError::TooLarge);
        }
        let skipped = io::copy(&mut self.bytes.by_ref().take(bytes), &mut io::sink())?;
        if skipped < bytes {
            return Err(ended());
        }
        Ok(HeaderValue::Passed)
    }

    fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), GgufError> {
        if bytes.len() as u64 > self.bytes.limit() {
            return Err(GgufError::TooLarge);
        }
        self.bytes.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ended(),
            _ => error.into(),
        })
    }
}

/// How many bytes a value of this kind takes; `None` where that differs.
fn size_of(kind: u32) -> Option<u64> {
    Some(match kind {
        0 | 1 | 7 => 1,
        2 | 3 => 2,
        4..=6 => 4,
        10..=12 => 8,
        _ => return None,
    })
}

fn ended() -> GgufError {
    GgufError::Io(io::Error::new(
        io::ErrorKind::UnexpectedEof,
        "the file ends within its header",
    ))
}

fn name_of(text: &str) -> Option<String> {
    let name: String = text.trim().chars().take(LONGEST_NAME).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests;
