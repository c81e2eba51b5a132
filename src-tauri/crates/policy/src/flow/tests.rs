use serde_json::json;

use super::*;

fn found(returned: &Returned, to: ServerId, arguments: Value) -> Vec<(String, String)> {
    let found = returned.carried(to, &arguments);
    found
        .into_iter()
        .map(|carried| (carried.at, carried.value))
        .collect()
}

fn one(at: &str, value: &str) -> Vec<(String, String)> {
    vec![(at.to_owned(), value.to_owned())]
}

/// HO-004.
#[test]
fn a_value_of_one_server_is_found_on_its_way_to_another() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    returned.remember(
        mail,
        "read",
        &json!({"content": [{"type": "text", "text": "Your code is KX-4471-99."}]}),
    );
    let carried = returned.carried(web, &json!({"q": {"a/b": ["see KX-4471-99!"]}}));
    let expected = Carried {
        from: mail,
        tool: "read".into(),
        at: "/q/a~1b/0".into(),
        value: "KX-4471-99".into(),
    };
    assert_eq!(carried, [expected]);
    assert_eq!(
        found(&returned, mail, json!("KX-4471-99")),
        [],
        "its own server may have it back"
    );
}

#[test]
fn whole_values_and_words_and_pieces_are_found() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    returned.remember(
        mail,
        "read",
        &json!(["Annabelle", "the meeting is with ann@example.org on friday"]),
    );
    let key = "sk-ABCDEFGHIJKLMNOP";
    returned.remember(mail, "read", &json!({"key": key}));
    assert_eq!(
        found(&returned, web, json!({"x": "Annabelle"})),
        one("/x", "Annabelle")
    );
    assert_eq!(
        found(&returned, web, json!({"x": "to Annabelle, soon"})),
        one("/x", "Annabelle")
    );
    assert_eq!(
        found(&returned, web, json!({"x": "ann@example.org"})),
        one("/x", "ann@example.org")
    );
    assert_eq!(
        found(
            &returned,
            web,
            json!({"x": "https://e.org/?k=sk-ABCDEFGHIJKLMNOP&v"})
        ),
        one("/x", key)
    );
    assert_eq!(
        found(&returned, web, json!({"x": "ABCDEFGHIJ"})),
        one("/x", key),
        "a piece"
    );
    let sentence = "the meeting is with ann@example.org on friday";
    assert_eq!(
        found(&returned, web, json!(sentence)),
        one("", sentence),
        "the longest one"
    );
}

#[test]
fn what_is_nobodys_secret_is_not_found() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    returned.written_by_person("book ZX-1234567 please");
    returned.remember(
        mail,
        "read",
        &json!("flight ZX-1234567 and ORDER-99-77 for tomorrow"),
    );
    returned.remember(web, "search", &json!("about ORDER-99-77"));
    for own in [
        "ZX-1234567",
        "ORDER-99-77",
        "tomorrow",
        "flight",
        "short",
        "nothing here at all",
        "XORDER-99-778",
    ] {
        assert_eq!(found(&returned, web, json!({ "x": own })), [], "{own}");
    }
    assert_eq!(found(&returned, web, json!({"x": 12345678, "y": null})), []);
}

#[test]
fn each_server_may_have_back_what_it_returned_itself() {
    let (mail, web, notes) = (ServerId::new(), ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    for server in [mail, web] {
        returned.remember(server, "read", &json!("KX-4471-99"));
    }
    assert_eq!(found(&returned, mail, json!("KX-4471-99")), []);
    assert_eq!(found(&returned, web, json!("KX-4471-99")), []);
    assert_eq!(
        found(&returned, notes, json!("KX-4471-99")),
        one("", "KX-4471-99")
    );
}

#[test]
fn a_value_that_is_part_of_a_longer_word_is_another_one() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    returned.remember(mail, "read", &json!("Annabelle"));
    for other in ["to JoAnnabelle", "to Annabelles", "to 1Annabelle"] {
        assert_eq!(found(&returned, web, json!(other)), [], "{other}");
    }
    for same in ["to-Annabelle!", "(Annabelle)"] {
        assert_eq!(found(&returned, web, json!(same)), one("", "Annabelle"));
    }
}

