use std::process::Command;

use super::*;

/// Set in a process of its own, whose zone is another one.
const EXPECTED: &str = "VESTIBULE_TEST_EXPECTED_DATE";

#[test]
fn a_date_is_that_of_the_zone_of_this_computer() {
    let at: Timestamp = "2026-11-30T11:30:00Z".parse().unwrap();
    if let Ok(expected) = std::env::var(EXPECTED) {
        assert_eq!(local_date(at), expected);
        return;
    }
    let this = "local_date::tests::a_date_is_that_of_the_zone_of_this_computer";
    // The sign says how far the zone is behind UTC.
    for (zone, expected) in [
        ("UTC0", "2026-11-30"),
        ("EAST-13", "2026-12-01"),
        ("WEST+12", "2026-11-29"),
    ] {
        #[expect(clippy::disallowed_methods, reason = "this test itself, in another zone")]
        let mut test = Command::new(std::env::current_exe().unwrap());
        let run = test
            .args(["--exact", this])
            .env("TZ", zone)
            .env(EXPECTED, expected)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert!(
            run.status.success() && said.contains("1 passed"),
            "{zone}: {said}"
        );
    }
}
