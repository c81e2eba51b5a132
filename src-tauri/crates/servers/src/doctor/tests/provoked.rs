//! Failures of real programs and of real listeners on this computer: what the system and the programs say today is what
//! the table is compared with.

mod addresses;
mod launchers;
mod programs;

use jiff::Timestamp;
use vestibule_protocol::{EraChoice, ServerId};
use vestibule_store::{ServerPlace, ServerRecord};

fn record(place: ServerPlace) -> ServerRecord {
    ServerRecord {
        id: ServerId::new(),
        name: "notes".into(),
        place,
        era: EraChoice::Auto,
        wanted: false,
        created: Timestamp::UNIX_EPOCH,
    }
}
