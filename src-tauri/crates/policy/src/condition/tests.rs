use serde_json::json;

use super::*;

#[track_caller]
fn judged(is: Value, value: Value) -> Judged {
    let test: Test = serde_json::from_value(is).unwrap();
    assert_eq!(test.check(), Ok(()));
    test.judge(&value)
}

#[track_caller]
fn check(is: &Value, passes: &[Value], fails: &[Value], unclear: &[Value]) {
    for (expected, values) in [
        (Judged::Passes, passes),
        (Judged::Fails, fails),
        (Judged::Unclear, unclear),
    ] {
        for value in values {
            assert_eq!(judged(is.clone(), value.clone()), expected, "{is} of {value}");
        }
    }
}

#[test]
fn a_value_is_the_same_whichever_way_it_is_written() {
    check(
        &json!({"equals": {"a": [1, "x"]}}),
        &[json!({"a": [1.0, "x"]})],
        &[
            json!({"a": [1]}),
            json!({"a": [1, "x"], "b": 1}),
            json!({"b": [1, "x"]}),
            json!(null),
        ],
        &[],
    );
    check(
        &json!({"one_of": ["a", 2]}),
        &[json!("a"), json!(2.0)],
        &[json!("A"), json!("2"), json!(2.5)],
        &[],
    );
    check(
        &json!({"equals": 9007199254740993u64}),
        &[json!(9007199254740993u64)],
        &[json!(9007199254740992u64), json!(9007199254740992.0)],
        &[],
    );
}

#[test]
fn a_pattern_stands_for_the_whole_text() {
    check(
        &json!({"glob": "a/*.txt"}),
        &[json!("a/b.txt"), json!("a/.txt")],
        &[
            json!("a/b/c.txt"),
            json!("a/b.txt "),
            json!("xa/b.txt"),
            json!("a/btxt"),
        ],
        &[json!(5), json!("a".repeat(LONGEST * 5))],
    );
    check(
        &json!({"glob": "**/x"}),
        &[json!("a/b/x"), json!("/x")],
        &[json!("x"), json!("a/xx")],
        &[],
    );
    check(
        &json!({"glob": "??"}),
        &[json!("éa")],
        &[json!("a"), json!("abc"), json!("")],
        &[],
    );
    check(&json!({"glob": ""}), &[json!("")], &[json!("a")], &[]);
    check(
        &json!({"glob": "a**"}),
        &[json!("a"), json!("a/b/c"), json!("a".repeat(4096))],
        &[json!("b")],
        &[],
    );
}

#[test]
fn a_path_below_a_root_has_no_way_out() {
    check(
        &json!({"under": "/home/ann/notes"}),
        &[
            json!("/home/ann/notes"),
            json!("/home/ann/notes/"),
            json!("//home/./ann/notes/a/b.md"),
            json!("/home/ann/notes/..hidden"),
        ],
        &[
            json!("/home/ann/notes2"),
            json!("/home/ann"),
            json!("/"),
            json!("/home/Ann/notes/x"),
        ],
        &[
            json!("/home/ann/notes/../.ssh/id"),
            json!("/home/ann/notes/.. /x"),
            json!("/home/ann/notes/.../x"),
            json!("/home/ann/notes/%2e%2e/x"),
            json!("/home/ann/notes/$HOME"),
            json!("/home/ann/notes/~x"),
            json!("/home/ann/notes/a\\..\\b"),
            json!("/home/ann/notes/a\0b"),
            json!("notes/a"),
            json!("file:///home/ann/notes/a"),
            json!(""),
            json!(["/home/ann/notes/a"]),
            json!("/home/ann/notes/".to_owned() + &"a".repeat(4096)),
        ],
    );
    check(
        &json!({"under": "/"}),
        &[json!("/:x"), json!("/".to_owned() + &"a".repeat(4095))],
        &[],
        &[json!("1:/x"), json!("/".to_owned() + &"a".repeat(4096))],
    );
    check(
        &json!({"under": "C:\\Users\\Ann"}),
        &[json!("C:\\Users\\Ann\\x"), json!("C:/Users/Ann/x")],
        &[
            json!("D:\\Users\\Ann\\x"),
            json!("C:\\Users\\Anna"),
            json!("/Users/Ann/x"),
        ],
        &[
            json!("C:\\Users\\Ann\\x:stream"),
            json!("C:Users\\Ann"),
            json!("C:\\Users\\Ann\\..\\Bob"),
        ],
    );
}

#[test]
fn an_address_is_judged_by_the_host_it_leads_to() {
    check(
        &json!({"host": ["example.com", "a.github.io"]}),
        &[
            json!("https://example.com/x"),
            json!("https://x.example.com./"),
            json!("http://a.github.io:8080/"),
        ],
        &[
            json!("https://example.com.evil.org/"),
            json!("https://badexample.com/"),
            json!("https://b.github.io/"),
            json!("https://8.8.8.8/"),
        ],
        &[
            json!("https://example.com@evil.org/"),
            json!("https://example.com\\@evil.org/"),
            json!("https://exam\u{200b}ple.com/"),
            json!("ftp://example.com/"),
            json!("example.com"),
            json!("https://127.0.0.1/"),
            json!(null),
        ],
    );
}

