//! Texts of a manifest with variables in them. They are replaced in one pass, so a value is never read for variables.

use std::path::MAIN_SEPARATOR_STR;

use crate::BundlePlace;

/// What may stand before a value in a header, and is no part of it.
const SCHEMES: [&str; 5] = ["bearer", "basic", "token", "apikey", "api-key"];

/// A text with variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template(Vec<TemplatePart>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TemplatePart {
    Text(String),
    /// A folder of this computer, or the separator of paths.
    Known(KnownVariable),
    /// A value that the user enters, by its key.
    Setting(String),
}

/// A variable that the application gives its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownVariable {
    BundleFolder,
    Home,
    InHome(&'static str),
    Separator,
}

impl Template {
    /// Reads a text. A variable that is not known stays as it is written.
    pub(crate) fn read(written: &str) -> Self {
        let mut parts = vec![];
        let mut text = String::new();
        let mut rest = written;
        while let Some(at) = rest.find("${") {
            text.push_str(&rest[..at]);
            let inside = &rest[at + 2..];
            match inside
                .find('}')
                .and_then(|end| Some((end, variable(&inside[..end])?)))
            {
                Some((end, part)) => {
                    if !text.is_empty() {
                        parts.push(TemplatePart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(part);
                    rest = &inside[end + 1..];
                }
                None => {
                    text.push_str("${");
                    rest = inside;
                }
            }
        }
        text.push_str(rest);
        if !text.is_empty() {
            parts.push(TemplatePart::Text(text));
        }
        Self(parts)
    }

    /// The keys of the values in it.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            TemplatePart::Setting(key) => Some(key.as_str()),
            _ => None,
        })
    }

    /// The key of the value that is all of it.
    pub(crate) fn whole_setting(&self) -> Option<&str> {
        match self.0.as_slice() {
            [TemplatePart::Setting(key)] => Some(key),
            _ => None,
        }
    }

    /// Whether the user typed all of it, where these settings are those with a typed value.
    pub(crate) fn is_typed(&self, is_typed: impl Fn(&str) -> bool) -> bool {
        let is_scheme = |text: &str| {
            let word = text.trim_end();
            word.len() < text.len() && SCHEMES.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
        };
        let values = match self.0.as_slice() {
            [TemplatePart::Text(text), values @ ..] if is_scheme(text) => values,
            values => values,
        };
        let of_user = |part: &TemplatePart| matches!(part, TemplatePart::Setting(key) if is_typed(key));
        !values.is_empty() && values.iter().all(of_user)
    }

    /// The text, with a value for each setting. A setting without one stays as it is written.
    pub(crate) fn text(&self, place: &BundlePlace, value: impl Fn(&str) -> Option<String>) -> String {
        let parts = self.0.iter().map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Known(known) => known.value(place),
            TemplatePart::Setting(key) => value(key).unwrap_or_else(|| format!("${{user_config.{key}}}")),
        });
        parts.collect()
    }
}

impl KnownVariable {
    fn value(self, place: &BundlePlace) -> String {
        match self {
            Self::BundleFolder => place.folder.display().to_string(),
            Self::Home => place.home.display().to_string(),
            Self::InHome(folder) => place.home.join(folder).display().to_string(),
            Self::Separator => MAIN_SEPARATOR_STR.to_owned(),
        }
    }
}

fn variable(name: &str) -> Option<TemplatePart> {
    let known = match name {
        "__dirname" => KnownVariable::BundleFolder,
        "HOME" => KnownVariable::Home,
        "DESKTOP" => KnownVariable::InHome("Desktop"),
        "DOCUMENTS" => KnownVariable::InHome("Documents"),
        "DOWNLOADS" => KnownVariable::InHome("Downloads"),
        "pathSeparator" | "/" => KnownVariable::Separator,
        _ => {
            let key = name.strip_prefix("user_config.").filter(|key| !key.is_empty())?;
            return Some(TemplatePart::Setting(key.to_owned()));
        }
    };
    Some(TemplatePart::Known(known))
}
