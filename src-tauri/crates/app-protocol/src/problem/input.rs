//! What can be wrong with what the user entered, pasted or picked.

use serde::{Deserialize, Serialize};
use vestibule_policy::inspect::UrlWarning;

/// What the user entered or picked cannot be used as it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ts_rs::TS, thiserror::Error)]
#[serde(tag = "problem", rename_all = "snake_case")]
#[allow(missing_docs, reason = "each message says what its variant and fields are")]
pub enum InputProblem {
    #[error("the resource needs a value for {}", names.join(", "))]
    VariablesMissing { names: Vec<String> },
    #[error("at most {limit} items can be attached to a message")]
    TooManyAttachments { limit: u32 },
    #[error("what is attached to a message is larger than {limit_mb} MB in all")]
    AttachmentsTooLarge { limit_mb: u32 },
    #[error("the file {file} could not be read: {detail}")]
    FileUnreadable { file: String, detail: String },
    #[error("{file} is not a regular file")]
    FileNotRegular { file: String },
    #[error("the file {file} is larger than {limit_kb} kB")]
    FileTooLarge { file: String, limit_kb: u32 },
    #[error("the file {file} is neither a text in UTF-8 nor a PDF nor a PNG, JPEG, GIF or WebP picture")]
    FileKindUnknown { file: String },
    #[error("the PDF {file} is encrypted")]
    PdfEncrypted { file: String },
    #[error("the PDF {file} is damaged")]
    PdfDamaged { file: String },
    #[error("the PDF {file} has no text that can be read")]
    PdfWithoutText { file: String },
    #[error("the PDF {file} has more than {limit_kb} kB of text, or too many pages")]
    PdfTooLong { file: String, limit_kb: u32 },
    #[error("reading the PDF {file} takes too much memory or time")]
    PdfTooComplex { file: String },
    #[error("the picture {file} has more than {limit_megapixels} megapixels, or its size cannot be read")]
    PictureTooLarge { file: String, limit_megapixels: u32 },
    #[error("the picture {name} is no valid PNG, JPEG, GIF or WebP")]
    PictureDamaged { name: String },
    #[error("the answer has no link to {address}")]
    LinkNotInAnswer { address: String },
    #[error("the clipboard has no picture")]
    ClipboardWithoutPicture,
    #[error("the model of this chat does not see pictures")]
    ModelWithoutPictures,
    #[error("values are missing for {}", names.join(", "))]
    SecretsMissing { names: Vec<String> },
    #[error("line {line}, column {column}: {detail}")]
    JsonBroken { line: u32, column: u32, detail: String },
    #[error("the text contains no servers")]
    JsonWithoutServers,
    #[error("{format}, line {line}, column {column}: {detail}")]
    ConfigBroken {
        format: String,
        line: u32,
        column: u32,
        detail: String,
    },
    #[error("the text is no known form of a configuration, a command line or an address")]
    ConfigUnknown,
    #[error("the configuration is longer than {limit_kb} kB")]
    ConfigTooLong { limit_kb: u32 },
    #[error("the file could not be read: {detail}")]
    ConfigUnreadable { detail: String },
    #[error("the text contains {found} servers; {limit} are read at once")]
    ServersTooMany { found: u32, limit: u32 },
    #[error("the link carries no configuration: {detail}")]
    LinkBroken { detail: String },
    #[error("the command line needs a shell for {part}")]
    CommandLineShell { part: String },
    #[error("the entry is of the kind {kind}, which is neither a program nor an address")]
    EntryForeign { kind: String },
    #[error("the entry has {name} twice")]
    EntryDoubled { name: String },
    #[error("the entry is not a server: {detail}")]
    EntryUnreadable { detail: String },
    #[error("the rules could not be imported: {detail}")]
    RulesUnreadable { detail: String },
    #[error("the file {file} is larger than {limit_mb} MB")]
    ChatFileTooLarge { file: String, limit_mb: u32 },
    #[error("the file {file} could not be read: {detail}")]
    ChatFileUnreadable { file: String, detail: String },
    #[error("the file {file} is no known form of chats")]
    ChatFileUnknown { file: String },
    #[error("the file {file} is an archive")]
    ChatFilePacked { file: String },
    #[error(
        "the file {file} was written by a newer version (format {found}, this version knows up to {known})"
    )]
    ChatFileNewer { file: String, found: u32, known: u32 },
    #[error("the file {file} is no backup of Vestibule")]
    BackupForeign { file: String },
    #[error(
        "the backup {file} was written by a newer version (format {found}, this version knows up to {known})"
    )]
    BackupNewer { file: String, found: u32, known: u32 },
    #[error("the backup {file} is damaged: {detail}")]
    BackupDamaged { file: String, detail: String },
    #[error("this rule cannot be applied: {detail}")]
    RuleUnkeepable { detail: String },
    #[error("a name is needed")]
    NameMissing,
    #[error("the name {name} cannot be used for a model")]
    ModelNameInvalid { name: String },
    #[error("the file {file} cannot be used as a model: {detail}")]
    ModelFileUnusable { file: String, detail: String },
    #[error("there is a server called {name} already")]
    NameTaken { name: String },
    /// The name of another server looks the same.
    #[error("the name {name} looks like that of another server, {other}")]
    NameAlike { name: String, other: String },
    #[error("at most {limit} profiles are kept")]
    ProfilesTooMany { limit: u32 },
    #[error("{limit} tools are off in the chat, which is the limit")]
    ToolsOffTooMany { limit: u32 },
    #[error("a command is needed")]
    CommandMissing,
    #[error("a quote in the command line is not closed")]
    CommandLineUnclosed,
    #[error("an address is needed")]
    AddressMissing,
    #[error("the header {name} cannot be set here")]
    HeaderInvalid { name: String },
    #[error("the address {url} cannot be used: {detail}")]
    AddressInvalid { url: String, detail: String },
    #[error("{origin} can be mistaken for another address")]
    AddressDeceives {
        origin: String,
        warnings: Vec<UrlWarning>,
    },
    /// The file waits to be sent all the same.
    #[error("{file} could not be saved: {detail}")]
    FileNotKept { file: String, detail: String },
    #[error("the chat is busy")]
    ChatBusy,
    #[error("it no longer exists")]
    Gone,
    #[error("the message is longer than {limit_kb} kB")]
    TooLong { limit_kb: u32 },
}