#[test]
fn a_number_lies_within_its_bounds() {
    check(
        &json!({"between": {"least": 1, "most": 2.5}}),
        &[json!(1), json!(2.5), json!(1.0)],
        &[json!(0), json!(0.999), json!(3), json!(-1), json!(1u64 << 53)],
        &[json!(u64::MAX), json!("2"), json!(null)],
    );
    check(
        &json!({"between": {"least": null, "most": 0}}),
        &[json!(i64::MIN), json!(0)],
        &[json!(1)],
        &[],
    );
    check(
        &json!({"between": {"least": u64::MAX, "most": null}}),
        &[json!(u64::MAX)],
        &[json!(1)],
        &[json!(1e300)],
    );
}

#[test]
fn a_size_is_counted_in_bytes() {
    check(
        &json!({"at_most_bytes": 4}),
        &[json!("éé"), json!([1]), json!(null), json!("")],
        &[json!("ééé"), json!([1, 2])],
        &[],
    );
}

#[test]
fn a_permission_needs_every_value_and_a_refusal_only_one() {
    let condition = |at: &str| Condition {
        at: at.into(),
        is: Test::Equals(json!("a")),
    };
    let arguments = json!({"x": ["a", "b"], "y": ["a", "a"], "z": [], "": "a", "s/~": "a"});
    for (at, surely, may) in [
        ("/x/*", false, true),
        ("/y/*", true, true),
        ("/z/*", false, false),
        ("/x/0", true, true),
        ("/x/00", false, false),
        ("/x/9", false, false),
        ("/none", false, false),
        ("/", true, true),
        ("/s~1~0", true, true),
        ("", false, false),
        ("/*/*", false, true),
    ] {
        assert_eq!(condition(at).surely_holds(&arguments), surely, "{at}");
        assert_eq!(condition(at).may_hold(&arguments), may, "{at}");
        assert_eq!(condition(at).check(), Ok(()));
    }
    let many = json!(vec!["a"; 1001]);
    assert!(
        !condition("/*").surely_holds(&many),
        "too many to look at allow nothing"
    );
    assert!(condition("/*").may_hold(&many), "and refuse");
    assert!(condition("/*").surely_holds(&json!(vec!["a"; 1000])));
    let members = |count: usize| -> Value {
        let all: serde_json::Map<_, _> = (0..count).map(|n| (n.to_string(), json!("a"))).collect();
        all.into()
    };
    assert!(!condition("/*").surely_holds(&members(1001)));
    assert!(condition("/*").surely_holds(&members(1000)));
}

#[test]
fn what_can_not_be_kept_to_does_not_load() {
    use NoCondition::{Bounds, Host, Pointer, Root, Size};
    let check = |at: &str, is: Value, expected| {
        let is = serde_json::from_value(is).unwrap();
        let condition = Condition { at: at.into(), is };
        assert_eq!(condition.check(), expected, "{condition:?}");
    };
    check("x", json!({"equals": 1}), Err(Pointer));
    check("/~2", json!({"equals": 1}), Err(Pointer));
    check("/~", json!({"equals": 1}), Err(Pointer));
    check(&"/a".repeat(16), json!({"equals": 1}), Ok(()));
    check(&"/a".repeat(17), json!({"equals": 1}), Err(Pointer));
    check(
        &format!("/{}", "a".repeat(256)),
        json!({"equals": 1}),
        Err(Pointer),
    );
    check("", json!({"equals": "a".repeat(1022)}), Ok(()));
    check("", json!({"equals": "a".repeat(1023)}), Err(Size));
    check("", json!({"one_of": []}), Err(Size));
    check("", json!({"one_of": vec![1; 33]}), Err(Size));
    check("", json!({"one_of": vec![1; 32]}), Ok(()));
    check("", json!({"one_of": ["a".repeat(1023)]}), Err(Size));
    check("", json!({"glob": "*".repeat(1025)}), Err(Size));
    check("", json!({"under": "notes"}), Err(Root));
    check("", json!({"under": "/a/../b"}), Err(Root));
    check("", json!({"under": format!("/{}", "a".repeat(1024))}), Err(Root));
    check("", json!({"under": "/"}), Ok(()));
    check("", json!({"host": []}), Err(Size));
    for host in [
        "github.io",
        "com",
        "8.8.8.8",
        "Example.com",
        "a@example.com",
        "example.com.",
        "localhost",
        "x/y",
    ] {
        check("", json!({"host": [host]}), Err(Host));
    }
    check("", json!({"between": {"least": null, "most": null}}), Err(Bounds));
    check("", json!({"between": {"least": 2, "most": 1}}), Err(Bounds));
    check("", json!({"between": {"least": 1, "most": 1}}), Ok(()));
    let unknown = json!({"at": "", "is": {"sounds_like": "x"}});
    assert!(serde_json::from_value::<Condition>(unknown).is_err());
}
