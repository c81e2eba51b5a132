//! Everything Vestibule keeps on disk, in one SQLite file: servers, approved tools, rules, chats, models,
//! settings and the ledger. One thread owns the writing connection and one the reading connection; callers hold
//! a cheap [`Store`] and wait without blocking their runtime. A write that was answered with `Ok` survives the end of the
//! process, and a power cut too unless it was made through [`Store::unflushed`]; records of the ledger are always flushed.
//! Nothing here decides, and no secret is ever kept here: of an environment and of headers only the names are stored, the
//! values live in the keychain. Temporary chats are in memory alone.

mod backup;
mod blobs;
mod branches;
mod budgets;
mod chats;
mod columns;
mod connections;
mod depth;
mod draft_files;
mod entries;
mod entries_page;
mod error;
mod file;
mod known_entries;
mod ledger;
mod local_date;
mod model_costs;
mod model_usage;
mod models;
mod native_replies;
mod private;
mod rules;
mod schema;
mod search;
mod server_change;
mod server_folder;
mod servers;
mod settings;
mod shares;
mod signed;
mod store;
mod tasks;
mod temporary;
mod tools;
mod truncation;
mod whole_chats;
mod worker;
mod workspaces;

pub use backup::WaitingBackup;
pub use blobs::{Blob, BlobFacts, BlobKind, NewBlob};
pub use branches::EntryVersions;
pub use budgets::{Spent, SpentTotal};
pub use chats::ChatRecord;
pub use connections::ConnectionRecord;
pub use draft_files::DraftFile;
pub use entries::{AddedEntry, EntryRecord, TypedBody};
pub use entries_page::{EntriesFrom, EntriesPage};
pub use error::StoreError;
pub use known_entries::{BranchRead, BranchRow, BranchState, Change, ReadEntry};
pub use ledger::{
    Checkpoint, ExportBreak, ExportCheck, LedgerBreak, LedgerDraft, LedgerFile, LedgerFilter, LedgerKind,
    LedgerReceipt, LedgerRecord, NameCount, RemovedServer, Sidecar, Verification, is_export, verify_export,
    verify_file,
};
pub use local_date::local_date;
pub use model_costs::Costs;
pub use model_usage::{ChatUsage, ModelUsage};
pub use models::ModelRecord;
pub use native_replies::{NativeReplyRow, ReplyOrigin};
pub use private::{create_private_file, create_private_folders, make_folder_private};
pub use rules::RuleRecord;
pub use search::{FoldedText, FoundEntries, SearchTerms, entry_text};
pub use server_change::ServerChange;
pub use server_folder::{OWN_FOLDER, is_server_folder, server_folder};
pub use servers::{Endpoint, Program, ServerPlace, ServerRecord};
pub use shares::ShareRecord;
pub use signed::{CheckedRow, RowFault, RowKey, RowRef, RowTable, UnsignedRow};
pub use store::Store;
pub use tasks::TaskRow;
pub use tools::ApprovedTool;
pub use whole_chats::{BranchEntry, WholeEntry};
pub use worker::ExpectedChange;
pub use workspaces::{FolderRecord, WorkspaceRecord};
