use serde_json::json;

use super::*;

mod long_words;

fn found(index: &TaintIndex, to: ServerId, arguments: Value) -> Vec<(String, String)> {
    let flow = index.find_tainted(to, &arguments);
    assert!(!flow.too_much);
    flow.carried
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
    let mut index = TaintIndex::default();
    index.index_result(
        mail,
        "read",
        &json!({"content": [{"type": "text", "text": "Your code is KX-4471-99."}]}),
    );
    let carried = index.find_tainted(web, &json!({"q": {"a/b": ["see KX-4471-99!"]}}));
    let expected = TaintedValue {
        from: mail,
        tool: "read".into(),
        at: "/q/a~1b/0".into(),
        value: "KX-4471-99".into(),
    };
    assert_eq!(carried.carried, [expected]);
    assert_eq!(
        found(&index, mail, json!("KX-4471-99")),
        [],
        "its own server may have it back"
    );
}

#[test]
fn whole_values_and_words_and_pieces_are_found() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(
        mail,
        "read",
        &json!(["Annabelle", "the meeting is with ann@example.org on friday"]),
    );
    let key = "sk-ABCDEFGHIJKLMNOP";
    index.index_result(mail, "read", &json!({"key": key}));
    assert_eq!(
        found(&index, web, json!({"x": "Annabelle"})),
        one("/x", "Annabelle")
    );
    assert_eq!(
        found(&index, web, json!({"x": "to Annabelle, soon"})),
        one("/x", "Annabelle")
    );
    assert_eq!(
        found(&index, web, json!({"x": "ann@example.org"})),
        one("/x", "ann@example.org")
    );
    assert_eq!(
        found(
            &index,
            web,
            json!({"x": "https://e.org/?k=sk-ABCDEFGHIJKLMNOP&v"})
        ),
        one("/x", key)
    );
    assert_eq!(
        found(&index, web, json!({"x": "ABCDEFGHIJ"})),
        one("/x", key),
        "a piece"
    );
    let sentence = "the meeting is with ann@example.org on friday";
    assert_eq!(
        found(&index, web, json!(sentence)),
        one("", sentence),
        "the longest one"
    );
}

#[test]
fn of_several_values_the_longest_is_named_and_of_equal_ones_the_first() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(
        mail,
        "read",
        &json!(["Annabelle", "annabelle@example.org", "Jonathan1"]),
    );
    for (text, longest) in [
        (
            "Annabelle wrote to annabelle@example.org and Jonathan1",
            "annabelle@example.org",
        ),
        ("Annabelle wrote to Jonathan1", "Annabelle"),
        ("Jonathan1 wrote to Annabelle", "Jonathan1"),
    ] {
        assert_eq!(found(&index, web, json!(text)), one("", longest));
    }
}

#[test]
fn what_is_nobodys_secret_is_not_found() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_user_text("book ZX-1234567 please");
    index.index_result(
        mail,
        "read",
        &json!("flight ZX-1234567 and ORDER-99-77 for tomorrow"),
    );
    index.index_result(web, "search", &json!("about ORDER-99-77"));
    for own in [
        "ZX-1234567",
        "ORDER-99-77",
        "tomorrow",
        "flight",
        "short",
        "nothing here at all",
        "XORDER-99-778",
    ] {
        assert_eq!(found(&index, web, json!({ "x": own })), [], "{own}");
    }
    assert_eq!(found(&index, web, json!({"x": 12345678, "y": null})), []);
}

#[test]
fn each_server_may_have_back_what_it_returned_itself() {
    let (mail, web, notes) = (ServerId::new(), ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    for server in [mail, web] {
        index.index_result(server, "read", &json!("KX-4471-99"));
    }
    assert_eq!(found(&index, mail, json!("KX-4471-99")), []);
    assert_eq!(found(&index, web, json!("KX-4471-99")), []);
    assert_eq!(found(&index, notes, json!("KX-4471-99")), one("", "KX-4471-99"));
}

#[test]
fn a_value_that_is_part_of_a_longer_word_is_another_one() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!("Annabelle"));
    for other in ["to JoAnnabelle", "to Annabelles", "to 1Annabelle"] {
        assert_eq!(found(&index, web, json!(other)), [], "{other}");
    }
    for same in ["to-Annabelle!", "(Annabelle)"] {
        assert_eq!(found(&index, web, json!(same)), one("", "Annabelle"));
    }
}

