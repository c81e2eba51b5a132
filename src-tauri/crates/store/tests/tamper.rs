//! What somebody with an editor for databases can do to the ledger, and how it shows.

mod support;

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use proptest::prelude::*;
use support::{Folder, chat, draft, intruder, server};
use vestibule_policy::Mention;
use vestibule_store::{LedgerBreak, LedgerDraft, Sidecar, Verification, verify_file};

const RECORDS: i64 = 12;

/// The bytes of an honest ledger with [`RECORDS`] records of a chat and a server, each with a file and a host beside it.
fn honest() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    // A runtime cannot start on the thread of a test that has one.
    BYTES.get_or_init(|| {
        std::thread::spawn(written)
            .join()
            .expect("the ledger was written")
    })
}

fn written() -> Vec<u8> {
    let folder = Folder::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let store = folder.open();
        let (server, chat) = (server("notes"), chat("Notes", 1));
        store.put_server(&server).await.expect("a server is kept");
        store.create_chat(&chat).await.expect("a chat is kept");
        for number in 1..=RECORDS {
            let draft = LedgerDraft {
                server: Some(server.id),
                chat: Some(chat.id),
                ..draft(number)
            };
            let names = [
                Mention::File("/home/ada/a.md".into()),
                Mention::Host("ours.example".into()),
            ];
            let sidecar = Sidecar {
                names: names.into(),
                ..Sidecar::default()
            };
            let added = store.append_with(draft, sidecar).await;
            added.expect("an honest record is added");
        }
        store.close().await;
    });
    fs::read(folder.database()).expect("the ledger can be read")
}

/// A copy of the honest ledger, changed by `sql` once the triggers are out of the way.
fn tampered(folder: &Folder, sql: &str) -> Verification {
    write_tampered(&folder.database(), sql);
    verify_file(&folder.database()).expect("the ledger can be checked")
}

fn write_tampered(path: &Path, sql: &str) {
    fs::write(path, honest()).expect("the copy can be written");
    let free = "DROP TRIGGER ledger_is_never_edited;
                DROP TRIGGER ledger_is_never_shortened;
                DROP TRIGGER ledger_only_grows;";
    intruder(path)
        .execute_batch(&format!("{free} {sql}"))
        .expect("the intruder's SQL is valid");
}

#[track_caller]
fn check(sql: &str, seq: i64, what: LedgerBreak) {
    assert_eq!(
        tampered(&Folder::new(), sql),
        Verification::Broken { seq, what },
        "{sql}"
    );
}

/// SQL that gives record `from` the number `to`.
fn renumber(from: i64, to: i64) -> String {
    format!("UPDATE ledger SET seq = {to} WHERE seq = {from};")
}

fn swap(one: i64, other: i64) -> String {
    [renumber(one, -1), renumber(other, one), renumber(-1, other)].concat()
}

/// Moves every record from `first` on by one, upwards or downwards.
fn shift(first: i64, by: i64) -> String {
    format!(
        "UPDATE ledger SET seq = -seq WHERE seq >= {first}; UPDATE ledger SET seq = -seq + {by} WHERE seq < 0;"
    )
}

/// A record copied from another one under a new number.
fn copy(from: i64, to: i64) -> String {
    format!(
        "INSERT INTO ledger SELECT {to}, prev, at, kind, server, chat, action, object, decision, because, body, hash
         FROM ledger WHERE seq = {from};"
    )
}

fn set_head(seq: i64) -> String {
    format!("UPDATE ledger_head SET seq = {seq};")
}

#[test]
fn a_change_of_the_triggers_alone_is_no_change_of_the_ledger() {
    let found = tampered(&Folder::new(), "");
    assert!(
        matches!(found, Verification::Intact { records: RECORDS, .. }),
        "{found:?}"
    );
}

#[test]
fn an_edit_of_any_field_is_found() {
    for change in [
        "at = at + 1",
        "kind = 'outcome'",
        "server = '018f0000-0000-7000-8000-000000000000'",
        "chat = '018f0000-0000-7000-8000-000000000000'",
        "action = 'tool.list'",
        "object = object || ' '",
        "decision = NULL",
        "decision = 'deny'",
        "because = '[]'",
        "because = because || ' '",
        "body = '{}'",
        "body = replace(body, '0.1', '0.10')",
        "prev = zeroblob(32)",
        "prev = x'00'",
        "hash = zeroblob(32)",
        "hash = x''",
    ] {
        check(
            &format!("UPDATE ledger SET {change} WHERE seq = 5"),
            5,
            LedgerBreak::Altered,
        );
    }
}

