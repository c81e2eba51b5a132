//! The values that a bundle asks the user for (`user_config`), and whether what was entered fits them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use vestibule_app_protocol::{BundleFault, BundleSetting, BundleSettingKind, BundleValueFault};
use vestibule_policy::in_home;

use crate::BundlePlace;
use crate::launch::{ManifestLaunch, Values};
use crate::manifest::{optional, text, wrong};
use crate::template::Template;

/// The most values that a bundle may ask for.
const MOST: usize = 100;
/// The most entries of one value.
const MOST_ENTRIES: usize = 200;
/// The longest key and title, in characters.
const LONGEST_NAME: usize = 120;
/// The longest description, in characters.
const LONGEST_TEXT: usize = 600;

/// A value that does not fit.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRefused {
    /// The title of what was asked for.
    pub title: String,
    pub fault: BundleValueFault,
}

/// Reads what is asked for.
///
/// # Errors
/// Which member is missing or wrong.
pub(crate) fn read(value: &Value, launch: &ManifestLaunch) -> Result<Vec<BundleSetting>, BundleFault> {
    let settings = match &value["user_config"] {
        Value::Null => return Ok(vec![]),
        Value::Object(settings) if settings.len() <= MOST => settings,
        _ => return Err(wrong("user_config")),
    };
    let read = settings.iter().map(|(key, value)| {
        let refused = || wrong(&format!("user_config.{key}"));
        setting(key, value, launch).ok_or_else(refused)
    });
    read.collect()
}

/// Nothing where a member is missing or wrong.
fn setting(key: &str, value: &Value, launch: &ManifestLaunch) -> Option<BundleSetting> {
    let is_key = !key.is_empty() && key.chars().count() <= LONGEST_NAME && !key.contains('}');
    let kind = match value["type"].as_str()? {
        "string" => BundleSettingKind::Text,
        "number" => BundleSettingKind::Number,
        "boolean" => BundleSettingKind::Boolean,
        "directory" => BundleSettingKind::Folder,
        "file" => BundleSettingKind::File,
        _ => return None,
    };
    let title = text(value, "title", LONGEST_NAME).ok()?;
    Some(BundleSetting {
        key: is_key.then(|| key.to_owned())?,
        title,
        description: optional(value, "description", LONGEST_TEXT)
            .ok()?
            .unwrap_or_default(),
        kind,
        required: switch(value, "required")?,
        sensitive: switch(value, "sensitive")?,
        multiple: switch(value, "multiple")?,
        min: number(value, "min")?,
        max: number(value, "max")?,
        proposed: match &value["default"] {
            Value::Null if kind == BundleSettingKind::Boolean => vec!["false".to_owned()],
            Value::Null => vec![],
            Value::Array(list) if list.len() <= MOST_ENTRIES => {
                list.iter().map(scalar).collect::<Option<_>>()?
            }
            value => vec![scalar(value)?],
        },
        on_command_line: launch.has_in_words(key),
    })
}

fn switch(value: &Value, member: &str) -> Option<bool> {
    match &value[member] {
        Value::Null => Some(false),
        value => value.as_bool(),
    }
}

