//! Calls a model wrote as text. Small local models do it nearly always: their whole answer is the name of a tool with
//! its arguments, fenced or not. Such a call is marked and always asked, because a quoted example looks the same.

use serde_json::{Map, Value};

/// The longest answer that is looked at, in bytes.
const LONGEST: usize = 64 * 1024;

/// The call a whole answer is: one offered name with an object of arguments. `None` where it is anything else.
pub fn read(answer: &str, is_offered: impl Fn(&str) -> bool) -> Option<(String, Map<String, Value>)> {
    let text = unwrapped(answer.trim());
    if text.len() > LONGEST {
        return None;
    }
    let (name, arguments) = match serde_json::from_str(text) {
        Ok(Value::Object(object)) => named(object)?,
        Ok(_) => return None,
        Err(_) => applied(text)?,
    };
    is_offered(&name).then_some((name, arguments))
}

/// The text without a code fence or the tags some templates ask for.
fn unwrapped(text: &str) -> &str {
    let fenced = || {
        let inner = text.strip_prefix("```")?.strip_suffix("```")?;
        // The first line names the language.
        let (language, code) = inner.split_once('\n')?;
        language
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_')
            .then_some(code)
    };
    let tagged = || text.strip_prefix("<tool_call>")?.strip_suffix("</tool_call>");
    fenced().or_else(tagged).unwrap_or(text).trim()
}

/// `{"name": …, "arguments": {…}}`, also inside `function`, and with nothing that means something else.
fn named(mut object: Map<String, Value>) -> Option<(String, Map<String, Value>)> {
    if let Some(Value::Object(inner)) = object.remove("function") {
        return only(&object, &["type", "id"]).then(|| named(inner))?;
    }
    let Some(Value::String(name)) = object.remove("name") else {
        return None;
    };
    let arguments = object.remove("arguments").or_else(|| object.remove("parameters"));
    let Some(Value::Object(arguments)) = arguments else {
        return None;
    };
    only(&object, &["type", "id"]).then_some((name, arguments))
}

fn only(object: &Map<String, Value>, allowed: &[&str]) -> bool {
    object.keys().all(|key| allowed.contains(&key.as_str()))
}

/// `name({…})` or `name {…}`.
fn applied(text: &str) -> Option<(String, Map<String, Value>)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_-.".contains(c)))?;
    let (name, rest) = text.split_at(end);
    let rest = rest.trim();
    let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let arguments = serde_json::from_str(inner.unwrap_or(rest)).ok()?;
    Some((name.to_owned(), arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(answer: &str) -> Option<String> {
        let call = read(answer, |name| name == "notes__add")?;
        Some(format!("{} {}", call.0, Value::Object(call.1)))
    }

    #[test]
    fn a_whole_answer_that_is_one_offered_name_with_an_object_is_a_call() {
        let call = Some(r#"notes__add {"text":"milk"}"#.to_owned());
        for answer in [
            r#"{"name":"notes__add","arguments":{"text":"milk"}}"#,
            r#"  {"name":"notes__add","parameters":{"text":"milk"}}  "#,
            r#"{"type":"function","function":{"name":"notes__add","arguments":{"text":"milk"}}}"#,
            "```json\n{\"name\":\"notes__add\",\"arguments\":{\"text\":\"milk\"}}\n```",
            "<tool_call>\n{\"name\":\"notes__add\",\"arguments\":{\"text\":\"milk\"}}\n</tool_call>",
            r#"notes__add({"text":"milk"})"#,
            r#"notes__add {"text": "milk"}"#,
        ] {
            assert_eq!(found(answer), call, "{answer}");
        }
    }

    #[test]
    fn anything_else_stays_text() {
        for answer in [
            "",
            "notes__add",
            r#"I will call {"name":"notes__add","arguments":{"text":"milk"}}"#,
            r#"{"name":"notes__add","arguments":{"text":"milk"}} Done."#,
            r#"{"name":"notes__delete","arguments":{}}"#,
            r#"{"name":"notes__add","arguments":"milk"}"#,
            r#"{"name":"notes__add","arguments":{},"price":3}"#,
            r#"[{"name":"notes__add","arguments":{}}]"#,
            r#"notes__add("milk")"#,
            "```json\n{\"name\":\"notes__add\",\"arguments\":{}}\n``` as an example",
        ] {
            assert_eq!(found(answer), None, "{answer}");
        }
    }
}
