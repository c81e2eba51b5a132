//! The key that rows are signed with, and what a MAC covers.

use std::fmt;

use hmac::{Hmac, Mac as _};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;

use vestibule_app_protocol::RowRef;

pub(crate) type Mac = [u8; 32];

/// Separates the MAC of a row from every other use of the key.
const ROW: &[u8] = b"vestibule/v1/row\0";
/// Separates the MAC of the list of all rows.
const LIST: &[u8] = b"vestibule/v1/rows\0";

/// The key of this computer for signing rows.
#[derive(Clone)]
pub struct RowKey(SecretString);

impl RowKey {
    /// Takes the key as the keychain keeps it.
    #[must_use]
    pub fn new(secret: SecretString) -> Self {
        Self(secret)
    }

    /// The MAC of a row: of its table, its id and all its signed columns.
    pub(crate) fn of_row(&self, name: &RowRef, content: &str) -> Mac {
        let mut mac = self.begin(ROW);
        for part in [name.table.as_str(), &name.id, content] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    /// The MAC of the whole list. The MAC of each row covers the row's name, so the list needs no names.
    pub(crate) fn of_list<'a>(&self, generation: i64, rows: impl Iterator<Item = (&'a Mac, bool)>) -> Mac {
        let mut mac = self.begin(LIST);
        mac.update(&generation.to_be_bytes());
        for (row, stale) in rows {
            mac.update(row);
            mac.update(&[u8::from(stale)]);
        }
        mac.finalize().into_bytes().into()
    }

    fn begin(&self, domain: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(self.0.expose_secret().as_bytes())
            .expect("this code accepts a key of any length");
        mac.update(domain);
        mac
    }
}

impl fmt::Debug for RowKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RowKey(masked)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vestibule_app_protocol::RowTable;

    fn key() -> RowKey {
        RowKey::new(SecretString::from("canary"))
    }

    fn name(table: RowTable, id: &str) -> RowRef {
        RowRef {
            table,
            id: id.to_owned(),
        }
    }

    #[test]
    fn a_key_does_not_print() {
        assert!(!format!("{:?}", key()).contains("canary"));
    }

    #[test]
    fn a_mac_holds_for_one_row_of_one_table_alone() {
        let of = |kind, id: &str, content: &str| key().of_row(&name(kind, id), content);
        let row = of(RowTable::Rule, "a", "[1]");
        assert_eq!(row, of(RowTable::Rule, "a", "[1]"));
        for other in [
            of(RowTable::Server, "a", "[1]"),
            of(RowTable::Rule, "b", "[1]"),
            of(RowTable::Rule, "a", "[2]"),
            of(RowTable::Rule, "a[", "1]"),
            RowKey::new(SecretString::from("other")).of_row(&name(RowTable::Rule, "a"), "[1]"),
        ] {
            assert_ne!(row, other);
        }
    }

    #[test]
    fn the_list_covers_generation_members_and_staleness() {
        let (one, two) = ([1; 32], [2; 32]);
        let of = |generation, rows: &[(&Mac, bool)]| key().of_list(generation, rows.iter().copied());
        let list = of(1, &[(&one, false), (&two, false)]);
        for other in [
            of(2, &[(&one, false), (&two, false)]),
            of(1, &[(&one, false)]),
            of(1, &[(&one, true), (&two, false)]),
            of(1, &[(&two, false), (&one, false)]),
        ] {
            assert_ne!(list, other);
        }
    }
}