#[test]
fn what_begins_alike_is_told_apart() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!(["Annabelle", "Annabella"]));
    for name in ["Annabelle", "Annabella"] {
        assert_eq!(found(&index, web, json!(format!("to {name}"))), one("", name));
    }
}

#[test]
fn the_last_text_of_many_is_remembered_and_searched() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    let mut texts = ["", "short"].repeat(20);
    texts.push("LAST-VALUE-1");
    index.index_result(mail, "read", &json!(texts));
    assert_eq!(found(&index, web, json!(texts)), one("/40", "LAST-VALUE-1"));
}

/// C6: a template of the receiver, however long, does not use up what is compared.
#[test]
fn words_of_the_receiver_do_not_hide_a_secret_behind_them() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!("Your code is KX-4471-99."));
    let template: Vec<String> = (0..200).map(|number| format!("TEMPLATE-WORD-{number}")).collect();
    let template = template.join(" ");
    index.index_result(web, "template", &json!(template));
    let filled = format!("{template} KX-4471-99");
    assert_eq!(
        found(&index, web, json!({ "text": filled })),
        one("/text", "KX-4471-99")
    );
    let piece = format!("{template} KX-4471-9");
    assert_eq!(
        found(&index, web, json!({ "text": piece })),
        one("/text", "Your code is KX-4471-99.")
    );
}

/// C6: what a server returned is pushed out by nothing another server returns.
#[test]
fn a_result_of_the_receiver_pushes_nothing_out() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!("Your code is KX-4471-99."));
    for round in 0..40 {
        let words: Vec<String> = (0..4200).map(|number| format!("{round}-{number:05}")).collect();
        index.index_result(web, "flood", &json!(words.join(" ")));
    }
    assert_eq!(found(&index, web, json!("KX-4471-99")), one("", "KX-4471-99"));
}

#[test]
fn keys_and_numbers_count_in_results_and_in_arguments() {
    let (bank, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(
        bank,
        "accounts",
        &json!({"NO-93-8601": {"balance": 448_120_977, "pin": 1234, "rate": 0.123_456_789, "limit": 90_000_000.0}}),
    );
    index.index_result(bank, "names", &json!({"annotations": "Annabelle"}));
    // The first float that stands for two whole numbers.
    index.index_result(bank, "total", &json!(9_007_199_254_740_992.0));
    for (arguments, at, value) in [
        (json!({"NO-93-8601": true}), "/NO-93-8601", "NO-93-8601"),
        (json!({"account": "NO-93-8601"}), "/account", "NO-93-8601"),
        (json!({"Annabelle": 1}), "/Annabelle", "Annabelle"),
        (json!({"amount": 448_120_977}), "/amount", "448120977"),
        (json!({"amount": 448_120_977.0}), "/amount", "448120977"),
        (json!({"amount": "448120977"}), "/amount", "448120977"),
        (json!([0.123_456_789]), "/0", "0.123456789"),
        (json!([90_000_000]), "/0", "90000000"),
        (json!([9_007_199_254_740_992_u64]), "/0", "9007199254740992.0"),
    ] {
        assert_eq!(found(&index, web, arguments), one(at, value));
    }
    for other in [
        json!({"pin": 1234}),
        json!({"annotations": 1}),
        json!({"amount": 448_120_978}),
    ] {
        assert_eq!(found(&index, web, other), []);
    }
}

/// The names of arguments are the receiver's own words, also where another server used the same.
#[test]
fn words_of_the_definition_are_not_foreign() {
    let (bank, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(bank, "list", &json!({"startDate": 1, "kind": "repository"}));
    let arguments = || json!({"startDate": "repository"});
    assert_eq!(found(&index, web, arguments()).len(), 2);
    index.index_definition(
        web,
        "search",
        &json!({"properties": {"startDate": {"enum": ["repository"]}}}),
    );
    assert_eq!(found(&index, web, arguments()), []);
}

#[test]
fn more_than_can_be_compared_is_said() {
    let (mail, web, third) = (ServerId::new(), ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    let long = "é ".repeat(MOST_LOOKED_AT / 3 + 1);
    assert!(
        !index.find_tainted(web, &json!(long)).too_much,
        "there is nothing it could carry"
    );
    index.index_result(mail, "read", &json!("LATE-VALUE-1"));
    let flow = index.find_tainted(web, &json!([long, "LATE-VALUE-1"]));
    assert_eq!(
        flow,
        DataFlow {
            carried: vec![],
            too_much: true
        }
    );
    assert!(!index.find_tainted(mail, &json!([long, "LATE-VALUE-1"])).too_much);

    // Values that begin alike, each compared at each word.
    let alike = |from: usize, to: usize| -> Vec<String> {
        (from..to)
            .map(|number| format!("https://example.org/{number}"))
            .collect()
    };
    index.index_result(third, "list", &json!(alike(0, 4000)));
    assert!(!index.find_tainted(web, &json!(alike(5000, 5100))).too_much);
    assert!(index.find_tainted(web, &json!(alike(5000, 5400))).too_much);
    assert!(!index.find_tainted(third, &json!(alike(5000, 5400))).too_much);

    // A server that returned more than is kept of it.
    for round in 0..5 {
        let many: Vec<String> = (0..4000).map(|number| format!("{round}-{number:06}")).collect();
        index.index_result(third, "list", &json!(many));
    }
    assert!(index.find_tainted(web, &json!("nothing")).too_much);
    assert!(!index.find_tainted(third, &json!("nothing")).too_much);
}

/// What a server may have anyway uses up nothing of what is compared.
#[test]
fn words_that_the_receiver_returned_are_not_searched_for() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    let words = |before: &str| -> Vec<String> {
        (0..=MOST_SCANS)
            .map(|number| format!("{before}SHARED-{number:04}-VALUE"))
            .collect()
    };
    index.index_result(mail, "read", &json!(words("A")));
    index.index_result(web, "read", &json!(words("")));
    assert_eq!(found(&index, web, json!(words(""))), []);
}

#[test]
fn as_much_as_the_bound_is_compared_and_no_more() {
    let mut budget = ComparisonBudget::default();
    assert!(budget.compare(MOST_COMPARED));
    assert!(!budget.compare(1));
    let mut budget = ComparisonBudget::default();
    assert!((0..MOST_SCANS).all(|_| budget.scan()));
    assert!(!budget.scan());
}

#[test]
fn a_result_of_two_hundred_kilobytes_is_looked_through() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!([" ".repeat(200_000), "LATE-VALUE-1"]));
    assert_eq!(found(&index, web, json!("LATE-VALUE-1")), one("", "LATE-VALUE-1"));
}

