//! Patterns of addresses (RFC 6570) filled with text a person wrote. Every operator and both modifiers are known; values
//! are single texts, as a form has them, so lists and maps are not. What is reserved in an address is escaped, unless
//! the pattern itself says that it may stand.

use std::collections::BTreeMap;

/// The most variables of one pattern.
const MOST_VARIABLES: usize = 64;

/// The names in a pattern, in order, each once.
pub(crate) fn variables(pattern: &str) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    for expression in pattern.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        for part in inside(expression.0).1.split(',') {
            let name = named(part).0;
            if !name.is_empty() && names.len() < MOST_VARIABLES && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// The address a pattern stands for with these values. A variable without one is left out, as the pattern says.
pub(crate) fn expand(pattern: &str, values: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((expression, next)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        fill(&mut out, expression, values);
        rest = next;
    }
    out.push_str(rest);
    out
}

fn fill(out: &mut String, expression: &str, values: &BTreeMap<String, String>) {
    let (operator, names) = inside(expression);
    let (first, between, with_name, reserved) = match operator {
        Some('+') => ("", ",", false, true),
        Some('#') => ("#", ",", false, true),
        Some('.') => (".", ".", false, false),
        Some('/') => ("/", "/", false, false),
        Some(';') => (";", ";", true, false),
        Some('?') => ("?", "&", true, false),
        Some('&') => ("&", "&", true, false),
        _ => ("", ",", false, false),
    };
    let mut lead = first;
    for part in names.split(',') {
        let (name, most) = named(part);
        let Some(value) = values.get(name) else { continue };
        out.push_str(lead);
        lead = between;
        let value: String = value.chars().take(most).collect();
        if with_name {
            out.push_str(name);
            if !(value.is_empty() && operator == Some(';')) {
                out.push('=');
            }
        }
        escape(out, &value, reserved);
    }
}

fn inside(expression: &str) -> (Option<char>, &str) {
    match expression.chars().next() {
        Some(operator @ ('+' | '#' | '.' | '/' | ';' | '?' | '&')) => (Some(operator), &expression[1..]),
        _ => (None, expression),
    }
}

/// The name in one part of an expression, and how many characters of its value are wanted.
fn named(part: &str) -> (&str, usize) {
    let part = part.trim_end_matches('*');
    match part.split_once(':') {
        Some((name, most)) => (name, most.parse().unwrap_or(usize::MAX)),
        None => (part, usize::MAX),
    }
}

fn escape(out: &mut String, value: &str, reserved: bool) {
    for byte in value.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if plain || (reserved && b":/?#[]@!$&'()*+,;=".contains(&byte)) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pattern: &str) -> String {
        let values = [("path", "a b/c"), ("x", "1"), ("y", "2"), ("e", "")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        expand(pattern, &BTreeMap::from(values))
    }

    /// RS-005.
    #[test]
    fn every_operator_is_filled_as_the_standard_says() {
        for (pattern, address) in [
            ("x://{path}", "x://a%20b%2Fc"),
            ("x://{+path}", "x://a%20b/c"),
            ("x:{#path}", "x:#a%20b/c"),
            ("x{.x,y}", "x.1.2"),
            ("x{/x,y}", "x/1/2"),
            ("x{;x,e}", "x;x=1;e"),
            ("x{?x,e}", "x?x=1&e="),
            ("x?a=b{&x}", "x?a=b&x=1"),
            ("x{path:1}{missing}{x*}", "xa1"),
            ("x{open", "x{open"),
        ] {
            assert_eq!(filled(pattern), address, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_names_each_variable_once() {
        assert_eq!(variables("x://{a}/{?b,a*}{+c:3}"), ["a", "b", "c"]);
        assert!(variables("x://plain").is_empty());
    }

    /// A value can not become another part of the address.
    #[test]
    fn what_a_person_writes_stays_in_its_place() {
        let values = BTreeMap::from([("id".to_owned(), "../?x=1#é".to_owned())]);
        assert_eq!(expand("n://{id}/end", &values), "n://..%2F%3Fx%3D1%23%C3%A9/end");
    }
}
