//! The descendants of a process, as the system lists them.

use super::*;

fn process(number: i32, parent: i32, session: i32) -> Process {
    Process {
        number,
        began: 0,
        parent,
        group: session,
        session,
    }
}

#[test]
fn a_family_is_who_matches_and_who_descends_from_them() {
    let everyone = [
        process(9, 8, 9),
        process(8, 5, 8),
        process(5, 1, 5),
        process(6, 5, 5),
        process(7, 1, 7),
    ];
    let family = family_of(&everyone, |process| process.session == 5);
    let mut numbers: Vec<i32> = family.iter().map(|process| process.number).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [5, 6, 8, 9]);
    assert!(family_of(&everyone, |process| process.parent == 99).is_empty());
}

#[test]
fn our_own_process_is_read() {
    let own = i32::try_from(std::process::id()).unwrap();
    let read = read(own).unwrap();
    assert!(read.number == own && read.began > 0 && read.parent > 0 && read.group > 0);
}
