//! Names of tools that the servers of all models take. A model may call a tool by any name, also by one that its own
//! vendor refuses when the call is sent back.

use std::borrow::Cow;

/// The longest name of a tool that models' servers take.
pub const MAX_TOOL_NAME: usize = 64;

/// The name itself where models' servers take it, or else a name like it in characters and of a length that they take.
#[must_use]
pub fn sendable_tool_name(name: &str) -> Cow<'_, str> {
    // Gemini refuses a whole request for a name that begins with a digit or a hyphen.
    let begins_well = name.starts_with(|first: char| !first.is_ascii_digit() && first != '-');
    if begins_well && name.len() <= MAX_TOOL_NAME && name.chars().all(is_sendable) {
        return Cow::Borrowed(name);
    }
    let before = if begins_well { "" } else { "_" };
    let sendable = |c: char| if is_sendable(c) { c } else { '_' };
    let whole = before.chars().chain(name.chars().map(sendable));
    Cow::Owned(whole.take(MAX_TOOL_NAME).collect())
}

/// A name as it is, cut to the length that models' servers take; with a number at its end where `is_taken` says that the
/// name stands for another tool.
pub fn free_tool_name(base: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let beginning = |length: usize| base.chars().take(length).collect::<String>();
    let mut name = beginning(MAX_TOOL_NAME);
    let mut count = 1;
    while is_taken(&name) {
        count += 1;
        let ending = format!("_{count}");
        name = beginning(MAX_TOOL_NAME - ending.len()) + &ending;
    }
    name
}

fn is_sendable(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_one_that_all_vendors_take() {
        let long = "x".repeat(65);
        for (name, sent) in [
            ("notes__add", "notes__add"),
            ("multi_tool_use.parallel", "multi_tool_use_parallel"),
            ("functions.x", "functions_x"),
            ("default_api:x", "default_api_x"),
            ("天气 today", "___today"),
            ("7zip", "_7zip"),
            ("-", "_-"),
            ("", "_"),
            (&long, &long[..64]),
        ] {
            assert_eq!(sendable_tool_name(name), sent);
            assert_eq!(sendable_tool_name(sent), sent);
        }
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number_within_the_length() {
        let long = "x".repeat(70);
        assert_eq!(free_tool_name("add", |_| false), "add");
        assert_eq!(
            free_tool_name("add", |name| ["add", "add_2"].contains(&name)),
            "add_3"
        );
        assert_eq!(
            free_tool_name(&long, |name| name == &long[..64]),
            format!("{}_2", &long[..62])
        );
    }
}