#[test]
fn pieces_that_both_servers_returned_are_compared_up_to_a_bound() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    let text = |before: &str, count: usize| -> Vec<String> {
        (0..count)
            .map(|number| format!("{before}SHARED-{number:04}-VALUE"))
            .collect()
    };
    index.index_result(mail, "read", &json!(text("A", MOST_SCANS)));
    index.index_result(web, "read", &json!(text("B", MOST_SCANS)));
    assert_eq!(found(&index, web, json!(text("", MOST_SCANS / 2))), []);
    assert!(
        index
            .find_tainted(web, &json!(text("", MOST_SCANS / 2 + 1)))
            .too_much
    );
}

#[test]
fn of_more_servers_than_are_kept_it_is_said() {
    let mut index = TaintIndex::default();
    let servers: Vec<ServerId> = (0..=MOST_SOURCES).map(|_| ServerId::new()).collect();
    for server in &servers[..MOST_SOURCES] {
        index.index_result(*server, "read", &json!("LATE-VALUE-1"));
    }
    assert!(!index.find_tainted(servers[0], &json!("x")).too_much);
    index.index_result(servers[MOST_SOURCES], "read", &json!("LATE-VALUE-2"));
    assert!(index.find_tainted(servers[0], &json!("LATE-VALUE-2")).too_much);
}

#[test]
fn no_more_is_named_than_a_card_shows() {
    let (mail, web) = (ServerId::new(), ServerId::new());
    let mut index = TaintIndex::default();
    index.index_result(mail, "read", &json!(["LATE-VALUE-1", "x".repeat(100)]));
    let twenty = vec!["LATE-VALUE-1"; 20];
    assert_eq!(index.find_tainted(web, &json!(twenty)).carried.len(), MOST_FOUND);
    assert_eq!(
        found(&index, web, json!("x".repeat(100))),
        one("", &"x".repeat(SHOWN))
    );
    let filler = "é ".repeat(MOST_LOOKED_AT / 3);
    index.index_result(web, "read", &json!([filler, "LAST-VALUE-2"]));
    assert_eq!(found(&index, web, json!("LATE-VALUE-1")), one("", "LATE-VALUE-1"));
    assert!(
        index.find_tainted(mail, &json!("LAST-VALUE-2")).too_much,
        "not all of it is known"
    );
}