#[test]
fn what_begins_alike_is_told_apart() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    returned.remember(mail, "read", &json!(["Annabelle", "Annabella"]));
    for name in ["Annabelle", "Annabella"] {
        assert_eq!(found(&returned, web, json!(format!("to {name}"))), one("", name));
    }
}

#[test]
fn the_last_text_of_many_is_remembered_and_searched() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    let mut texts = ["", "short"].repeat(20);
    texts.push("LAST-VALUE-1");
    returned.remember(mail, "read", &json!(texts));
    assert_eq!(found(&returned, web, json!(texts)), one("/40", "LAST-VALUE-1"));
}

#[test]
fn the_oldest_values_make_room() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    for number in 0..=MOST_VALUES {
        returned.remember(mail, "read", &json!(format!("{number:08}")));
    }
    assert_eq!(returned.values.len(), MOST_VALUES);
    assert_eq!(found(&returned, web, json!("00000000")), []);
    assert_eq!(found(&returned, web, json!("00000001")), one("", "00000001"));
    for _ in 0..2 {
        returned.remember(mail, "read", &json!("Annabelle"));
    }
    assert_eq!(
        found(&returned, web, json!("to Annabelle, soon")),
        one("", "Annabelle")
    );
    assert_eq!(
        found(&returned, web, json!("00000002")),
        one("", "00000002"),
        "what is known already takes no more room"
    );
    let long = "a".repeat(LONGEST - 8);
    for number in 0..200 {
        returned.remember(mail, "read", &json!(format!("{number:08}{long}")));
    }
    assert!(returned.bytes <= MOST_BYTES);
    let kept: usize = returned.by_beginning.values().map(Vec::len).sum();
    assert_eq!(kept, returned.values.len());
    assert_eq!(
        returned.bytes,
        returned.values.iter().map(|kept| kept.text.len()).sum::<usize>()
    );
}

#[test]
fn values_are_kept_up_to_the_last_byte_there_is_room_for() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    let value = |number: usize, length: usize| format!("{number:08}{}", "a".repeat(length - 8));
    returned.remember(mail, "read", &json!(value(0, LONGEST + 1)));
    assert_eq!(found(&returned, web, json!(value(0, LONGEST + 1))), []);
    let fitting = MOST_BYTES / LONGEST;
    for number in 0..fitting {
        returned.remember(mail, "read", &json!(value(number, LONGEST)));
    }
    assert_eq!(found(&returned, web, json!(value(0, LONGEST))).len(), 1);
    returned.remember(mail, "read", &json!(value(fitting, LONGEST)));
    assert_eq!(found(&returned, web, json!(value(0, LONGEST))), []);
    assert_eq!(found(&returned, web, json!(value(1, LONGEST))).len(), 1);
}

#[test]
fn more_than_is_looked_at_is_left_alone() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut returned = Returned::default();
    let filler = "é ".repeat(LOOKED_AT / 3);
    returned.remember(mail, "read", &json!([filler, "LATE-VALUE-1"]));
    assert_eq!(found(&returned, web, json!("LATE-VALUE-1")), []);
    returned.remember(mail, "read", &json!("LATE-VALUE-1"));
    assert_eq!(found(&returned, web, json!([filler, "LATE-VALUE-1"])), []);
    let twenty = vec!["LATE-VALUE-1"; 20];
    assert_eq!(returned.carried(web, &json!(twenty)).len(), MOST_FOUND);
    returned.remember(mail, "read", &json!("LATE-VALUE-1"));
    assert_eq!(returned.values.len(), 1, "what is known is not kept twice");
    returned.remember(mail, "read", &json!("x".repeat(100)));
    assert_eq!(
        found(&returned, web, json!("x".repeat(100))),
        one("", &"x".repeat(SHOWN))
    );
}