/// The two JSON columns stand next to each other in what is hashed: moving text from one to the other leaves
/// those bytes as they are.
#[test]
fn text_moved_between_columns_is_found() {
    let sql = r#"UPDATE ledger SET because = because || ',"body":' || body, body = '' WHERE seq = 5"#;
    check(sql, 5, LedgerBreak::Altered);
}

#[test]
fn a_removed_record_is_found() {
    check("DELETE FROM ledger WHERE seq = 1", 1, LedgerBreak::Missing);
    check("DELETE FROM ledger WHERE seq = 5", 5, LedgerBreak::Missing);
    check(
        "DELETE FROM ledger WHERE seq BETWEEN 5 AND 8",
        5,
        LedgerBreak::Missing,
    );
    check(
        "DELETE FROM ledger WHERE seq = 5; UPDATE ledger SET hash = x'' WHERE seq = 6",
        5,
        LedgerBreak::Missing,
    );
}

#[test]
fn a_removed_record_is_found_though_the_rest_was_renumbered() {
    let remove = |seq| format!("DELETE FROM ledger WHERE seq = {seq}; {}", shift(seq + 1, -1));
    check(&remove(5), 5, LedgerBreak::Missing);
    check(&(remove(5) + &set_head(RECORDS - 1)), 5, LedgerBreak::Missing);
    check(&(remove(1) + &set_head(RECORDS - 1)), 1, LedgerBreak::Missing);
    check(
        &(remove(RECORDS - 1) + &set_head(RECORDS - 1)),
        RECORDS - 1,
        LedgerBreak::Missing,
    );
}

#[test]
fn an_inserted_record_is_found() {
    check(&(shift(5, 1) + &copy(4, 5)), 5, LedgerBreak::Inserted);
    check(
        &(shift(5, 1) + &copy(4, 5) + &set_head(RECORDS + 1)),
        5,
        LedgerBreak::Inserted,
    );
    check(&copy(RECORDS, RECORDS + 1), RECORDS + 1, LedgerBreak::Inserted);
    check(&copy(5, 0), 0, LedgerBreak::Inserted);
}

#[test]
fn records_in_another_order_are_found() {
    check(&swap(5, 6), 5, LedgerBreak::Reordered);
    check(&swap(3, 9), 3, LedgerBreak::Reordered);
    check(&swap(1, RECORDS), 1, LedgerBreak::Reordered);
}

#[test]
fn a_ledger_cut_short_is_found() {
    check("DELETE FROM ledger WHERE seq > 9", 10, LedgerBreak::Truncated);
    check("DELETE FROM ledger", 1, LedgerBreak::Truncated);
    check(
        &("DELETE FROM ledger WHERE seq > 9;".to_owned() + &set_head(9)),
        9,
        LedgerBreak::Altered,
    );
}

#[test]
fn a_head_that_was_changed_or_removed_is_found() {
    check("DELETE FROM ledger_head", 0, LedgerBreak::HeadMissing);
    check("UPDATE ledger_head SET hash = x'00'", 0, LedgerBreak::HeadMissing);
    check(
        "UPDATE ledger_head SET hash = zeroblob(32)",
        RECORDS,
        LedgerBreak::Altered,
    );
    check(&set_head(9), 10, LedgerBreak::Inserted);
    check(&set_head(i64::MAX), RECORDS + 1, LedgerBreak::Truncated);
}

/// An edit together with a head that claims an endless ledger must not make the check endless.
#[test]
fn a_head_that_lies_about_the_length_does_not_hold_up_the_check() {
    let body = format!(
        "UPDATE ledger SET body = '\"{}\"' WHERE seq = 5;",
        "x".repeat(4_000_000)
    );
    check(&(body + &set_head(i64::MAX)), 5, LedgerBreak::Altered);
}

/// Deletes a record and hopes that the next honest one hides the hole.
#[tokio::test]
async fn writing_on_does_not_hide_a_removal() {
    let folder = Folder::new();
    write_tampered(&folder.database(), "DELETE FROM ledger WHERE seq > 9");
    let store = folder.open();
    assert_eq!(store.append(draft(13)).await.unwrap().seq, RECORDS + 1);
    let found = store.verify(|_, _| {}).await.unwrap();
    assert_eq!(
        found,
        Verification::Broken {
            seq: 10,
            what: LedgerBreak::Missing
        }
    );
}

#[derive(Clone, Debug)]
enum Attack {
    Flip {
        seq: i64,
        column: &'static str,
        bit: usize,
    },
    Delete {
        seq: i64,
    },
    Swap {
        one: i64,
        other: i64,
    },
    Insert {
        at: i64,
        like: i64,
    },
    Cut {
        after: i64,
    },
    Beside {
        seq: i64,
        sql: &'static str,
    },
}

