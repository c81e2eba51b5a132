//! Replaces the ledger of a database, which no program has open, by one of very many records:
//! `long_ledger FILE RECORDS`. `make bench-ui PART=window` scrolls through it.

#[path = "../tests/support/mod.rs"]
mod support;

fn main() {
    let mut given = std::env::args_os().skip(1);
    let (Some(file), Some(records)) = (given.next(), given.next()) else {
        panic!("long_ledger FILE RECORDS");
    };
    let records = records.to_string_lossy().parse().expect("RECORDS is a number");
    support::long_ledger::write(file.as_ref(), records);
}
