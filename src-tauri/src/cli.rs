//! The commands without a window. Their output goes to the terminal.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "these are commands for a terminal"
)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use vestibule_host::view::{HeadState, LedgerBreak, LedgerCheck};
use vestibule_host::{RowsCheck, check_ledger_file, check_rows_of_file};
use vestibule_store::{ExportBreak, ExportCheck, RowFault, is_export, verify_export};

use crate::{folder, keychain};

/// Serves the tour over standard input and output.
pub(crate) fn tour() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("vestibule tour: could not begin: {error}");
            return ExitCode::FAILURE;
        }
    };
    let served = runtime.block_on(vestibule_tour::serve_stdio());
    // A thread may still sit in a read of standard input that never ends.
    std::process::exit(i32::from(served.is_err()));
}

/// Checks the ledger of the data folder, or of another file: each record, each signature, and whether it ends where
/// the keychain remembers. Of an exported file, what can be checked without the database.
pub(crate) fn verify_ledger(file: Option<&str>) -> ExitCode {
    let file = file.map_or_else(folder::database, PathBuf::from);
    if !file.exists() {
        eprintln!("There is no ledger yet: {} does not exist.", file.display());
        return ExitCode::from(2);
    }
    if is_export(&file).unwrap_or(false) {
        return verify_exported(&file);
    }
    let checked = tauri::async_runtime::block_on(async {
        let secrets = keychain::open(keychain::profile(&folder::data())).await;
        let ledger = check_ledger_file(&file, &*secrets).await?;
        let rows = check_rows_of_file(&file, &*secrets).await?;
        Ok::<_, vestibule_store::StoreError>((ledger, rows))
    });
    match checked {
        Ok(((check, head), rows)) => {
            let (sound, found) = found(&check);
            println!("{found}");
            let (known, remembered) = remembered(&head);
            println!("{remembered}");
            let (genuine, changed) = changed_rows(&rows);
            println!("{changed}");
            if sound && known && genuine {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("The ledger at {} could not be read: {error}", file.display());
            ExitCode::from(2)
        }
    }
}

fn verify_exported(file: &Path) -> ExitCode {
    match verify_export(file) {
        Ok(check) => {
            let (sound, found) = found_in_export(&check);
            println!(
                "{} was exported from a ledger; it is not the ledger itself.",
                file.display()
            );
            println!("{found}");
            println!(
                "Not checked: whether records are missing at the end, the signatures, and the names of servers, \
                 chats, files and domains. Check the database for that: vestibule ledger verify"
            );
            if sound {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            eprintln!("The exported file could not be read: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether every line of an exported file holds, and that in words.
fn found_in_export(check: &ExportCheck) -> (bool, String) {
    let held = match check.records {
        0 => "No record holds".to_owned(),
        1 => format!("1 record holds: {}", check.first),
        count => format!("{count} records hold: {} to {}", check.first, check.last),
    };
    let Some((line, what)) = check.broken else {
        let gaps = match check.gaps {
            0 => "No number between them is left out.".to_owned(),
            1 => "Numbers are left out at 1 place.".to_owned(),
            gaps => format!("Numbers are left out at {gaps} places."),
        };
        return (true, format!("{held}, each with the hash of its content. {gaps}"));
    };
    let what = match what {
        ExportBreak::Unreadable => "it is not an exported record",
        ExportBreak::Altered => "the record was altered",
        ExportBreak::Order => "the record is in a different position",
        ExportBreak::Link => "the record does not continue the one before",
    };
    (
        false,
        format!("Line {line} does not hold: {what}. Before it: {held}."),
    )
}

/// Whether it is as it was written, and that in words.
fn found(check: &LedgerCheck) -> (bool, String) {
    match check {
        LedgerCheck::Intact {
            records,
            took_ms,
            signed,
        } => {
            let signed = match signed.through {
                Some(through) => format!(
                    "Signed with the key of this keychain up to record {through} ({}).",
                    counted(signed.checkpoints.into(), "checkpoint")
                ),
                None => "Nothing in it is signed with a key of this keychain.".into(),
            };
            let records = counted(*records, "record");
            let intact = format!("The ledger is intact: {records}, checked in {took_ms} ms. {signed}");
            (true, intact)
        }
        LedgerCheck::Broken { seq, what } => {
            let broken = format!("The ledger is broken at record {seq}: {}.", broken(*what));
            (false, broken)
        }
    }
}

/// "1 record", "2 records".
fn counted(count: i64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Rows that are listed one by one; more are only counted.
const LISTED: usize = 20;

/// Whether rules, servers and accepted tools are as Vestibule wrote them, and that in words.
fn changed_rows(check: &RowsCheck) -> (bool, String) {
    match check {
        RowsCheck::NoKey => (
            true,
            "Whether rules, servers or accepted tools were changed from outside is not known: no key in a keychain."
                .into(),
        ),
        RowsCheck::NoList => (
            false,
            "Its rules, servers and accepted tools are not signed, although the keychain has a key for them.".into(),
        ),
        RowsCheck::Checked(faulty) if faulty.is_empty() => {
            (true, "All rules, servers and accepted tools are as Vestibule wrote them.".into())
        }
        RowsCheck::Checked(faulty) => {
            let count = faulty.len();
            let mut text =
                format!("{count} rules, servers or accepted tools were changed outside Vestibule and do not count:");
            for (name, fault) in faulty.iter().take(LISTED) {
                // A name comes from the file, so it is printed escaped.
                let id = name.id.escape_debug();
                text.push_str(&format!("\n  {} {id}: {}", name.table.as_str(), row_fault(*fault)));
            }
            if count > LISTED {
                text.push_str(&format!("\n  and {} more", count - LISTED));
            }
            (false, text)
        }
    }
}

fn row_fault(fault: RowFault) -> &'static str {
    match fault {
        RowFault::Changed => "was changed",
        RowFault::Unsigned => "was added",
        RowFault::Missing => "was deleted",
        RowFault::Stale => "was put back from an older state",
        RowFault::Unreadable => "cannot be read",
        RowFault::Unchecked => "could not be checked",
    }
}

/// Whether nothing that the keychain remembers is gone, and that in words.
fn remembered(head: &HeadState) -> (bool, String) {
    match head {
        HeadState::Continues => (
            true,
            "Continues from the last record that the keychain remembers.".into(),
        ),
        HeadState::First => (true, "The keychain does not remember it yet.".into()),
        HeadState::Unknown => (
            true,
            "Whether it is the newest there was is not known: no keychain answers.".into(),
        ),
        HeadState::Older { remembered, found } => (
            false,
            format!("It is older than before: its last record was {remembered}, and is now {found}."),
        ),
        HeadState::Rewritten { seq } => (
            false,
            format!("It was rewritten: record {seq} is not the one the keychain remembers."),
        ),
    }
}

fn broken(what: LedgerBreak) -> &'static str {
    match what {
        LedgerBreak::Altered => "the record was altered",
        LedgerBreak::Missing => "the record is missing",
        LedgerBreak::Inserted => "the record was inserted",
        LedgerBreak::Reordered => "the record is in a different position",
        LedgerBreak::Truncated => "all records from this one on were removed",
        LedgerBreak::Words => {
            "the files and domains stored with the record, or their salt, do not match it, or are gone although no \
             record says that you deleted them"
        }
        LedgerBreak::Forged => "this checkpoint's signature does not match the records before it",
        LedgerBreak::HeadMissing => "the marker of the last record is missing",
    }
}

pub(crate) fn version() -> ExitCode {
    println!("vestibule {}", env!("CARGO_PKG_VERSION"));
    ExitCode::SUCCESS
}

/// How it is used.
pub(crate) fn help(code: ExitCode) -> ExitCode {
    println!(
        "vestibule                  open the application\n\
         vestibule ledger verify    check the ledger and the signed rules, servers and tools; exit code 1 where\n\
                                    something was changed from outside\n\
         vestibule ledger verify FILE    the same for a copy of vestibule.db, or for an exported ledger\n\
         vestibule tour             serve the tour over standard input and output\n\
         vestibule --version\n\n\
         VESTIBULE_HOME             the folder all data is in"
    );
    code
}

#[cfg(test)]
mod tests {
    use vestibule_host::view::LedgerSigned;

    use super::*;

    #[test]
    fn one_record_and_one_checkpoint_are_counted_in_the_singular() {
        let check = |count: u32| LedgerCheck::Intact {
            records: count.into(),
            took_ms: 8,
            signed: LedgerSigned {
                checkpoints: count,
                through: Some(1),
                of_other_keys: 0,
            },
        };
        let (_, one) = found(&check(1));
        assert!(
            one.contains("1 record,") && one.contains("(1 checkpoint)"),
            "{one}"
        );
        let (_, two) = found(&check(2));
        assert!(
            two.contains("2 records,") && two.contains("(2 checkpoints)"),
            "{two}"
        );
    }

    #[test]
    fn an_exported_file_is_reported_as_such_and_not_as_damaged() {
        let whole = ExportCheck {
            records: 6,
            first: 2,
            last: 9,
            gaps: 1,
            broken: None,
        };
        let (sound, said) = found_in_export(&whole);
        assert!(sound);
        assert!(
            said.contains("6 records hold: 2 to 9") && said.contains("at 1 place."),
            "{said}"
        );
        let broken = ExportCheck {
            broken: Some((7, ExportBreak::Altered)),
            ..whole
        };
        let (sound, said) = found_in_export(&broken);
        assert!(!sound);
        assert!(
            said.contains("Line 7 does not hold: the record was altered."),
            "{said}"
        );
    }
}
