//! URI templates (RFC 6570) of servers, filled with text that the user typed. Values are single strings, as a form has
//! them; lists and maps are not offered. Parsing and escaping are done by `iri-string`.

use std::collections::BTreeMap;

use iri_string::spec::UriSpec;
use iri_string::template::UriTemplateStr;
use iri_string::template::simple_context::SimpleContext;

use vestibule_app_protocol::InputProblem;

/// The most variables of one template.
const MOST_VARIABLES: usize = 64;

/// The names in a template, in order, each once. Empty where the template is not valid.
pub fn variables(template: &str) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    let Ok(template) = UriTemplateStr::new(template) else {
        return names;
    };
    for variable in template.variables() {
        let name = variable.as_str();
        if names.len() < MOST_VARIABLES && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// The URI that a template gives with these values. A variable without a value is left out, as the RFC says.
///
/// # Errors
/// When the template is not valid.
pub fn expand(template: &str, values: &BTreeMap<String, String>) -> Result<String, InputProblem> {
    let mut context = SimpleContext::new();
    for (name, value) in values {
        context.insert(name.as_str(), value.as_str());
    }
    let parsed = UriTemplateStr::new(template);
    let expanded = parsed.and_then(|parsed| Ok(parsed.expand::<UriSpec, _>(&context)?.to_string()));
    expanded.map_err(|error| InputProblem::AddressInvalid {
        url: template.to_owned(),
        detail: error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(pattern: &str) -> String {
        let values = [("path", "a b/c"), ("x", "1"), ("y", "2"), ("e", "")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        expand(pattern, &BTreeMap::from(values)).unwrap()
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
        ] {
            assert_eq!(filled(pattern), address, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_names_each_variable_once() {
        assert_eq!(variables("x://{a}/{?b,a*}{+c:3}"), ["a", "b", "c"]);
        assert!(variables("x://plain").is_empty());
    }

    /// A value cannot become another part of the URI.
    #[test]
    fn what_the_user_types_stays_in_its_place() {
        let values = BTreeMap::from([("id".to_owned(), "../?x=1#é".to_owned())]);
        assert_eq!(
            expand("n://{id}/end", &values).unwrap(),
            "n://..%2F%3Fx%3D1%23%C3%A9/end"
        );
    }

    /// RFC 6570, section 3.2.3: reserved expansion copies triplets that are percent-encoded already.
    #[test]
    fn text_that_is_escaped_already_is_not_escaped_twice_where_reserved_characters_are_kept() {
        let values = BTreeMap::from([("path".to_owned(), "a%20b/100%".to_owned())]);
        assert_eq!(expand("x:{+path}", &values).unwrap(), "x:a%20b/100%25");
        assert_eq!(expand("x:{#path}", &values).unwrap(), "x:#a%20b/100%25");
        assert_eq!(expand("x:{path}", &values).unwrap(), "x:a%2520b%2F100%25");
    }

    #[test]
    fn a_template_that_is_not_valid_is_refused_with_the_reason() {
        for template in ["x{open", "x{}", "x{=y}", "x{a b}", "x}"] {
            let refused = expand(template, &BTreeMap::new()).unwrap_err();
            assert!(
                matches!(&refused, InputProblem::AddressInvalid { url, detail } if url == template && !detail.is_empty()),
                "{refused}"
            );
            assert!(variables(template).is_empty(), "{template}");
        }
    }
}