/// A number that may be missing.
fn number(value: &Value, member: &str) -> Option<Option<f64>> {
    match &value[member] {
        Value::Null => Some(None),
        value => value.as_f64().map(Some),
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A value with the folders of this computer in what its author proposes.
pub(crate) fn proposed(setting: &BundleSetting, place: &BundlePlace) -> BundleSetting {
    let proposed = setting.proposed.iter();
    BundleSetting {
        proposed: proposed
            .map(|text| Template::read(text).text(place, |_| None))
            .collect(),
        ..setting.clone()
    }
}

/// What was entered, or proposed where nothing was entered.
///
/// # Errors
/// The first value that does not fit.
pub(crate) fn checked(
    settings: &[BundleSetting],
    entered: &BTreeMap<String, Vec<String>>,
    place: &BundlePlace,
) -> Result<Values, ValueRefused> {
    let mut values = Values::new();
    for setting in settings {
        let list = match entered.get(&setting.key) {
            Some(list) => list.clone(),
            None => proposed(setting, place).proposed,
        };
        let list = fitting(setting, list, place).map_err(|fault| ValueRefused {
            title: setting.title.clone(),
            fault,
        })?;
        values.insert(setting.key.clone(), list);
    }
    Ok(values)
}

/// The keys of the values that the user typed, and of which nothing is left that the author proposes.
pub(crate) fn typed<'a>(
    settings: &'a [BundleSetting],
    values: &Values,
    place: &BundlePlace,
) -> BTreeSet<&'a str> {
    let is_typed = |setting: &&BundleSetting| {
        let proposed = proposed(setting, place).proposed;
        let fitted = fitting(setting, proposed.clone(), place).unwrap_or_default();
        let of_author: Vec<String> = proposed.into_iter().chain(fitted).collect();
        let is_own = |value: &String| !of_author.iter().any(|proposed| keeps_most(value, proposed));
        values
            .get(&setting.key)
            .is_some_and(|list| list.iter().all(is_own))
    };
    let typed = settings.iter().filter(is_typed);
    typed.map(|setting| setting.key.as_str()).collect()
}

/// Whether a value is what the author proposes, or more than half of that still stands at its beginning and end.
fn keeps_most(value: &str, proposed: &str) -> bool {
    let same = |(a, b): &(u8, u8)| a == b;
    let start = value.bytes().zip(proposed.bytes()).take_while(same).count();
    let most = value.len().min(proposed.len()) - start;
    let ends = value.bytes().rev().zip(proposed.bytes().rev());
    let end = ends.take(most).take_while(same).count();
    value == proposed || 2 * (start + end) > proposed.len()
}

fn fitting(
    setting: &BundleSetting,
    list: Vec<String>,
    place: &BundlePlace,
) -> Result<Vec<String>, BundleValueFault> {
    let list: Vec<String> = list
        .into_iter()
        .filter(|value| !value.trim().is_empty())
        .collect();
    if setting.required && list.is_empty() {
        return Err(BundleValueFault::Missing);
    }
    if !setting.multiple && list.len() > 1 {
        return Err(BundleValueFault::OneOnly);
    }
    list.into_iter()
        .map(|value| fitting_one(setting, value, place))
        .collect()
}

fn fitting_one(
    setting: &BundleSetting,
    value: String,
    place: &BundlePlace,
) -> Result<String, BundleValueFault> {
    match setting.kind {
        BundleSettingKind::Text => Ok(value),
        BundleSettingKind::Number => {
            let written = value.trim();
            let number: f64 = written.parse().map_err(|_| BundleValueFault::NotANumber)?;
            in_range(setting, number)?;
            Ok(written.to_owned())
        }
        BundleSettingKind::Boolean if matches!(value.as_str(), "true" | "false") => Ok(value),
        BundleSettingKind::Boolean => Err(BundleValueFault::NotABoolean),
        BundleSettingKind::Folder => {
            let path = in_home(&value, &place.home);
            let is_there = path.is_absolute() && path.is_dir();
            is_there
                .then(|| path.display().to_string())
                .ok_or(BundleValueFault::NoFolder)
        }
        BundleSettingKind::File => {
            let path = in_home(&value, &place.home);
            let is_there = path.is_absolute() && path.is_file();
            is_there
                .then(|| path.display().to_string())
                .ok_or(BundleValueFault::NoFile)
        }
    }
}

fn in_range(setting: &BundleSetting, number: f64) -> Result<(), BundleValueFault> {
    if !number.is_finite() {
        return Err(BundleValueFault::NotANumber);
    }
    match (setting.min, setting.max) {
        (Some(min), _) if number < min => Err(BundleValueFault::TooSmall { min }),
        (_, Some(max)) if number > max => Err(BundleValueFault::TooLarge { max }),
        _ => Ok(()),
    }
}
