//! What is entered for a bundle has to fit what its author asks for.

use std::path::Path;

use serde_json::{Value, json};
use vestibule_app_protocol::{BundleDraft, BundleValueFault};

use super::archives::{add, manifest, node, packed, place, read};

/// What is wrong with the values of a setting.
fn fault(setting: Value, values: Option<&[&str]>, folder: &Path) -> Option<BundleValueFault> {
    let others = json!({ "user_config": { "one": setting } });
    let bytes = packed(&manifest(node(), others), |zip| add(zip, "server/index.js", b""));
    let mut draft = BundleDraft::default();
    if let Some(values) = values {
        let values = values.iter().map(ToString::to_string).collect();
        draft.values.insert("one".to_owned(), values);
    }
    let program = read(&bytes).unwrap().program(&draft, &place(folder));
    program.err().map(|refused| {
        assert_eq!(refused.title, "One");
        refused.fault
    })
}

#[test]
fn a_value_has_the_type_and_the_range_that_its_author_asks_for() {
    use BundleValueFault::{Missing, NotABoolean, NotANumber, OneOnly, TooLarge, TooSmall};
    let nowhere = Path::new("/nonexistent");
    let fault = |setting: Value, values: &[&str]| fault(setting, Some(values), nowhere);
    let number = json!({ "type": "number", "title": "One", "min": 1, "max": 9 });
    assert_eq!(fault(number.clone(), &["5"]), None);
    assert_eq!(fault(number.clone(), &["0.5"]), Some(TooSmall { min: 1.0 }));
    assert_eq!(fault(number.clone(), &["10"]), Some(TooLarge { max: 9.0 }));
    for odd in ["five", "NaN", "inf", "1 2"] {
        assert_eq!(fault(number.clone(), &[odd]), Some(NotANumber), "{odd}");
    }
    let boolean = json!({ "type": "boolean", "title": "One" });
    assert_eq!(fault(boolean.clone(), &["true"]), None);
    assert_eq!(fault(boolean, &["yes"]), Some(NotABoolean));
    let text = json!({ "type": "string", "title": "One", "required": true });
    assert_eq!(fault(text.clone(), &[" "]), Some(Missing));
    assert_eq!(fault(text.clone(), &["a", "b"]), Some(OneOnly));
    assert_eq!(fault(text, &["a", " "]), None);
}

#[test]
fn what_is_not_entered_is_what_the_author_proposes() {
    let nowhere = Path::new("/nonexistent");
    let required = json!({ "type": "string", "title": "One", "required": true });
    assert_eq!(
        fault(required.clone(), None, nowhere),
        Some(BundleValueFault::Missing)
    );
    let mut proposed = required;
    proposed["default"] = "x".into();
    assert_eq!(fault(proposed, None, nowhere), None);
}

#[test]
fn a_folder_and_a_file_have_to_be_there() {
    let base = tempfile::tempdir().unwrap();
    let home = base.path().join("home");
    std::fs::create_dir_all(home.join("Documents")).unwrap();
    std::fs::write(home.join("notes.txt"), "").unwrap();
    let folder = json!({ "type": "directory", "title": "One" });
    let file = json!({ "type": "file", "title": "One" });
    let fault = |setting: &Value, value: &str| fault(setting.clone(), Some(&[value]), base.path());
    assert_eq!(fault(&folder, "~/Documents"), None);
    assert_eq!(fault(&file, "~/notes.txt"), None);
    assert_eq!(fault(&folder, "~/notes.txt"), Some(BundleValueFault::NoFolder));
    assert_eq!(fault(&file, "~/Documents"), Some(BundleValueFault::NoFile));
    assert_eq!(fault(&folder, "home"), Some(BundleValueFault::NoFolder));
}
