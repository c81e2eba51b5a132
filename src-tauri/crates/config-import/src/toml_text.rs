//! TOML, as Codex writes it.

use vestibule_app_protocol::InputProblem;

use super::node::Node;

/// Reads TOML. Depth is bounded by the parser, which also refuses a name that stands twice.
///
/// # Errors
/// The line and column at which the text is no TOML.
pub(super) fn read(text: &str) -> Result<Node, InputProblem> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        let (line, column) = position(text, start);
        InputProblem::ConfigBroken {
            format: "TOML".into(),
            line,
            column,
            detail: error.message().to_owned(),
        }
    })
}

/// 1-based line and column of a byte of the text.
fn position(text: &str, byte: usize) -> (u32, u32) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (
        u32::try_from(line).unwrap_or(u32::MAX),
        u32::try_from(column).unwrap_or(u32::MAX),
    )
}