/// What can be done to what stands beside a record; its number is added at the end and put in the place of `last`.
const BESIDE: [&str; 7] = [
    "DELETE FROM ledger_words WHERE seq = ",
    "DELETE FROM ledger_names WHERE seq = ",
    "DELETE FROM ledger_names WHERE what = 'file' AND seq = ",
    "UPDATE ledger_names SET name = name || '/b' WHERE what = 'file' AND seq = ",
    "UPDATE ledger_words SET salt = salt || '0' WHERE seq = ",
    "INSERT INTO ledger_names SELECT seq, what, name || 'x' FROM ledger_names WHERE seq = ",
    "UPDATE ledger_words SET chat = NULL WHERE seq < last; DELETE FROM chats WHERE 0 < ",
];

fn attacks() -> impl Strategy<Value = Attack> {
    let column = prop::sample::select(vec![
        "action", "object", "decision", "because", "body", "prev", "hash",
    ]);
    let sidecar = prop::sample::select(BESIDE.to_vec());
    prop_oneof![
        (1..=RECORDS, column, any::<usize>()).prop_map(|(seq, column, bit)| Attack::Flip {
            seq,
            column,
            bit
        }),
        (1..RECORDS).prop_map(|seq| Attack::Delete { seq }),
        (1..RECORDS, 1..RECORDS).prop_map(|(one, by)| Attack::Swap {
            one,
            other: (one + by - 1) % RECORDS + 1
        }),
        (1..=RECORDS, 1..=RECORDS).prop_map(|(at, like)| Attack::Insert { at, like }),
        (0..RECORDS).prop_map(|after| Attack::Cut { after }),
        (1..=RECORDS, sidecar).prop_map(|(seq, sql)| Attack::Beside { seq, sql }),
    ]
}

impl Attack {
    fn sql(&self, path: &Path) -> String {
        match *self {
            Self::Flip { seq, column, bit } => flip(path, seq, column, bit),
            Self::Delete { seq } => format!("DELETE FROM ledger WHERE seq = {seq}"),
            Self::Swap { one, other } => swap(one, other),
            Self::Insert { at, like } => {
                let from = if like >= at { like + 1 } else { like };
                shift(at, 1) + &copy(from, at) + &set_head(RECORDS + 1)
            }
            Self::Cut { after } => format!("DELETE FROM ledger WHERE seq > {after}"),
            Self::Beside { seq, sql } => sql.replace("last", &seq.to_string()) + &seq.to_string(),
        }
    }

    /// The first number that is no longer as it was written.
    fn first_bad(&self) -> i64 {
        match *self {
            Self::Flip { seq, .. } | Self::Delete { seq } | Self::Beside { seq, .. } => seq,
            Self::Swap { one, other } => one.min(other),
            // A copy of the record that stood here is in its place; the next one is the first that is not.
            Self::Insert { at, like } if like == at => at + 1,
            Self::Insert { at, .. } => at,
            Self::Cut { after } => after + 1,
        }
    }
}

/// SQL that flips one bit of one column.
fn flip(path: &Path, seq: i64, column: &str, bit: usize) -> String {
    fs::write(path, honest()).expect("the copy can be written");
    let read = format!("SELECT CAST({column} AS BLOB) FROM ledger WHERE seq = {seq}");
    let mut bytes: Vec<u8> = intruder(path)
        .query_row(&read, [], |row| row.get(0))
        .expect("the column is there");
    let place = bit % (bytes.len() * 8);
    bytes[place / 8] ^= 1 << (place % 8);
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let value = match column {
        "prev" | "hash" => format!("x'{hex}'"),
        _ => format!("CAST(x'{hex}' AS TEXT)"),
    };
    format!("UPDATE ledger SET {column} = {value} WHERE seq = {seq}")
}

/// Few here; `make ledger` asks for ten thousand.
fn cases() -> u32 {
    let wanted = std::env::var("VESTIBULE_CASES").ok();
    wanted.map_or(96, |number| number.parse().expect("VESTIBULE_CASES is a number"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_attack_is_found_at_its_first_bad_record(attack in attacks()) {
        let folder = Folder::new();
        let sql = attack.sql(&folder.database());
        match tampered(&folder, &sql) {
            Verification::Broken { seq, .. } => prop_assert_eq!(seq, attack.first_bad()),
            intact => prop_assert!(false, "{:?} went unnoticed: {:?}", attack, intact),
        }
    }
}
