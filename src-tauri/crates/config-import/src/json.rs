//! JSON with comments and trailing commas, as VS Code writes it, also without its outer braces.

use vestibule_app_protocol::InputProblem;

use super::comments::without_comments;
use super::node::Node;

/// Reads JSON. Depth is bounded by the parser.
///
/// # Errors
/// The line and column at which the text is no JSON.
pub(super) fn read(text: &str) -> Result<Node, InputProblem> {
    let plain = without_comments(text);
    let error = match serde_json::from_str(&plain) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if plain.trim_start().starts_with('"')
        && let Ok(value) = serde_json::from_str(&format!("{{{plain}}}"))
    {
        return Ok(value);
    }
    Err(InputProblem::JsonBroken {
        line: u32::try_from(error.line()).unwrap_or(u32::MAX),
        column: u32::try_from(error.column()).unwrap_or(u32::MAX),
        detail: reason(&error),
    })
}

/// The parser's own words without its "at line … column …", which is shown beside the text.
fn reason(error: &serde_json::Error) -> String {
    let words = error.to_string();
    words.split(" at line ").next().unwrap_or_default().to_owned()
}
